"""Interactive figures: ``{playground} NAME`` puts one into a page.

The body of the directive says what to try. Under it stands a still version, a table that the course's own functions
compute while the book is built; print, EPUB, PDF and readers without JavaScript see that. On the web page the module
``book/static/playgrounds/NAME.js`` puts the living figure in its place, from the same start. Pages load it as a plain
script, in one piece with what it imports: browsers load neither modules nor data into a page that was opened as a file.

To add one: an entry of `PLAYGROUNDS` here, a module there (see ``common.js``), a test in
``tests/browser/test_playgrounds.py``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "book" / "experiments" / "heads_model.json"
MAPS = ROOT / "book" / "experiments" / "alignment.json"
FOLDER = "playgrounds"  # in _static: the modules, and what they load
SCRIPTS = ROOT / "book" / "static" / FOLDER
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+)\.js";\n', re.MULTILINE)


@dataclass(frozen=True)
class Table:
    """The still version of a figure; the first cell of a row is its name."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Playground:
    """An interactive figure.

    Attributes:
        title: stands above it.
        uses: files of the repository that the still version is computed from.
        start: where the controls stand at first, as JSON for the module.
        still: makes the table of these values that is shown where nothing can be moved.
    """

    title: str
    uses: Sequence[str]
    start: Callable[[], dict[str, Any]]
    still: Callable[[dict[str, Any]], Table]


def _rows(names: Iterable[str], matrix: Iterable[Iterable[float]], digits: int = 2) -> list[list[str]]:
    return [[name, *(_number(value, digits) for value in row)] for name, row in zip(names, matrix)]


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


# --- the figures ---------------------------------------------------------------------------------------------


def _attention_start() -> dict[str, Any]:
    words = {"the": [0, 0], "river": [2, 0], "bank": [1, 1], "lends": [0, 1], "money": [0, 2]}

    def sentence(text: str) -> dict[str, Any]:
        tokens = text.split()
        x = [words[token] for token in tokens]
        features = ["water", "finance"]
        return {"tokens": tokens, "features": dict.fromkeys("qkv", features), "q": x, "k": x, "v": x}

    by_hand = {
        "tokens": ["token 0", "token 1"],
        "features": {"q": ["0", "1"], "k": ["0", "1"], "v": ["0", "1"]},
        "q": [[1, 0], [0, 1]],
        "k": [[1, 1], [2, 0]],
        "v": [[1, 2], [3, 4]],
    }
    texts = ("the river bank", "the bank lends money")
    return {
        "example": texts[0],
        "scaled": True,
        "mask": "none",
        "temperature": 1,
        "q": [],  # what a reader writes in place of the example's
        "k": [],
        "v": [],
        "pinned": [],
        "examples": {text: sentence(text) for text in texts} | {"two tokens by hand": by_hand},
    }


def _attention_still(start: dict[str, Any]) -> Table:
    import torch

    from solutions.attention import scaled_dot_product_attention

    name, example = next(iter(start["examples"].items()))
    q, k, v = (torch.tensor(example[key], dtype=torch.float64) for key in "qkv")
    _, weights = scaled_dot_product_attention(q, k, v)
    tokens = example["tokens"]
    caption = f"Weights of “{name}”: a row is a query, a column a key, and every row sums to 1."
    return Table(caption, ["query", *tokens], _rows(tokens, weights.tolist()))


