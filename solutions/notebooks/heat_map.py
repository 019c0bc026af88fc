def heat_map(ax, matrix, queries, keys, title):
    """Draw a matrix of weights or of True and False: one row for each query, one column for each key.

    Args:
        ax: where to draw, from ``plt.subplots``.
        matrix: ``(T_q, T_k)``, entries from 0 to 1.
        queries, keys: ``T_q`` and ``T_k`` labels.
        title: what is to be seen.
    """
    values = matrix.detach().float().cpu()
    ax.imshow(values, cmap="Blues", vmin=0, vmax=1)
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            ax.text(j, i, f"{value:.2g}", ha="center", va="center", fontsize=7, color="white" if value > 0.5 else "black")
    ax.set_xticks(range(len(keys)), keys, rotation=60, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(queries)), queries)
    ax.set(title=title, xlabel="keys: what is looked at", ylabel="queries: who is looking")
