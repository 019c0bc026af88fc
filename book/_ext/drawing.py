"""The Transformer that the course builds, as one drawing in which every part leads to its chapter.

Text enters below and leaves above, as in figure 1 of Vaswani et al. (2017). Norms stand before their sublayers, as in
the code of the course. Around the model stand the training loop, what is done with the output, the models of today,
and GPT-2 in C. Numbers, titles and the order come from the registry. A unit that has no place of its own in the drawing
gets a box below it, so a new unit is on the map from its first day.

All shapes of a unit form one link: there are as many links as units, although attention is drawn three times. Colours
and states are classes (``static/drawing.css``); ``static/drawing.js`` adds the class ``read``. Without a style sheet,
as in an e-book, all lines have the colour of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from autograder.course.registry import Unit

NAMES = {  # what a unit's part is called in the drawing; its title is too long for a box
    "warmup": "PyTorch",
    "tokens": "Text to ids",
    "embeddings": "Embedding",
    "attention": "Attention",
    "masks": "Mask",
    "multihead": "Heads",
    "blocks": "Feed-forward",
    "babygpt": "BabyGPT",
    "transformer": "Encoder",
    "losses": "Loss",
    "optim": "AdamW",
    "training": "Batches",
    "decoding": "Decoding",
    "bleu": "BLEU",
    "translation": "Translation",
    "pretrained": "GPT-2",
    "llama": "Llama",
    "gpt2_forward": "Forward",
    "gpt2_backward": "Backward",
}

SOURCE, TARGET = "Der Hund schläft.", "The dog is sleeping."
MORE = {"pretrained": ("its weights", "in your code"), "llama": ("RMSNorm,", "RoPE, SwiGLU")}


@dataclass(frozen=True)
class Layout:
    """Where things go, in units of the picture. ``named``: parts carry names; else only their numbers."""

    name: str
    width: int
    left: int  # left edge of the encoder
    right: int  # left edge of the decoder
    column: int  # width of both
    size: float  # of the text
    named: bool = True
    stacked: bool = False  # attention and its mask stand on each other
    shapes: bool = False  # with the shapes of what goes from part to part
    beside: bool = True  # the training loop and the later models stand beside the model; else below it


WIDE = Layout("wide", 780, left=2, right=246, column=204, size=14.8)
NARROW = Layout("narrow", 340, left=2, right=176, column=154, size=12.4, stacked=True, beside=False)
SMALL = Layout("small", 780, left=2, right=246, column=204, size=27.5, named=False)


@dataclass
class Sheet:
    """The shapes drawn so far: those of each unit, and those that belong to none."""

    layout: Layout
    units: Sequence[Unit]
    shapes: dict[str, list[str]] = field(default_factory=dict)
    behind: list[str] = field(default_factory=list)  # under all parts: backgrounds and arrows
    bottom: float = 0.0

    def __post_init__(self) -> None:
        self.numbers = {unit.name: unit.number for unit in self.units}

    def add(self, unit: str, shape: str) -> None:
        """A shape of a unit's part; the course may have no such unit."""
        if unit in self.numbers:
            self.shapes.setdefault(unit, []).append(shape)

    def box(
        self, unit: str, x: float, y: float, width: float, height: float, words: str | None = "", *, kind: str = "part"
    ) -> None:
        """A rounded box with the unit's number and its name, or other ``words``; ``None``: without any."""
        self.add(unit, rect(x, y, width, height, kind))
        if words is not None:
            self.label(unit, x + width / 2, y + height / 2, words)

    def label(self, unit: str, x: float, y: float, words: str = "", anchor: str = "middle") -> None:
        """The unit's number and name around a point; in the small drawing only the number."""
        number = f'<tspan class="number">{self.numbers.get(unit, "")}</tspan>'
        name = escape(words or NAMES.get(unit, unit))
        shown = f"{number} {name}" if self.layout.named else number
        self.add(unit, text(x, y + self.layout.size * 0.34, shown, anchor))

    def note(self, x: float, y: float, words: str, anchor: str = "middle", kind: str = "note") -> None:
        """Words that belong to no unit."""
        if self.layout.named:
            self.behind.append(text(x, y + self.layout.size * 0.34, escape(words), anchor, kind))

    def arrow(self, points: str, *, head: bool = True, unit: str = "", kind: str = "flow") -> None:
        """A line along a path with a head at its end; ``unit``: the unit whose part it belongs to."""
        shape = f'<path class="{kind}" d="{points}"/>' + (_head(points, kind) if head else "")
        if unit:
            self.add(unit, shape)
        else:
            self.behind.append(shape)


