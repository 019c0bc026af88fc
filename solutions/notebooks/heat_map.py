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
    digits = 2 if matrix.dtype.is_floating_point else 0
    for i, row in enumerate(values.tolist() if values.numel() <= 64 else []):  # more digits could not be read
        for j, value in enumerate(row):
            ink = "white" if value > 0.7 else "black"
            ax.text(j, i, f"{value:.{digits}f}", ha="center", va="center", fontsize=7, color=ink)
    ax.set_xticks(range(len(keys)), keys, rotation=60, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(queries)), queries)
    ax.set(title=title, xlabel="keys: what is looked at", ylabel="queries: who is looking")
