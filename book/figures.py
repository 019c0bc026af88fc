"""Drawing helpers that the chapters share: one look, readable on every screen and on a light and a dark page.

A chapter says ``import figures`` in its first cell; that alone sets the style (SVG output, the font of the pages,
transparent ground, colour-blind safe colours). Then::

    fig, ax = figures.plot(width=4, height=3)
    figures.heatmap(ax, weights, rows=words, columns=words, title="Attention weights")

A figure is drawn twice: once for a column of text, and once for a phone, with axes that stood side by side one below
the other. A diagram whose labels have places of their own draws both versions itself, see `diagram`. The output is one
SVG file; ``_ext/pictures.py`` takes the two versions apart. No label is smaller than 11 pixels in either of them.
"""

import pickle
import textwrap
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from IPython import get_ipython
from IPython.core.pylabtools import print_figure
from matplotlib import font_manager
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.text import Text
from matplotlib_inline.backend_inline import set_matplotlib_formats

FONT = "Source Serif 4"
for file in sorted((Path(__file__).parent / "fonts").glob("*.ttf")):
    font_manager.fontManager.addfont(file)

WIDE, NARROW = 7.0, 3.5  # inches: what columns of text hold on screens, and on phones of 360 pixels
SMALLEST = 9.6  # points: 12.8 pixels, of which 11 are left when a column is a little narrower than its picture
LETTERS = 12.5  # of a label in an inch

# Okabe and Ito: told apart with every common form of colour blindness.
BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, BLACK = "#CC79A7", "#56B4E9", "#F0E442", "#000000"
CYCLE = [BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY]

WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#FFFFFF", "#9CCBE6", BLUE, "#00324F"])  # 0 to 1
SIGNED = LinearSegmentedColormap.from_list("signed", [VERMILLION, "#FFFFFF", BLUE])  # white at 0
HIDDEN = "#D9D9D9"  # grey with a cross: a place that a mask hides
# Ink on a coloured cell. It keeps its colour in the dark twin of a heat map, in which pure black turns light.
ON_CELL, CROSS = "#101010", "#333333"


def style():
    """Set the common look. Runs on import; call it again only after changing ``matplotlib.rcParams``."""
    set_matplotlib_formats("svg")
    if (shell := get_ipython()) is not None:
        shell.display_formatter.formatters["image/svg+xml"].for_type(plt.Figure, svg)
    mpl.rcParams.update(
        {
            "figure.facecolor": "none",  # the page's own ground, in both themes
            "axes.facecolor": "none",
            "savefig.facecolor": "none",
            "legend.facecolor": "white",
            "svg.hashsalt": "transformer-workbook",  # the same figure gives the same bytes
            "font.family": [FONT, "DejaVu Sans"],  # the second has the arrows and symbols that the first lacks
            "mathtext.fontset": "stix",  # formulas in a serif too
            "font.size": 10.5,
            "axes.titlesize": 11.5,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": mpl.cycler(color=CYCLE),
            "lines.linewidth": 2,
        }
    )


def plot(columns=1, rows=1, width=4.0, height=3.0, **subplots):
    """A figure with ``rows`` x ``columns`` axes, each ``width`` x ``height`` inches. Returns ``(fig, axes)``.

    Plots that are wider than the column of text are drawn as wide as that. A diagram keeps its width.
    """
    return plt.subplots(rows, columns, figsize=(columns * width, rows * height), layout="constrained", **subplots)


def diagram(draw: Callable, wide: tuple[float, float], narrow: tuple[float, float]):
    """A drawing without axes, in two versions of its own. Returns the wide figure, which carries the narrow one.

    Args:
        draw: called with axes in inches (x to the right, y upwards, from the lower left corner), and with whether it
            draws the narrow version.
        wide, narrow: width and height in inches, at most `WIDE` and `NARROW` wide.
    """
    figures = []
    for size in (wide, narrow):
        fig = plt.figure(figsize=size)
        ax = fig.add_axes((0, 0, 1, 1), xlim=(0, size[0]), ylim=(0, size[1]))
        ax.axis("off")
        draw(ax, size is narrow)
        figures.append(fig)
    figures[0].narrow = figures[1]
    plt.close(figures[1])
    return figures[0]


def svg(fig) -> str:
    """The SVG of a figure, with its narrow version as a definition in it, which no viewer shows."""
    slim = _narrow(fig)
    if _is_plot(fig):
        fig.set_figwidth(min(fig.get_figwidth(), WIDE))
        _wrap_labels(fig)
    drawn = _print(fig)
    if slim is None:
        return drawn
    inner = _print(slim)
    inner = inner[inner.index("<svg") :]
    return drawn.replace("</svg>", f'<defs class="narrow">{inner}</defs>\n</svg>')


def _print(fig) -> str:
    for text in fig.findobj(Text):
        text.set_fontsize(max(text.get_fontsize(), SMALLEST))
    return print_figure(fig, fmt="svg")


def _is_plot(fig) -> bool:
    """Whether its axes may change their size; the labels of a diagram would run into each other in less room."""
    return any(ax.axison for ax in fig.axes)


def _narrow(fig):
    """The figure for a phone; ``None`` where one figure serves all screens, or where only its author could tell."""
    if hasattr(fig, "narrow"):
        return fig.narrow
    if fig.get_figwidth() <= NARROW + 0.1 or not (_is_plot(fig) or len(fig.axes) > 1):
        return None
    if not any(ax.get_subplotspec() for ax in fig.axes):  # placed by hand
        return None
    slim = pickle.loads(pickle.dumps(fig))
    plt.close(slim)
    _stack(slim)
    return slim


def _stack(fig) -> None:
    """Draw a figure as wide as a phone's column: its axes one below the other, many heat maps two by two."""
    axes = [ax for ax in fig.axes if ax.get_subplotspec() is not None]
    before = axes[0].get_subplotspec().get_gridspec()
    height = fig.get_figheight() / before.nrows
    small = all(ax.images and len(ax.get_title()) < 24 for ax in axes)
    columns = 2 if len(axes) >= 4 and small else 1
    rows = -(-len(axes) // columns)
    grid = fig.add_gridspec(rows, columns)
    if columns > 1:  # maps keep their shape
        height *= min(1, NARROW / columns / (fig.get_figwidth() / before.ncols))
    for ax, place in zip(axes, grid):
        beside = ax.get_shared_y_axes().joined(ax, axes[0])
        ax.set_subplotspec(place)
        if beside and ax is not axes[0]:  # its labels stood at the first axes alone
            ax.tick_params(labelleft=True)
            ax.set_ylabel(ax.get_ylabel() or axes[0].get_ylabel())
        if (beside_axes := ax.get_legend()) and beside_axes._bbox_to_anchor is not None:  # no room beside these
            beside_axes.remove()
            fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center")
        if columns > 1:
            ax.tick_params(labelleft=place.is_first_col())
    fig.set_size_inches(NARROW, height * rows)
    _wrap_labels(fig)


def _wrap_labels(fig) -> None:
    """Break titles, and names of horizontal axes, that are wider than their axes."""
    for ax in (ax for ax in fig.axes if ax.get_subplotspec() is not None):
        letters = int(fig.get_figwidth() / ax.get_subplotspec().get_gridspec().ncols * LETTERS)
        for label in (ax.title, ax.xaxis.label):
            text = label.get_text()
            if "$" not in text and "\n" not in text:
                label.set_text(textwrap.fill(text, letters))


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
                ax.text(j, i, "×", ha="center", va="center", color=CROSS)
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
    """Dark on light cells, white on dark ones."""
    red, green, blue, _ = image.cmap(image.norm(value))
    return ON_CELL if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


style()