def rect(x: float, y: float, width: float, height: float, kind: str = "part", radius: float = 6) -> str:
    size = f'width="{width:g}" height="{height:g}"'
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" {size} rx="{min(radius, height / 2):g}"/>'


def text(x: float, y: float, words: str, anchor: str = "middle", kind: str = "name") -> str:
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:.5g}" text-anchor="{anchor}" fill="currentColor" stroke="none">'
        f"{words}</text>"
    )


def _head(points: str, kind: str) -> str:
    """The head of an arrow whose path ends with an absolute H or V, or with M x y before it."""
    x = y = 0.0
    way = (0.0, -1.0)
    for command, *numbers in _commands(points):
        if command == "M":
            x, y = numbers
        elif command == "H":
            way, x = ((1.0 if numbers[0] > x else -1.0), 0.0), numbers[0]
        elif command == "V":
            way, y = (0.0, (1.0 if numbers[0] > y else -1.0)), numbers[0]
    (dx, dy), long, side = way, 7, 3.6
    left = f"{x - long * dx + side * dy:g} {y - long * dy + side * dx:g}"
    right = f"{x - long * dx - side * dy:g} {y - long * dy - side * dx:g}"
    return f'<path class="{kind}-head" d="M{x:g} {y:g}L{left}L{right}Z"/>'


def _commands(points: str) -> list[tuple]:
    spaced = "".join(f" {letter} " if letter in "MHV" else letter for letter in points).split()
    found: list[list] = []
    for word in spaced:
        if word in "MHV":
            found.append([word])
        else:
            found[-1].append(float(word))
    return [tuple(command) for command in found]


# The model: two columns from the bottom up