def _masks_start() -> dict[str, Any]:
    import torch

    size = 6
    scores = torch.randn(size, size, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return {
        "tokens": ["<bos>", "birds", "sing", "at", "night", "<eos>"],
        "padded": [False] * 4 + [True] * 2,
        "causal": True,
        "padding": True,
        "flipped": [],
        "pad": "<pad>",
        "scores": [[round(score, 2) for score in row] for row in scores.tolist()],
    }


def _masks_still(start: dict[str, Any]) -> Table:
    import torch

    from solutions import PAD
    from solutions.masks import decoder_mask

    ids = torch.tensor([[PAD if padded else PAD + 1 for padded in start["padded"]]])
    rows = [["✓" if may else "×" for may in row] for row in decoder_mask(ids)[0, 0].tolist()]
    shown = [start["pad"] if padded else token for token, padded in zip(start["tokens"], start["padded"])]
    caption = "The decoder's mask: in the row of a query, ✓ marks the keys that it may attend to."
    return Table(caption, ["query", *shown], [[name, *row] for name, row in zip(shown, rows)])


def _heads_start() -> dict[str, Any]:
    text = json.loads(MODEL.read_text(encoding="utf-8"))["results"]["sample"]
    return {"text": text, "layer": 0, "head": 0, "query": len(text) - 1, "silent": []}


def _heads_still(start: dict[str, Any]) -> Table:
    results = json.loads(MODEL.read_text(encoding="utf-8"))["results"]
    caption = (
        f"The model of the figure, trained for {results['steps']} steps on the Jargon File: held-out loss in nats "
        "per character."
    )
    losses = {
        "as trained": results["loss"],
        "with its weights stored in 16 bits, as the figure uses them": results["loss of the stored weights"],
        "for comparison, a model that knows only how common each character is": results["loss of the frequencies"],
    }
    return Table(caption, ["model", "loss"], [[name, _number(loss, 4)] for name, loss in losses.items()])


def _positions_start() -> dict[str, Any]:
    return {"length": 64, "width": 32, "position": 10, "column": 6, "other": 13}


def _positions_still(start: dict[str, Any]) -> Table:
    from solutions.embeddings import sinusoidal_positions

    columns = range(start["width"])[:8]
    table = sinusoidal_positions(start["length"], start["width"])[:6, :8]
    caption = f"The first positions and columns of the table of width {start['width']}."
    return Table(caption, ["position", *map(str, columns)], _rows(map(str, range(6)), table.tolist()))


def _schedule_start() -> dict[str, Any]:
    return {
        "widths": [64, 128, 256, 512, 768, 1024, 2048],
        "warmups": [1, 10, 100, 200, 400, 1000, 2000, 4000, 8000, 16000],
        "lengths": [100, 1000, 5000, 20000, 100000],
        "width": 512,
        "warmup": 4000,
        "factor": 1,
        "step": 1000,
        "steps": 20000,
        "log": False,
        "kept": [],
    }


def _schedule_still(start: dict[str, Any]) -> Table:
    from solutions.optim import noam_lr

    width, warmup = start["width"], start["warmup"]
    steps = (1, 1000, 2000, warmup, 8000, 16000)
    caption = f"Learning rates for width {width} and a warm-up of {warmup} steps."
    return Table(caption, ["step", "rate"], [[str(step), f"{noam_lr(step, width, warmup):.3e}"] for step in steps])


def _smoothing_start() -> dict[str, Any]:
    return {"kind": "all", "epsilon": 0.1, "size": 6, "target": 2, "confidence": 0.8}


def _smoothing_still(start: dict[str, Any]) -> Table:
    import torch

    from solutions.losses import LabelSmoothing, smooth_labels

    size, target, epsilon = start["size"], torch.tensor([start["target"]]), start["epsilon"]
    criterion = LabelSmoothing(size, 0, epsilon)
    criterion(torch.zeros(1, size), target)
    everywhere, without = smooth_labels(target, size, epsilon)[0].tolist(), criterion.true_dist[0].tolist()
    names = ["padding", *(f"class {c}" for c in range(1, size))]
    caption = f"Targets for class {start['target']} of {size}, with ε = {epsilon}, spread in two ways."
    head = ["", "over all classes", "over the others, without padding"]
    return Table(caption, head, _rows(names, zip(everywhere, without), 3))


def _bleu_start() -> dict[str, Any]:
    by_hand = {"candidate": "the cat sat on a mat today", "references": ["the cat sat on the mat today"]}
    examples = {
        "worked example": by_hand,
        "clipping": {
            "candidate": "the the the the the the the",
            "references": ["the cat is on the mat", "there is a cat on the mat"],
        },
        "too short": {"candidate": "the cat sat on the", "references": ["the cat sat on the mat today"]},
        "two references": {
            "candidate": "a cat was sitting on the mat",
            "references": ["the cat sat on the mat", "a cat was sitting on a mat today"],
        },
    }
    shown = {"example": "worked example", "n": 2, "maxN": 4, "smooth": False, "chosen": ""}
    return by_hand | shown | {"examples": examples}


def _bleu_still(start: dict[str, Any]) -> Table:
    from solutions.bleu import corpus_bleu, modified_precision

    candidate, references = start["candidate"].split(), [text.split() for text in start["references"]]
    rows = []
    for n in range(1, 5):
        clipped, total = modified_precision(candidate, references, n)
        rows.append([str(n), str(clipped), str(total), _number(clipped / total, 4)])
    score = corpus_bleu([candidate], [references])
    caption = f"“{start['candidate']}” against “{start['references'][0]}”: BLEU {score:.2f}."
    return Table(caption, ["n", "counted", "of all", "precision"], rows)


def _memory_start() -> dict[str, Any]:
    def sizes(max_t: int, layers: int, heads: int, channels: int, vocabulary: int) -> dict[str, int]:
        return {"maxT": max_t, "L": layers, "NH": heads, "C": channels, "Vp": vocabulary}

    return {
        "models": {
            "small of this course": sizes(128, 4, 4, 128, 512),
            "GPT-2": sizes(1024, 12, 12, 768, 50304),
            "GPT-2 medium": sizes(1024, 24, 16, 1024, 50304),
            "GPT-2 large": sizes(1024, 36, 20, 1280, 50304),
            "GPT-2 XL": sizes(1024, 48, 25, 1600, 50304),
        },
        "model": "GPT-2",
        "B": 4,
        "T": 64,
        "name": "params.qkvw",
        "layer": 0,
        "indices": [0, 0],
    }


def _memory_still(start: dict[str, Any]) -> Table:
    from solutions.gpt2_c import Config, count_parameters

    rows = []
    for name, sizes in start["models"].items():
        numbers = count_parameters(Config(sizes["maxT"], sizes["Vp"], sizes["L"], sizes["NH"], sizes["C"]))
        rows.append([name, f"{numbers:,}", f"{4 * numbers / 1e6:,.1f}", f"{16 * numbers / 1e6:,.1f}"])
    caption = "Parameters, with a vocabulary padded to a multiple of 128, and the memory that they take."
    return Table(caption, ["model", "parameters", "MB", "MB with gradients and AdamW's m and v"], rows)


def _alignment_start() -> dict[str, Any]:
    results = json.loads(MAPS.read_text(encoding="utf-8"))["results"]
    sizes = {name: results[name] for name in ("layers", "heads")}
    # At first a head of the last layer, and what it looks at in order to predict the verb.
    chosen = {"sentence": 0, "kind": "cross", "layer": results["layers"] - 1, "head": 3, "query": 3}
    return {"sentences": results["maps"], **sizes, **chosen}


def _alignment_still(start: dict[str, Any]) -> Table:
    pair = start["sentences"][0]
    rows = []
    for place, row in enumerate(pair["cross"][start["layer"]][start["head"]]):
        weights = [int(thousandths) / 1000 for thousandths in row.split()]
        most = weights.index(max(weights))
        following = [*pair["target"], "</s>"][place + 1]
        rows.append([pair["target"][place], following, pair["source"][most], _number(weights[most], 3)])
    caption = f"“{pair['german']}”: where head {start['head']} of layer {start['layer']} looks in each step."
    return Table(caption, ["reads", "is to predict", "looks most at", "weight"], rows)


@cache
def _merges() -> list[list[str]]:
    """Merges learned from every fiftieth line of the dictionary; a string has one character for each byte."""
    from solutions.data import jargon
    from solutions.tokens import train_bpe

    text = "".join(jargon().splitlines(keepends=True)[::50])
    return [[part.decode("latin-1") for part in pair] for pair in train_bpe(text, 200)]


def _merges_start() -> dict[str, Any]:
    return {"text": "the hacker rereads the manual", "known": 200, "step": 0, "merges": _merges()}


def _merges_still(start: dict[str, Any]) -> Table:
    from solutions.tokens import bpe_decode, bpe_encode

    merges = [(left.encode("latin-1"), right.encode("latin-1")) for left, right in start["merges"]]
    rows = []
    for known in (0, 10, 50, len(merges)):
        ids = bpe_encode(start["text"], merges[:known])
        tokens = [bpe_decode([index], merges).replace(" ", "·") for index in ids]
        rows.append([str(known), str(len(ids)), " | ".join(tokens)])
    caption = f"“{start['text']}”, cut with the first merges that were learned; a dot is a space."
    return Table(caption, ["merges", "tokens", "the text"], rows)


def _forward_start() -> dict[str, Any]:
    return {"text": "hacker: A pe", "step": 0, "head": 0, "row": 11}


def _forward_still(start: dict[str, Any]) -> Table:
    import torch
    from trained import course_ids, small_model

    model, characters = small_model()
    rows: list[list[str]] = []

    def note(name: str, values: torch.Tensor) -> None:
        (length, *others), first = values.shape, values[-1, :3].tolist()
        rows.append([name, f"({', '.join(map(str, (length, *others)))})", ", ".join(_number(one, 3) for one in first)])

    parts = {"token vectors": model.token_embedding} | {f"block {i}": block for i, block in enumerate(model.blocks)}
    for name, part in (parts | {"last norm": model.norm, "logits": model.to_logits}).items():
        part.register_forward_hook(lambda _, __, output, name=name: note(name, output[0]))
    with torch.no_grad():
        logits, _ = model(course_ids(start["text"], characters)[None])
    note("probabilities", logits[0].softmax(-1))
    best = characters[int(logits[0, -1].argmax())]
    caption = f"“{start['text']}” on its way through the model, which expects “{best}” next."
    return Table(caption, ["result of", "shape", "first numbers of the last position"], rows)


def _decoding_start() -> dict[str, Any]:
    """The two writers of the chapter and their source "abc", as a table of what may follow each beginning."""
    letters, end = "abc", ">"
    table: dict[str, dict[str, float]] = {"": {"H": 0.6, "C": 0.4}}
    for order in permutations(letters):
        for length in range(len(letters)):
            left = [letter for letter in letters if letter not in order[:length]]
            table["H" + "".join(order[:length])] = {letter: 1 / len(left) for letter in left}
        table["H" + "".join(order)] = {end: 1.0}
    careful = "C" + letters[::-1] + end
    table |= {careful[:length]: {careful[length]: 1.0} for length in range(1, len(careful))}
    return {
        "rule": "sampling",
        "model": "writers",
        "text": "hacker: A per",
        "path": "",
        "temperature": 1,
        "k": 12,
        "p": 1,
        "beams": 2,
        "depth": 5,
        "penalty": 0.6,
        "writers": {"tokens": [*"HC", *letters, end], "end": end, "table": table},
    }


def _decoding_still(start: dict[str, Any]) -> Table:
    import torch

    from solutions import EOS
    from solutions.decoding import TableModel, beam_search

    writers = start["writers"]
    ids = {token: EOS if token == writers["end"] else 4 + i for i, token in enumerate(writers["tokens"])}
    names = {index: token for token, index in ids.items()}

    def likely(source: Any, written: tuple[int, ...]) -> dict[int, float]:
        row = writers["table"].get("".join(names.get(index, "?") for index in written), {})
        # Of equally likely tokens the first, as in the picture of the chapter; the search alone leaves that open.
        return {ids[token]: share * (1 - 1e-5 * i) for i, (token, share) in enumerate(row.items())}

    rows = []
    src, mask = torch.tensor([[4]]), torch.ones(1, 1, 1, 1, dtype=torch.bool)
    for size in (1, 2, 4):
        (found,) = beam_search(TableModel(likely), src, mask, 1 + start["depth"], size)
        path = [*found, EOS]
        probability = math.prod(likely((), tuple(path[:i]))[token] for i, token in enumerate(path))
        rows.append([str(size), "".join(names[index] for index in found), _number(probability, 2)])
    caption = "What beam search finds in the tree of the two writers."
    return Table(caption, ["beam size", "output", "its probability"], rows)


PLAYGROUNDS = {
    "merges": Playground(
        "Tokeniser at work", ["solutions/tokens.py", "solutions/data/__init__.py"], _merges_start, _merges_still
    ),
    "forward": Playground(
        "A forward pass, step by step",
        ["book/experiments/heads_model.json", "solutions/ladder.py"],
        _forward_start,
        _forward_still,
    ),
    "decoding": Playground("Sampling and beam search", ["solutions/decoding.py"], _decoding_start, _decoding_still),
    "attention": Playground("Attention playground", ["solutions/attention.py"], _attention_start, _attention_still),
    "masks": Playground("Mask builder", ["solutions/masks.py"], _masks_start, _masks_still),
    "heads": Playground("Head viewer", ["book/experiments/heads_model.json"], _heads_start, _heads_still),
    "positions": Playground("Position explorer", ["solutions/embeddings.py"], _positions_start, _positions_still),
    "schedule": Playground("Warm-up schedule", ["solutions/optim.py"], _schedule_start, _schedule_still),
    "smoothing": Playground("Label smoothing", ["solutions/losses.py"], _smoothing_start, _smoothing_still),
    "bleu": Playground("BLEU calculator", ["solutions/bleu.py"], _bleu_start, _bleu_still),
    "alignment": Playground(
        "Translation viewer", ["book/experiments/alignment.json"], _alignment_start, _alignment_still
    ),
    "gpt2-memory": Playground("Memory map", ["solutions/gpt2_c.py"], _memory_start, _memory_still),
}


# --- the directive -------------------------------------------------------------------------------------------


class PlaygroundNode(nodes.General, nodes.Element):
    """A figure; ``name`` says which, and its children are its still version."""


class PlaygroundDirective(SphinxDirective):
    """An interactive figure, with its still version."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in PLAYGROUNDS:
            raise self.error(f"There is no playground {name!r}, but {', '.join(PLAYGROUNDS)}.")
        self.assert_has_content()
        playground = PLAYGROUNDS[name]
        for file in playground.uses:
            self.env.note_dependency(str(ROOT / file))
        start = playground.start()
        node = PlaygroundNode("", name=name, start=json.dumps(start, ensure_ascii=False))
        node += nodes.paragraph("", playground.title, classes=["playground-title"], ids=[f"playground-{name}-title"])
        self.state.nested_parse(self.content, self.content_offset, node)
        note = "Here the figure stands still. In the web pages of the book it can be played with (it needs JavaScript)."
        still = nodes.container(classes=["playground-still"])
        still += [*_table(playground.still(start)), nodes.paragraph("", note, classes=["playground-note"])]
        node += still
        return [node]


def _table(table: Table) -> list[nodes.Node]:
    """A table of docutils, so that every kind of output knows how to set it, and its caption before it."""
    group = nodes.tgroup(cols=len(table.head))
    group += [nodes.colspec(colwidth=max(1, *map(len, column))) for column in zip(table.head, *table.rows)]
    group += [nodes.thead("", _row(table.head)), nodes.tbody("", *map(_row, table.rows))]
    return [nodes.paragraph("", table.caption), nodes.table("", group, classes=["colwidths-auto"])]


def _row(cells: Sequence[str]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in cells))


def _lives(builder: Any) -> bool:
    """Whether what is built is a web page; an EPUB is HTML too, but its readers run no scripts."""
    return builder.format == "html" and builder.name != "epub"


def visit_html(translator: Any, node: PlaygroundNode) -> None:
    name = node["name"]
    data = f' data-playground="{name}" aria-labelledby="playground-{name}-title"' if _lives(translator.builder) else ""
    translator.body.append(f'<figure class="playground" id="playground-{name}"{data}>\n')


def depart_html(translator: Any, node: PlaygroundNode) -> None:
    if _lives(translator.builder):
        start = node["start"].replace("<", "\\u003c")  # so that no text in it can end the script
        translator.body.append(f'<script type="application/json">{start}</script>\n')
    translator.body.append("</figure>\n")


def pass_by(translator: Any, node: PlaygroundNode) -> None:
    """In other kinds of output a figure is shown as its content alone, the still version."""


def add_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Sphinx event ``html-page-context``: scripts and styles for the pages that have figures, and for no others."""
    if doctree is None or not _lives(app.builder):
        return
    names = sorted({node["name"] for node in doctree.findall(PlaygroundNode)})
    for name in names:
        app.add_js_file(f"{FOLDER}/{name}.page.js", loading_method="defer")
    if names:
        app.add_css_file("playgrounds.css")


def write_scripts(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``: the figures as scripts, and the weights of the model that runs in the page."""
    if exception is not None or not _lives(app.builder):
        return
    target = Path(app.outdir) / "_static" / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    for name in PLAYGROUNDS:
        (target / f"{name}.page.js").write_text(as_script(name), encoding="utf-8")
    model = json.dumps(json.loads(MODEL.read_text(encoding="utf-8"))["results"], separators=(",", ":"))
    (target / f"{MODEL.stem}.js").write_text(f"globalThis.headsModel = {model};\n", encoding="utf-8")


def as_script(name: str) -> str:
    """The module of a figure and those that it imports as a plain script; names of the outer ones stay in reach."""
    script = ""
    for module in reversed(modules_of(name)):
        text = re.sub(r"^export ", "", IMPORT.sub("", _module(module)), flags=re.M)
        script = f"{{\n{text}\n{script}}}\n"
    return f'"use strict";\n{script}'


def modules_of(name: str) -> list[str]:
    """A module after all those that it imports, each once."""
    needed = [module for other in IMPORT.findall(_module(name)) for module in modules_of(other)]
    return [*dict.fromkeys(needed), name]


def _module(name: str) -> str:
    return (SCRIPTS / f"{name}.js").read_text(encoding="utf-8")


def setup(app: Sphinx) -> None:
    html, other = (visit_html, depart_html), (pass_by, pass_by)
    app.add_node(PlaygroundNode, html=html, epub=html, latex=other, text=other, man=other, texinfo=other)
    app.add_directive("playground", PlaygroundDirective)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_scripts)
