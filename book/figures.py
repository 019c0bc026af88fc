"""Drawing helpers that the chapters share: one look, readable on a light and on a dark page.

A chapter says ``import figures`` in its first cell; that alone sets the style (SVG output, white background,
colour-blind safe colours). Then::

    fig, ax = figures.plot(width=4, height=3)
    figures.heatmap(ax, weights, rows=words, columns=words, title="Attention weights")
"""

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap
from matplotlib_inline.backend_inline import set_matplotlib_formats

# Okabe and Ito: told apart with every common form of colour blindness.
BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, BLACK = "#CC79A7", "#56B4E9", "#F0E442", "#000000"
CYCLE = [BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY]

WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#FFFFFF", "#9CCBE6", BLUE, "#00324F"])  # 0 to 1
SIGNED = LinearSegmentedColormap.from_list("signed", [VERMILLION, "#FFFFFF", BLUE])  # white at 0
HIDDEN = "#D9D9D9"  # grey with a cross: a place that a mask hides


def style():
    """Set the common look. Runs on import; call it again only after changing ``matplotlib.rcParams``."""
    set_matplotlib_formats("svg")
    mpl.rcParams.update(
        {
            "figure.facecolor": "white",
            "savefig.facecolor": "white",  # never transparent: black text must stay readable on a dark page
            "svg.hashsalt": "transformer-workbook",  # the same figure gives the same bytes
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": mpl.cycler(color=CYCLE),
            "lines.linewidth": 2,
        }
    )


def plot(columns=1, rows=1, width=4.0, height=3.0, **subplots):
    """A figure with ``rows`` x ``columns`` axes, each ``width`` x ``height`` inches. Returns ``(fig, axes)``."""
    return plt.subplots(rows, columns, figsize=(columns * width, rows * height), layout="constrained", **subplots)


def heatmap(
    ax,
    matrix,
    rows,
    columns,
    title="",
    ylabel="queries",
    xlabel="keys",
    low=0.0,
    high=1.0,
    cmap=WEIGHTS,
    digits=2,
    hidden=None,
):
    """A matrix as coloured cells with its numbers in them.

    Args:
        ax: the axes to draw on.
        matrix: ``(R, C)`` tensor, array or nested list of numbers or booleans.
        rows, columns: ``R`` and ``C`` labels.
        title, ylabel, xlabel: what the picture, its rows and its columns are.
        low, high: the values of the first and last colour. For ``cmap=SIGNED`` give ``low=-high``.
        digits: decimals printed in a cell; ``None`` prints no numbers.
        hidden: optional ``(R, C)`` booleans; a ``True`` cell is drawn grey with a cross instead of its number.
    """
    values = _nested(matrix)
    covered = _nested(hidden) if hidden is not None else [[False] * len(columns) for _ in rows]
    shades = [[low if covered[i][j] else float(v) for j, v in enumerate(row)] for i, row in enumerate(values)]
    image = ax.imshow(shades, cmap=cmap, vmin=low, vmax=high, aspect="equal")
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            if covered[i][j]:
                ax.add_patch(plt.Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=HIDDEN, edgecolor="white"))
                ax.text(j, i, "×", ha="center", va="center", color="#404040")
            elif digits is not None:
                ax.text(j, i, _number(value, digits), ha="center", va="center", color=_ink(image, shades[i][j]))
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    ax.spines[:].set_visible(True)
    return image


def _nested(matrix):
    return matrix.tolist() if hasattr(matrix, "tolist") else [list(row) for row in matrix]


def _number(value, digits):
    return str(int(value)) if isinstance(value, (bool, int)) else f"{value:.{digits}f}"


def _ink(image, value):
    """Black on light cells, white on dark ones."""
    red, green, blue, _ = image.cmap(image.norm(value))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


style()