def model(sheet: Sheet, top: float) -> float:
    """Encoder, decoder, and what goes in and out, with the top edge at ``top``; where it ends below."""
    layout = sheet.layout
    card, row = (88, 25) if layout.stacked else (74, 32) if layout.named else (80, 38)
    norm, network, gap = 20, 34, 11
    sublayer = {"attention": card, "network": network}
    pad = 34

    def height(parts: Sequence[str]) -> float:
        return pad + sum(sublayer[part] + norm + 3 * gap + 8 for part in parts) + 6

    tall, short = height(("attention", "attention", "network")), height(("attention", "network"))
    out, pick = 38, 40
    begin = top + pick + 26 + out + 26
    end = begin + tall
    ids, vectors = 34, 34
    y_vectors = end + 24
    y_ids = y_vectors + vectors + 22
    # backgrounds and frames
    frame = {"babygpt": (layout.right, begin, tall), "transformer": (layout.left, end - short, short)}
    for unit, (x, y, tallness) in frame.items():
        sheet.behind.append(rect(x, y, layout.column, tallness, "ground", 10))
        sheet.add(unit, rect(x, y, layout.column, tallness, "frame", 10))
        sheet.note(x + layout.column - 10, y + 28, "N ×", "end")
    for x, parts in ((layout.left, ("attention", "network")), (layout.right, ("attention", "cross", "network"))):
        middle = x + layout.column / 2 + 7
        y = end
        for part in parts:
            sheet.arrow(f"M{middle} {y + 24 if y == end else y}V{y - gap - norm + 10:g}", head=False)
            room = card if part != "network" else network
            inner_x, inner = x + 26, layout.column - 38
            norm_y = y - gap - norm
            body = norm_y - gap - room
            plus = body - gap - 4
            sheet.arrow(f"M{middle} {norm_y}V{body + room:g}")
            sheet.arrow(f"M{middle} {body}V{plus + 6:g}", head=False)
            # the shortcut around norm and sublayer
            sheet.arrow(
                f"M{middle} {y - gap / 2 + 1:g}H{x + 13}V{plus:g}H{middle - 9:g}", unit="blocks", kind="shortcut"
            )
            sheet.add("blocks", rect(inner_x, norm_y, inner, norm, "part"))
            if layout.named:
                sheet.add("blocks", text(inner_x + inner / 2, norm_y + norm / 2 + layout.size * 0.34, "Norm"))
            if part == "network":
                sheet.box("blocks", inner_x, body, inner, room)
            else:
                _attention(sheet, part, x == layout.left, inner_x, body, inner, room, row)
            sheet.add("blocks", f'<circle class="part" cx="{middle:g}" cy="{plus:g}" r="8"/>')
            sheet.add("blocks", f'<path class="mark" d="M{middle - 4:g} {plus:g}h8m-4 -4v8"/>')
            after = plus - 8 - gap / 2
            if part == "cross":  # what the encoder adds to a GPT
                addition = rect(x + 5, after + 2, layout.column - 10, y - after - 4, "frame addition")
                sheet.add("transformer", addition)
            y = after
        said = SOURCE if x == layout.left else " ".join(TARGET.split()[:-1])
        sheet.note(middle, y_ids + ids + 20, said)
        if layout.shapes:
            length = "T_src" if x == layout.left else "T_tgt"
            sheet.note(middle + 9, y_ids - 11, f"(B, {length})", "start", "shape")
            sheet.note(middle + 9, y_vectors - 12, f"(B, {length}, d)", "start", "shape")
        # into the column
        sheet.box("embeddings", x + 14, y_vectors, layout.column - 14, vectors)
        sheet.arrow(f"M{middle} {y_ids}V{y_vectors + vectors:g}")
        sheet.box("tokens", x + 14, y_ids, layout.column - 14, ids)
    # the memory: from the top of the encoder to the cross-attention
    middle = layout.left + layout.column / 2 + 7
    cross = end - (gap + norm + gap + card + gap + 4 + 8 + gap / 2) - gap - norm - gap - card / 2
    lane = (layout.left + layout.column + layout.right) / 2
    sheet.arrow(
        f"M{middle} {end - short + 6:g}V{end - short - 26:g}H{lane:g}V{cross:g}H{layout.right + 26:g}",
        unit="transformer",
        kind="memory",
    )
    if layout.shapes:
        sheet.note(layout.left + 4, end - short - 60, "memory", "start")
        sheet.note(layout.left + 4, end - short - 40, "(B, T_src, d)", "start", "shape")
        sheet.note(layout.right + layout.column / 2 + 16, top + pick + 13, "(B, T_tgt, V)", "start", "shape")
    for unit, (x, y, _) in frame.items():  # over the line that leaves the frame
        tab = (layout.column - 24, 28) if layout.named else (64, 34)
        sheet.box(unit, x + (layout.column - tab[0]) / 2 + 7, y - tab[1] / 2, *tab)
    # out of the decoder
    middle = layout.right + layout.column / 2 + 7
    y_out = top + pick + 26
    sheet.arrow(f"M{middle} {begin + 6}V{y_out + out:g}")
    _probabilities(sheet, layout.right + 14, y_out, layout.column - 14, out)
    sheet.arrow(f"M{middle} {y_out}V{top + pick:g}")
    sheet.box("decoding", layout.right + 14, top, layout.column - 14, pick)
    return y_ids + ids + (30 if layout.named else 0)


def _attention(
    sheet: Sheet, part: str, padded: bool, x: float, y: float, width: float, height: float, row: float
) -> None:
    """A card for each head, and in the first the attention itself and its mask."""
    layout = sheet.layout
    card, gap = width - 8, 4
    rows = 2 if layout.stacked else 1
    room = rows * row + (rows - 1) * gap
    chips, line = y + height - room - gap, y + (height - room - gap) / 2
    for shift in (8, 4):
        sheet.add("multihead", _edge_of_card(x, y, card, height, shift))
    whole = card - 2 * gap
    first, second = (whole, whole) if layout.stacked else ((whole - gap) * 0.6, (whole - gap) * 0.4)
    chips_at = {
        "attention": (x + gap, chips, first, row),
        "masks": (x + card - gap - second, chips + room - row, second, row),
    }
    for unit, place in chips_at.items():
        sheet.box(unit, *place, kind="part chip")
    # Holes for the chips: links stand in the order of the units, so the chips are painted before the card.
    holes = "".join(_rounded(left - 1, up - 1, w + 2, h + 2) for left, up, w, h in chips_at.values())
    shape = _rounded(x, y, card, height) + holes
    sheet.add("multihead", f'<path class="part fill" fill-rule="evenodd" d="{shape}"/>')
    sheet.add("multihead", rect(x, y, card, height, "part outline"))
    if layout.named:
        sheet.label("multihead", x + 8, line, anchor="start")
        kind = "cross" if part == "cross" else "self" if padded else "masked"
        sheet.add("multihead", text(x + card - 8, line + layout.size * 0.34, kind, "end", "name said"))
    else:
        sheet.label("multihead", x + card / 2, line)


def _rounded(x: float, y: float, width: float, height: float, radius: float = 6) -> str:
    r = radius
    return (
        f"M{x + r:g} {y:g}h{width - 2 * r:g}a{r} {r} 0 0 1 {r} {r}v{height - 2 * r:g}a{r} {r} 0 0 1 {-r} {r}"
        f"h{2 * r - width:g}a{r} {r} 0 0 1 {-r} {-r}v{2 * r - height:g}a{r} {r} 0 0 1 {r} {-r}Z"
    )


def _edge_of_card(x: float, y: float, width: float, height: float, shift: float) -> str:
    """What can be seen of a card that lies behind another, moved up and to the right."""
    r = 6
    return (
        f'<path class="part card" d="M{x + shift:g} {y:g}v{r - shift:g}a{r} {r} 0 0 1 {r} {-r}h{width - 2 * r:g}'
        f"a{r} {r} 0 0 1 {r} {r}v{height - 2 * r:g}a{r} {r} 0 0 1 {-r} {r}h{r - shift:g}V{y + r:g}"
        f'a{r} {r} 0 0 0 {-r} {-r}Z"/>'
    )


def _probabilities(sheet: Sheet, x: float, y: float, width: float, height: float) -> None:
    """Bars that stand for the probabilities of the next token."""
    shares = (0.22, 0.4, 1, 0.3, 0.55, 0.16, 0.34, 0.12)
    step = width / len(shares)
    for place, share in enumerate(shares):
        tall = share * (height - 6)
        sheet.add("babygpt", rect(x + place * step + 3, y + height - tall, step - 6, tall, "part bar", 2))


def wide_surroundings(sheet: Sheet, top: float, bottom: float) -> None:
    """What stands beside the model, and below it the ground on which all of it is built."""
    layout = sheet.layout
    _output(sheet, top, text=68, gap=26, score=40)
    # the training loop, clockwise: batches, model, loss, gradients, new weights
    x, width = layout.right + layout.column + 34, 118
    middle = x + width / 2
    y_loss, y_step, y_batch = top + 64, (top + bottom) / 2 + 20, bottom - 66 if layout.named else bottom - 36
    model_edge = layout.right + layout.column
    sheet.arrow(f"M{model_edge} {y_loss + 20}H{x}")
    sheet.box("losses", x, y_loss, width, 40)
    sheet.arrow(f"M{middle} {y_loss + 40}V{y_step:g}")
    sheet.note(middle + 8, (y_loss + 40 + y_step) / 2, "gradients", "start")
    sheet.box("optim", x, y_step, width, 40)
    sheet.arrow(f"M{x} {y_step + 20:g}H{model_edge}")
    sheet.arrow(f"M{middle} {y_step + 40:g}V{y_batch:g}")
    sheet.note(middle + 8, (y_step + 40 + y_batch) / 2, "next batch", "start")
    sheet.box("training", x, y_batch, width, 36)
    sheet.arrow(f"M{x} {y_batch + 18:g}H{model_edge}")
    # the same model elsewhere
    x, width = layout.width - 146, 144
    half = (width - 30) / 2
    panel = (bottom - top - 24) / 2
    for y, heading in ((top, "released models"), (top + panel + 24, "GPT-2 in C")):
        sheet.behind.append(rect(x, y, width, panel, "ground", 10))
        sheet.note(x + width / 2, y + 20, heading)
    for y, unit in ((top + panel - 108, "pretrained"), (top + 40, "llama")):
        _card(sheet, unit, x + 12, y, width - 24, 94, MORE[unit])
    sheet.arrow(f"M{x + width / 2:g} {top + panel - 108:g}V{top + 134:g}")
    y = top + panel + 24 + 40
    for place, (unit, up) in enumerate((("gpt2_forward", True), ("gpt2_backward", False))):
        _block_arrow(sheet, unit, x + 10 + place * (half + 10), y, half, panel - 52, up)


def _output(sheet: Sheet, top: float, text: float, gap: float, score: float) -> None:
    """The text that comes out, left of the model's head, and below it its score: the heights of both, and between."""
    x, width = sheet.layout.left + 14, sheet.layout.column - 14
    sheet.arrow(f"M{sheet.layout.right + 14} {top + 20}H{x + width}")
    _card(sheet, "translation", x, top, width, text, (TARGET,))
    sheet.arrow(f"M{x + width / 2} {top + text}V{top + text + gap}")
    sheet.box("bleu", x, top + text + gap, width, score)


def _card(sheet: Sheet, unit: str, x: float, y: float, width: float, height: float, lines: Sequence[str]) -> None:
    """A box with the unit's number and name, and lines of further words."""
    step = sheet.layout.size * 1.45
    middle = y + height / 2
    if not sheet.layout.named:
        lines = ()
    sheet.box(unit, x, y, width, height, None)
    sheet.label(unit, x + width / 2, middle - step * len(lines) / 2)
    for place, words in enumerate(lines, start=1):
        line = middle + step * (place - len(lines) / 2) + sheet.layout.size * 0.34
        sheet.add(unit, text(x + width / 2, line, words, kind="name said"))


def _block_arrow(sheet: Sheet, unit: str, x: float, y: float, width: float, height: float, up: bool) -> None:
    """A broad arrow, with the unit's number above its name along the shaft."""
    tip, shaft, inset = (y, y + height, 26) if up else (y + height, y, -26)
    edge = 8
    sheet.add(
        unit,
        f'<path class="part" d="M{x + width / 2:g} {tip:g}L{x + width:g} {tip + inset:g}H{x + width - edge:g}V{shaft:g}'
        f'H{x + edge:g}V{tip + inset:g}H{x:g}Z"/>',
    )
    middle, centre = x + width / 2, y + height / 2
    if sheet.layout.named:
        sheet.add(unit, f'<g transform="rotate(-90 {middle:g} {centre:g})">')
    sheet.label(unit, middle, centre)
    if sheet.layout.named:
        sheet.add(unit, "</g>")


def narrow_surroundings(sheet: Sheet, top: float, bottom: float) -> float:
    """What stands around the model on a phone: the output beside its head, the rest below; where it ends."""
    layout = sheet.layout
    _output(sheet, top, text=62, gap=22, score=38)
    # the training loop: down the right edge, back along the bottom, up into the decoder
    edge, y = layout.width - 3, bottom + 34
    third = (layout.width - 4 - 2 * 22) / 3
    places = {unit: 2 + place * (third + 22) for place, unit in enumerate(("training", "optim", "losses"))}
    out = top + 40 + 26 + 19
    sheet.arrow(f"M{layout.right + layout.column} {out:g}H{edge}V{y:g}")
    for unit, x in places.items():
        sheet.box(unit, x, y, third, 38)
    sheet.arrow(f"M{places['losses']:g} {y + 19:g}H{places['optim'] + third:g}")
    sheet.arrow(f"M{places['optim']:g} {y + 19:g}H{places['training'] + third:g}")
    sheet.arrow(f"M{layout.left + 26} {y:g}V{bottom - 30:g}")
    y += 38 + 20
    half = (layout.width - 4 - 12) / 2
    for place, (units, heading) in enumerate(
        ((("pretrained", "llama"), "released models"), (("gpt2_forward", "gpt2_backward"), "GPT-2 in C"))
    ):
        x = 2 + place * (half + 12)
        sheet.behind.append(rect(x, y, half, 118, "ground", 10))
        sheet.note(x + half / 2, y + 18, heading)
        for row, unit in enumerate(units):
            sheet.box(unit, x + 10, y + 34 + row * 42, half - 20, 36)
    return y + 118


def draw_model(layout: Layout, units: Sequence[Unit], wrap: Callable[[Unit, str], str], label: str) -> str:
    """The model alone, without what stands around it, with the shapes of what goes from part to part."""
    sheet = Sheet(replace(layout, shapes=True, width=layout.right + layout.column + 10), units)
    return _svg(sheet, model(sheet, 2) + 2, wrap, label)


def draw(layout: Layout, units: Sequence[Unit], wrap: Callable[[Unit, str], str], label: str) -> str:
    """The drawing as an SVG element; ``wrap`` makes a unit's shapes its link."""
    sheet = Sheet(layout, units)
    top = 2.0
    bottom = model(sheet, top)
    if layout.beside:
        wide_surroundings(sheet, top, bottom)
    else:
        bottom = narrow_surroundings(sheet, top, bottom)
    bottom = _others(sheet, bottom)
    ground = 40 if layout.named else 44
    sheet.box("warmup", 2, bottom + 20, layout.width - 4, ground)
    return _svg(sheet, bottom + 20 + ground + 2, wrap, label)


def _svg(sheet: Sheet, height: float, wrap: Callable[[Unit, str], str], label: str) -> str:
    layout = sheet.layout
    only = "" if layout.beside else " only-on-screen"  # paper has room for the other
    linked = "".join(wrap(unit, "".join(sheet.shapes[unit.name])) for unit in sheet.units if unit.name in sheet.shapes)
    return (
        f'<svg class="drawing-{layout.name}{only}" viewBox="0 0 {layout.width} {height:g}" role="group" '
        f'aria-label="{escape(label)}" font-size="{layout.size:g}" fill="none" stroke="currentColor">'
        f'<g aria-hidden="true">{"".join(sheet.behind)}</g>{linked}</svg>'
    )


def _others(sheet: Sheet, bottom: float) -> float:
    """A row of boxes for units that have no place in the drawing."""
    others = [unit for unit in sheet.units if unit.name not in sheet.shapes and unit.name != "warmup"]
    columns = 4 if sheet.layout.beside else 2
    width = (sheet.layout.width - 4 - 12 * (columns - 1)) / columns
    for place, unit in enumerate(others):
        row, column = divmod(place, columns)
        sheet.box(unit.name, 2 + column * (width + 12), bottom + 20 + row * 46, width, 36)
    return bottom + (20 + 46 * (-(-len(others) // columns)) - 10 if others else 0)
