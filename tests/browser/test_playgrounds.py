"""The interactive figures, in a real browser: move a control, and compare what is shown with the course's own code."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import torch
from bs4 import BeautifulSoup
from trained import course_ids, small_model
from visiting import HTML, PAGES, ROOT, visit

from solutions import EOS, PAD
from solutions.attention import scaled_dot_product_attention, softmax
from solutions.bleu import brevity_penalty, closest_reference_length, corpus_bleu, modified_precision
from solutions.decoding import TableModel, beam_search, sample_next
from solutions.embeddings import sinusoidal_positions
from solutions.gpt2_c import GPT2, Config, build, count_parameters, kinds, write_checkpoint
from solutions.losses import LabelSmoothing, smooth_labels
from solutions.masks import causal_mask, decoder_mask, masked_softmax, padding_mask
from solutions.optim import noam_lr
from solutions.tokens import bpe_decode, bpe_encode, train_bpe
from solutions.translation import read_alignment

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from playgrounds import PLAYGROUNDS

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
USE = re.compile(r"^`{3,}\{playground\} (\S+)", re.MULTILINE)
FIGURES = {page: set(USE.findall((ROOT / f"{page}.md").read_text(encoding="utf-8"))) for page in PAGES}
# The chapter of each figure; the front page, where scripts come at once, shows one of them again.
PLACES = {name: page for page in PAGES if page != "book/index" for name in FIGURES[page]}


def html(page: str) -> str:
    return (HTML / f"{page}.html").read_text(encoding="utf-8")


class Figure:
    """An interactive figure in an open page."""

    def __init__(self, page: Any, name: str) -> None:
        self.page = page
        self.within = page.locator(f"#playground-{name}")
        self.app, self.still = self.within.locator(".pg-app"), self.within.locator(".playground-still")
        self.within.scroll_into_view_if_needed()
        page.wait_for_selector(f"#playground-{name}.pg-ready")
        self.start = PLAYGROUNDS[name].start()

    def control(self, label: str) -> Any:
        return self.app.get_by_label(label, exact=True)

    def numbers(self, table: str) -> list[list[float]]:
        """The numbers in a matrix: of its fields, or of its cells, where a cross stands for 0."""
        return self.app.locator(f"[data-name='{table}'] tbody").evaluate(
            """body => [...body.rows].map(row => [...row.querySelectorAll('td')].map(cell =>
                Number(cell.querySelector('input')?.value ?? cell.textContent.replace('×', '0').replace('−', '-'))))"""
        )

    def shown(self, name: str, part: str = "dd") -> float:
        """The number in a named place."""
        text = self.app.locator(f"[data-name='{name}'] {part}".strip()).inner_text()
        return number(text)

    def says(self, text: str) -> None:
        """Wait for a text in the sentence about what is shown, which comes a moment later than the numbers."""
        self.app.locator(".pg-sentence", has_text=text).wait_for()

    def keys(self, control: Any, *keys: str) -> None:
        control.focus()
        for key in keys:
            self.page.keyboard.press(key)


def middle(element: Any) -> tuple[float, float]:
    """Where the middle of an element is on the screen."""
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def number(text: str) -> float:
    factor, _, power = text.replace("−", "-").replace(",", "").partition(" × 10")
    return float(f"{factor.split()[0]}e{power.translate(RAISED) or 0}")


@contextmanager
def playing(browser: Any, address: str, name: str, **options: Any) -> Iterator[Figure]:
    """Open the page of a figure. In the end it must fit a small phone, print its still version, and show no errors."""
    with visit(
        browser, address, PLACES[name], formulas=False, has_touch=True, reduced_motion="reduce", **options
    ) as seen:
        figure = Figure(seen.page, name)
        assert figure.app.is_visible()
        assert not figure.still.is_visible()
        assert "?" not in figure.app.locator(".pg-link").get_attribute("href"), "nobody has changed anything"
        yield figure
        follow_the_link(figure, address)
        assert not figure.app.evaluate(TOO_SMALL, {"text": 11, "target": 0})
        seen.page.set_viewport_size({"width": 360, "height": 700})
        assert seen.page.evaluate("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)") <= 360
        assert not figure.app.evaluate(TOO_SMALL, {"text": 11, "target": 44})
        assert figure.app.evaluate(DURATIONS) == [0], "it moves, although the reader asked for less of that"
        seen.page.emulate_media(media="print")
        assert figure.still.is_visible()
        assert not figure.app.is_visible()
        assert not seen.console
        assert not seen.refused
        assert not seen.failed


# Elements with text smaller than so many pixels, and controls lower than so many. Cells of tables are no controls here.
TOO_SMALL = """(app, least) => [...app.querySelectorAll('*')].filter(e => e.getClientRects().length).filter(e => {
    const text = [...e.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const target = e.matches('.pg-button, .pg-choice span, .pg-check, .pg-slider input, .pg-text, .pg-node, select');
    return text && parseFloat(getComputedStyle(e).fontSize) < least.text
        || target && e.getBoundingClientRect().height < least.target - 0.5;
}).map(e => `${e.className} ${e.textContent} ${getComputedStyle(e).fontSize} ${e.getBoundingClientRect().height}`)"""
# How long things take to move, in seconds, each duration once.
DURATIONS = """app => [...new Set([...app.querySelectorAll('*')].map(e => getComputedStyle(e)).flatMap(style =>
    [...style.transitionDuration.split(','), ...style.animationDuration.split(',')].map(parseFloat)))].sort()"""
# All that a reader sees and can set, except for the sentence that comes later.
STATE = """name => {
    const app = document.querySelector(`#playground-${name}.pg-ready .pg-app`);
    return app && JSON.stringify([
        ...[...app.querySelectorAll('input, select, textarea')].map(e => e.matches('[type=radio], [type=checkbox]')
            ? e.checked : e.value),
        ...[...app.querySelectorAll('[aria-pressed]')].map(e => e.ariaPressed),
        app.innerText.replace(app.querySelector('.pg-sentence').innerText, '')]);
}"""


def follow_the_link(figure: Figure, address: str) -> None:
    """The figure's link leads to what is shown, and the page's own address does so too."""
    name = figure.within.get_attribute("data-playground")
    shown = figure.page.evaluate(STATE, name)
    link = figure.app.locator(".pg-link").get_attribute("href")
    assert f"?{name}." in link
    figure.page.wait_for_url(lambda url: url == f"{address}{link}")
    other = figure.page.context.new_page()
    other.set_viewport_size(figure.page.viewport_size)
    other.goto(f"{address}{link}", wait_until="commit")
    other.wait_for_function(f"([name, shown]) => ({STATE})(name) === shown", arg=[name, shown])
    other.close()


def together(figure: Figure, *parts: str) -> bool:
    """Whether these parts of a figure are on a phone's screen at once, below the bar at its top."""
    figure.page.set_viewport_size({"width": 360, "height": 740})
    found = [figure.app.locator(part).first for part in parts]
    for part in found:  # what depends on the width is drawn again
        part.wait_for()
    boxes = [part.bounding_box() for part in found]
    low = max(box["y"] + box["height"] for box in boxes)
    return low - min(box["y"] for box in boxes) <= 740 - 64


def barriers(figure: Figure) -> list[str]:
    """What axe-core finds in a figure, in the light and in the dark, colours included."""
    figure.page.evaluate(AXE)
    found = []
    for scheme in ("dark", "light"):
        figure.page.emulate_media(color_scheme=scheme)
        figure.page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
        violations = figure.within.evaluate("async figure => (await axe.run(figure, { preload: false })).violations")
        found += [f"{scheme}: {one['id']}: {one['nodes'][0]['html'][:200]}" for one in violations]
    return found


def close(shown: Any, expected: Any, digits: int = 2) -> bool:
    """Equal as far as so many decimals show."""
    left, right = (torch.as_tensor(values, dtype=torch.float64) for values in (shown, expected))
    return left.shape == right.shape and bool((left - right).abs().max() <= 0.5 * 10**-digits + 1e-6)


# --- every figure ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLACES)
def test_a_figure_has_a_still_version(site, name: str) -> None:
    figure = BeautifulSoup(
        html(PLACES[name]).partition(f'id="playground-{name}"')[2].partition("</figure>")[0], "html.parser"
    )
    assert figure.select(".playground-still table tbody tr")
    assert figure.select(".playground-still .playground-note")
    assert json.loads(figure.select_one("script").get_text()) == json.loads(json.dumps(PLAYGROUNDS[name].start()))


def test_without_scripts_a_figure_is_what_can_stand_still(site, browser: Any, address: str) -> None:
    with visit(browser, address, PLACES["schedule"], formulas=False, java_script_enabled=False) as seen:
        assert seen.page.locator("#playground-schedule .playground-still table").is_visible()
        assert seen.page.locator(".pg-app").count() == 0


def test_scripts_come_only_to_pages_with_figures(site) -> None:
    for page in PAGES:
        scripts = set(re.findall(r'<script[^>]*src="[^"]*playgrounds/([\w-]+)\.page\.js', html(page)))
        assert scripts == FIGURES[page]


def test_every_figure_has_its_place() -> None:
    assert PLACES.keys() == PLAYGROUNDS.keys()


def test_the_palette_is_that_of_the_other_figures() -> None:
    drawn = (ROOT / "book" / "figures.py").read_text(encoding="utf-8")
    script = (ROOT / "book" / "static" / "playgrounds" / "common.js").read_text(encoding="utf-8")
    colours = set(re.findall(r"#[0-9A-F]{6}\b", script))
    assert colours
    assert colours <= set(re.findall(r"#[0-9A-F]{6}\b", drawn))


# --- the arithmetic behind them, on random input -----------------------------------------------------------------


@pytest.fixture(scope="module")
def call(site, browser: Any, address: str) -> Iterator[Any]:
    """Call an exported function of a figure's module."""
    with visit(browser, address, "book/glossary", formulas=False) as seen:

        def run(module: str, function: str, *arguments: Any) -> Any:
            script = "async ([url, name, given]) => (await import(url))[name](...given)"
            return seen.page.evaluate(script, [f"{address}/_static/playgrounds/{module}.js", function, arguments])

        yield run


def random(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("seed", range(3))
def test_attention_in_the_page_is_that_of_the_course(call: Any, seed: int) -> None:
    q, k, v = random(3, 5, 4, seed=seed)
    scores = call("attention", "scoresOf", q.tolist(), k.tolist(), True)
    for mask in (None, causal_mask(5)):
        allowed = call("attention", "allowedBy", "causal" if mask is not None else "none", 5, 5)
        weights = call("attention", "weightsOf", scores, allowed, 1)
        output, expected = scaled_dot_product_attention(q, k, v, mask)
        assert close(weights, expected, 12)
        assert close(call("attention", "outputOf", weights, v.tolist()), output, 12)
    assert close(call("common", "softmax", [1000, 999.5, -1000]), softmax(torch.tensor([1000, 999.5, -1000])), 6)


@pytest.mark.parametrize("seed", range(3))
def test_masks_in_the_page_are_those_of_the_course(call: Any, seed: int) -> None:
    padded = random(7, seed=seed) > 0
    ids = torch.where(padded, PAD, PAD + 1)[None]
    mask = call("masks", "maskOf", padded.tolist(), {"padding": True, "causal": True})
    assert mask == decoder_mask(ids)[0, 0].tolist()
    only = call("masks", "maskOf", padded.tolist(), {"padding": True, "causal": False})
    assert only == padding_mask(ids)[0, 0].expand(7, 7).tolist()
    scores = random(7, 7, seed=seed + 10)
    assert close(call("masks", "maskedSoftmax", scores.tolist(), mask), masked_softmax(scores, torch.tensor(mask)), 12)


@pytest.mark.parametrize("width", [1, 2, 7, 32])
def test_positions_in_the_page_are_those_of_the_course(call: Any, width: int) -> None:
    assert close(call("positions", "table", 40, width), sinusoidal_positions(40, width), 4)


def test_rates_in_the_page_are_those_of_the_course(call: Any) -> None:
    for step, width, warmup, factor in [(0, 512, 4000, 1), (1, 64, 1, 2), (4000, 512, 4000, 1), (9999, 300, 77, 0.5)]:
        rate = call("schedule", "noamLr", step, width, warmup, factor)
        assert math.isclose(rate, noam_lr(step, width, warmup, factor), rel_tol=1e-12)


@pytest.mark.parametrize(("size", "target", "epsilon"), [(3, 1, 0), (5, 4, 0.1), (9, 2, 0.85), (4, 3, 1)])
def test_targets_and_losses_in_the_page_are_those_of_the_course(
    call: Any, size: int, target: int, epsilon: float
) -> None:
    label = torch.tensor([target])
    assert close(call("smoothing", "targetsOf", "all", size, target, epsilon), smooth_labels(label, size, epsilon)[0])
    criterion = LabelSmoothing(size, 0, epsilon)
    prediction = call("smoothing", "predictionOf", "others", size, target, 0.7)
    loss = criterion(torch.tensor(prediction, dtype=torch.float64).log()[None], label)
    targets = call("smoothing", "targetsOf", "others", size, target, epsilon)
    assert close(targets, criterion.true_dist[0], 12)
    assert close(call("smoothing", "divergence", targets, prediction), loss, 12)


SENTENCES = [
    "",
    "the",
    "the the the the",
    "the cat sat on the mat",
    "a cat sat on a mat today",
    "on the mat the cat sat",
]


@pytest.mark.parametrize("candidate", SENTENCES)
def test_bleu_in_the_page_is_that_of_the_course(call: Any, candidate: str) -> None:
    tokens = candidate.split()
    for references in ([SENTENCES[3]], [SENTENCES[4], SENTENCES[1]], SENTENCES[2:]):
        split = [reference.split() for reference in references]
        for longest in (1, 4):
            for smooth in (None, "add-k"):
                found = call("bleu", "bleu", tokens, split, longest, smooth is not None)
                assert math.isclose(found["score"], corpus_bleu([tokens], [split], longest, smooth), abs_tol=1e-9)
                assert found["r"] == closest_reference_length(tokens, split)
                assert math.isclose(found["penalty"], brevity_penalty(len(tokens), found["r"]))
        for n in (1, 2, 3):
            assert call("bleu", "modifiedPrecision", tokens, split, n) == list(modified_precision(tokens, split, n))
            assert sum(call("bleu", "counted", tokens, split, n)) == modified_precision(tokens, split, n)[0]


TEXTS = ["", " ", "aaaa aaa", "She doesn't know  3 words.\nNo?", "naïve 😀 \x85\ufeff  x", "abcabc bcdx"]


@pytest.mark.parametrize("seed", range(3))
def test_tokens_in_the_page_are_those_of_the_course(call: Any, seed: int) -> None:
    written = [(b"b", b"c"), (b"a", b"b"), (b"bc", b"d"), (b"ab", b"c"), (b"a", b"bc"), (b"a", b"a")]
    learned = train_bpe(" ".join(TEXTS) * 2, 12)
    # In the last, a merge may come before those that it needs.
    merges = [written, learned, list(dict.fromkeys(learned[::-1] + written))][seed]
    pairs = [[part.decode("latin-1") for part in pair] for pair in merges]
    for text in [*TEXTS, "abcd " * 3]:
        steps = call("merges", "stepsOf", text, pairs)
        assert "".join(map("".join, steps[0]["pieces"])) == text.encode().decode("latin-1")
        assert call("merges", "idsOf", steps[-1]["pieces"], pairs) == bpe_encode(text, merges)


def drawn_from(logits: torch.Tensor, *filters: Any) -> torch.Tensor:
    """The probabilities (V,) that `sample_next` draws from."""
    seen: list[torch.Tensor] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            torch, "multinomial", lambda p, *_, **__: seen.append(p[0]) or torch.zeros(1, 1, dtype=torch.long)
        )
        sample_next(logits[None], *filters)
    return seen[0] / seen[0].sum()


@pytest.mark.parametrize("seed", range(3))
def test_sampling_in_the_page_is_that_of_the_course(call: Any, seed: int) -> None:
    logits = 2 * random(9, seed=seed)
    for filters in [
        (1.0, None, None),
        (0.3, None, None),
        (2.5, 4, None),
        (1.0, None, 0.6),
        (1.7, 5, 0.7),
        (1.0, 99, 1),
    ]:
        shown = call("decoding", "filtered", logits.tolist(), *filters)
        assert close(shown, drawn_from(logits, *filters), 5)
    assert call("decoding", "filtered", logits.tolist(), 0)[sample_next(logits[None], 0).item()] == 1


@pytest.mark.parametrize("seed", range(4))
def test_beam_search_in_the_page_is_that_of_the_course(call: Any, seed: int) -> None:
    size, depth, tokens = 1 + seed, 5, [">", *"abcd"]
    table: dict[str, dict[str, float]] = {}

    def grow(path: str) -> None:
        if len(path) == depth:
            return
        table[path] = dict(zip(tokens, random(5, seed=31 * seed + len(table)).softmax(0).tolist()))
        for token in tokens[1:]:
            grow(path + token)

    grow("")
    ids = [EOS, 4, 5, 6, 7]

    def likely(_: Any, path: tuple[int, ...]) -> dict[int, float]:
        return dict(zip(ids, table["".join(tokens[ids.index(one)] for one in path)].values()))

    src, mask = torch.tensor([[4]]), torch.ones(1, 1, 1, 1, dtype=torch.bool)
    for penalty in (0, 0.6, 2):
        writers = {"tokens": tokens, "end": ">", "table": table}
        best = call("decoding", "searchTable", writers, depth, size, penalty)["best"]
        (expected,) = beam_search(TableModel(likely, 8), src, mask, 1 + depth, size, penalty)
        assert [ids[token] for token in best["ids"] if token] == expected


def test_places_in_memory_are_those_of_the_course(call: Any) -> None:
    sizes = {"maxT": 6, "L": 3, "NH": 2, "C": 4, "Vp": 11}
    config = Config(max_seq_len=6, vocab_size=11, num_layers=3, num_heads=2, channels=4)
    model = GPT2(config)
    numbers = iter(range(count_parameters(config)))
    with torch.no_grad():  # every parameter is the number of its place in a checkpoint
        for _, tensors in kinds(model):
            for tensor in tensors:
                tensor.copy_(torch.tensor([next(numbers) for _ in range(tensor.numel())]).view_as(tensor))
    placed = call("gpt2-memory", "placed", call("gpt2-memory", "parametersOf", sizes))
    assert [tensor["name"] for tensor in placed] == [name for name, _ in kinds(model)]
    assert placed[-1]["at"] + placed[-1]["floats"] == count_parameters(config)
    for tensor, (_, layers) in zip(placed, kinds(model)):
        assert [size for _, size in tensor["axes"]] == list(layers[0].shape)
        last = len(layers) - 1
        for indices in ([0] * layers[0].dim(), [size - 1 for size in layers[0].shape], [1] * layers[0].dim()):
            place = tensor["at"] + call("gpt2-memory", "offsetOf", tensor, last, indices)
            assert place == layers[last][tuple(indices)].item()
            found = call("gpt2-memory", "locate", placed, place)
            assert (found["tensor"]["name"], found["layer"], found["indices"]) == (tensor["name"], last, indices)


# --- moving the controls -------------------------------------------------------------------------------------------


def test_attention_playground(site, browser: Any, address: str) -> None:
    with playing(browser, address, "attention") as figure:
        example = figure.start["examples"]["the river bank"]
        q, k, v = (torch.tensor(example[key], dtype=torch.float64) for key in "qkv")

        def agrees(scores: torch.Tensor, mask: torch.Tensor | None = None) -> bool:
            # Scores over 1 with d_k = 1 are themselves: the course's function sees them as products with unit keys.
            weights = masked_softmax(scores, mask if mask is not None else torch.ones(3, 3).bool())
            shown = torch.tensor(figure.numbers("weights"))
            return (
                close(shown[:, :3], weights)
                and close(figure.numbers("output"), weights @ v)
                and close(shown[:, 3], torch.ones(3))
            )

        assert agrees(q @ k.T / math.sqrt(2))
        figure.keys(figure.control("query of bank, water"), "ArrowUp", "ArrowUp", "ArrowUp")
        q[2, 0] += 0.3
        scores = q @ k.T / math.sqrt(2)
        assert close(figure.numbers("scores"), scores)
        assert agrees(scores)
        figure.keys(figure.control("divide by √dₖ"), "Space")
        assert agrees(q @ k.T)
        figure.keys(figure.control("none"), "ArrowRight")
        assert agrees(q @ k.T, causal_mask(3))
        figure.keys(figure.control("Temperature τ"), "End")
        assert agrees(q @ k.T / 10, causal_mask(3))

        # A score dragged by 60 pixels moves by 10 steps of 0.1 and stays when its query changes.
        figure.app.get_by_role("button", name="Start again").click()
        q[2, 0] -= 0.3
        x, y = middle(figure.control("score of query bank with key the"))
        figure.page.mouse.move(x, y)
        figure.page.mouse.down()
        figure.page.mouse.move(x + 30, y)
        figure.page.mouse.move(x + 60, y)
        figure.page.mouse.up()
        scores = q @ k.T / math.sqrt(2)
        scores[2, 0] = 1.0
        assert agrees(scores)
        figure.control("query of bank, finance").fill("-2")
        q[2, 1] = -2
        scores[2, 1:] = (q @ k.T / math.sqrt(2))[2, 1:]
        assert agrees(scores)
        figure.app.get_by_role("button", name="Compute all scores again").click()
        assert agrees(q @ k.T / math.sqrt(2))
        figure.keys(figure.control("score of query bank with key river"))
        figure.says("The query of “bank” gives most weight")

        # The same with a finger.
        x, y = middle(figure.control("score of query river with key the"))
        session = figure.page.context.new_cdp_session(figure.page)
        for kind, places in [
            ("touchStart", [0]),
            *(("touchMove", [far]) for far in (15, 30, 45, 60)),
            ("touchEnd", []),
        ]:
            points = [{"x": x + far, "y": y} for far in places]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        figure.page.wait_for_function("() => document.querySelector('.pg-pinned')")
        scores = torch.tensor(figure.numbers("scores"), dtype=torch.float64)
        assert 0.5 < scores[1, 0] <= 1


def test_mask_builder(site, browser: Any, address: str) -> None:
    with playing(browser, address, "masks") as figure:
        scores = torch.tensor(figure.start["scores"], dtype=torch.float64)
        padded = list(figure.start["padded"])
        cells = figure.app.locator(".pg-flip")

        def agrees(mask: torch.Tensor) -> bool:
            shown = [text == "✓" for text in cells.all_inner_texts()]
            return shown == mask.flatten().tolist() and close(figure.numbers("weights"), masked_softmax(scores, mask))

        def decoder() -> torch.Tensor:
            return decoder_mask(torch.tensor([[PAD if yes else PAD + 1 for yes in padded]]))[0, 0]

        assert agrees(decoder())
        figure.keys(figure.control("position 1, birds: padding"), "Enter")
        padded[1] = True
        assert agrees(decoder())
        assert "[[False, True, False, False, True, True]]" in figure.app.inner_text()
        figure.app.get_by_role("button", name="Padding on the left").click()
        padded = [True, True, False, False, False, False]
        assert agrees(decoder())
        figure.says("queries 0, 1: the weights there are all 0")
        # The arrow keys go from the entry (0, 0) to (1, 2), and space flips it.
        figure.keys(cells.first, "ArrowDown", "ArrowRight", "ArrowRight", "Space")
        mask = decoder()
        mask[1, 2] = True
        assert agrees(mask)
        assert "1 entry flipped by hand" in figure.app.inner_text()
        cells.nth(5 * 6 + 5).tap()
        mask[5, 5] = False
        assert agrees(mask)
        # A drag of the mouse along a row makes every entry what it made the first.
        first, *others = [middle(cells.nth(3 * 6 + j)) for j in (0, 1, 4)]
        figure.page.mouse.move(*first)
        figure.page.mouse.down()
        for place in others:
            figure.page.mouse.move(*place, steps=8)
        figure.page.mouse.up()
        mask[3, :5] = True
        assert agrees(mask)
        figure.keys(figure.control("causal mask: nothing after the query"), "Space")
        assert agrees(padding_mask(torch.tensor([[PAD if yes else PAD + 1 for yes in padded]]))[0, 0].expand(6, 6))


@pytest.fixture(scope="module")
def experiment() -> Any:
    """The scripts that trained the model of the head viewer and that look at heads."""
    folder = ROOT / "book" / "experiments"
    sys.path.insert(0, str(folder))
    try:
        import record  # noqa: F401  (puts the book's folders on the path)

        modules = []
        for name in ("heads_model", "heads"):
            spec = importlib.util.spec_from_file_location(f"experiment_{name}", folder / f"{name}.py")
            modules.append(importlib.util.module_from_spec(spec))
            spec.loader.exec_module(modules[-1])
        return modules
    finally:
        sys.path.remove(str(folder))


def test_head_viewer(site, browser: Any, address: str, experiment: Any) -> None:
    script, heads = experiment
    recorded = json.loads((ROOT / "book" / "experiments" / "heads_model.json").read_text(encoding="utf-8"))["results"]
    characters = list(recorded["characters"])

    def expected(text: str, layer: int, head: int, silent: tuple = ()) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights of a head, and the probabilities of what follows the last character."""
        model = script.unpack(characters, script.SIZES, recorded["weights"])
        for place in silent:
            heads.silence(heads.attention_layers(model)[place[0]], place[1])
        ids = torch.tensor([[characters.index(character) for character in text]])
        with torch.no_grad():
            probabilities = model(ids)[0][0, -1].softmax(-1)
        return heads.attention_maps(heads.layer_inputs(model, ids)[layer])[head][0], probabilities

    with playing(browser, address, "heads") as figure:

        def agrees(text: str, layer: int, head: int, query: int, silent: tuple = ()) -> bool:
            weights, probabilities = expected(text[: query + 1], layer, head, silent)
            titles = figure.app.locator(".pg-letter").evaluate_all("letters => letters.map(one => one.title)")
            shown = [float(title.split()[1]) for title in titles if title.startswith("weight")]
            table = figure.app.locator(".pg-next tbody").evaluate(
                "body => [...body.rows].map(r => r.innerText.split('\\t'))"
            )
            best = torch.tensor([number(row[1]) for row in table])
            names = {"␣": " ", "⏎": "\n"}
            of_names = torch.stack(
                [probabilities[characters.index(names.get(row[0].strip(), row[0].strip()))] for row in table]
            )
            return (
                close(shown, weights[query], 3)
                and close(best, probabilities.topk(5).values, 3)
                and close(best, of_names, 3)
            )

        sample = recorded["sample"]
        assert agrees(sample, 0, 0, len(sample) - 1)
        figure.control("Text, up to 32 characters").fill("A query looks at keys")
        assert agrees("A query looks at keys", 0, 0, 20)
        figure.keys(figure.control("layer 0, head 0"), "ArrowDown", "ArrowRight", "ArrowRight", "Enter")
        assert agrees("A query looks at keys", 1, 2, 20)
        figure.keys(figure.control("Looking from position"), "ArrowLeft", "ArrowLeft")
        assert agrees("A query looks at keys", 1, 2, 18)
        whole, _ = expected("A query looks at keys", 1, 2)
        facts = figure.app.locator(".pg-facts").inner_text()
        assert close(number(facts.partition("mean distance ")[2]), heads_distance(whole))
        figure.keys(figure.control("silence this head"), "Space")
        assert agrees("A query looks at keys", 1, 2, 18, silent=((1, 2),))
        figure.control("Text, up to 32 characters").fill("naïve ½")
        assert "Left out, because the model never saw them: ï ½" in figure.app.inner_text()


def test_tokeniser(site, browser: Any, address: str) -> None:
    with playing(browser, address, "merges") as figure:
        merges = [tuple(part.encode("latin-1") for part in pair) for pair in figure.start["merges"]]
        ids = figure.app.locator("[data-name='ids']")

        def agrees(text: str, known: int) -> bool:
            """Whether the last step shows the course's tokens: their ids, and the boxes that can be read."""
            figure.keys(figure.control("Step"), "End")
            expected = bpe_encode(text, merges[:known])
            boxes = figure.app.locator(".pg-byte").evaluate_all(
                "all => all.map(e => (e.matches('.pg-first') ? '|' : '') + e.textContent)"
            )
            readable = [bpe_decode([one], merges).replace(" ", "·") for one in expected]
            return ids.inner_text() == " ".join(map(str, expected)) and "".join(boxes) == "|" + "|".join(readable)

        text = figure.start["text"]
        assert ids.inner_text() == " ".join(map(str, text.encode()))
        steps = 0
        following = figure.app.get_by_role("button", name="Next merge")
        while following.is_enabled():
            before = len(ids.inner_text().split())
            figure.keys(following, "Enter")
            assert len(ids.inner_text().split()) < before
            steps += 1
        assert ids.inner_text() == " ".join(map(str, bpe_encode(text, merges)))
        figure.says(f"Step {steps} of {steps}: merge")
        figure.control("Text, up to 60 characters").fill("naïve hackers hack the hackable")
        assert "C3" in figure.app.locator(".pg-bytes").inner_text().upper()
        figure.keys(figure.control("Merges known"), *["ArrowLeft"] * 9)
        figure.control("Text, up to 60 characters").fill("the hackers hack the hackable")
        assert agrees("the hackers hack the hackable", 110)
        figure.app.get_by_role("button", name="Play").click()
        figure.says("Step 1 of")
        figure.app.get_by_role("button", name="Pause").click()
        assert together(figure, ".pg-text", ".pg-bytes", ".pg-controls", ".pg-ids")
        assert not barriers(figure)


def test_forward_pass(site, browser: Any, address: str) -> None:
    model, characters = small_model()

    def results(text: str) -> dict[str, torch.Tensor]:
        """What the modules of the course's model return, by the name of the step that shows it."""
        found: dict[str, torch.Tensor] = {}

        def note(name: str, module: Any, before: bool = False) -> Any:
            if before:
                return module.register_forward_pre_hook(lambda _, inputs: found.update({name: inputs[0][0]}))
            return module.register_forward_hook(lambda _, __, output: found.update({name: output[0]}))

        hooks = [note("token vectors", model.token_embedding), note("positions, added", model.blocks[0], True)]
        for i, block in enumerate(model.blocks):
            attention, network = block.sublayers
            hooks += [
                note(f"block {i}: norm", block.norms[0]),
                note(f"block {i}: heads joined", attention.proj, True),
                note(f"block {i}: projection, added", block.norms[1], True),
                note(f"block {i}: norm again", block.norms[1]),
                note(f"block {i}: hidden layer", network[2], True),
                note(f"block {i}: feed-forward, added", block),
            ]
            for h, head in enumerate(attention.heads):
                hooks += [note(f"block {i}: queries {h}", head.query), note(f"block {i}: keys {h}", head.key)]
                hooks += [note(f"block {i}: values {h}", head.value), note(f"block {i}: found {h}", head)]
        hooks += [note("last norm", model.norm), note("logits", model.to_logits)]
        with torch.no_grad():
            model(course_ids(text, characters)[None])
        for hook in hooks:
            hook.remove()
        for name in [name for name in found if "queries" in name]:
            q, k = found[name], found[name.replace("queries", "keys")]
            scores = q @ k.T / math.sqrt(q.shape[-1])
            found[name.replace("queries", "scores")] = scores
            found[name.replace("queries", "weights")] = masked_softmax(scores, causal_mask(len(q)))
        return found | {"probabilities": found["logits"].softmax(-1)}

    with playing(browser, address, "forward") as figure:
        title = figure.app.locator(".pg-step strong")

        def agrees(expected: dict[str, torch.Tensor], row: int, head: int) -> bool:
            name = title.inner_text().removeprefix("input: ").removeprefix("output: ")
            values = expected.get(name, expected.get(f"{name} {head}"))
            shape = [*([4] if name not in expected else []), *values.shape]
            numbers = [number(one) for one in figure.app.locator("[data-name='row']").inner_text().split()]
            shown = figure.app.locator("[data-name='shape']").inner_text()
            return shown == f"({', '.join(map(str, shape))})" and close(numbers, values[row, :6], 3)

        text, row = figure.start["text"], figure.start["row"]
        expected = results(text)
        assert figure.app.locator("[data-name='row']").inner_text() == str(characters.index(text[-1]))
        following, seen = figure.app.get_by_role("button", name="Next step"), 0
        figure.app.get_by_role("button", name="block 2").click()
        while following.is_enabled():
            assert agrees(expected, row, 0), title.inner_text()
            following.click()
            seen += 1
        assert seen == 14
        assert agrees(expected, row, 0)
        best = figure.app.locator(".pg-next tbody tr").first.inner_text().split()
        assert best[0] == characters[expected["probabilities"][row].argmax()]
        figure.control("Text, up to 16 characters").fill("A bug½")
        assert "the model never saw them: ½" in figure.app.inner_text()
        figure.app.get_by_role("button", name="block 1").click()
        figure.keys(figure.control("Step"), *["ArrowRight"] * 5)
        figure.control("2").check()
        figure.keys(figure.control("Position"), "ArrowLeft")
        assert agrees(results("A bug"), 3, 2)
        cells = figure.app.locator(".pg-cells")
        box = cells.bounding_box()
        cells.click(position={"x": box["width"] / 2, "y": box["height"] * 1.5 / 5})
        assert agrees(results("A bug"), 1, 2)
        assert together(figure, ".pg-way", ".pg-cells", ".pg-values")
        assert not barriers(figure)


def test_trees_of_decoding(site, browser: Any, address: str) -> None:
    model, characters = small_model()
    with playing(browser, address, "decoding") as figure:
        written = figure.app.locator("[data-name='written']")

        def nodes() -> dict[str, str]:
            """What the tree says of its nodes."""
            labels = figure.app.locator(".pg-node").evaluate_all("all => all.map(one => one.ariaLabel)")
            return dict(re.match("(.*?)[:,] (.*)", label).groups() for label in labels if re.search("[:,] ", label))

        def press(label: str) -> None:
            figure.app.get_by_label(label).press("Enter")

        def expects(text: str) -> torch.Tensor:
            with torch.no_grad():
                return model(course_ids(text[-32:], characters)[None])[0][0, -1].double()

        # The two writers: a token is taken by hand, and one by chance.
        assert nodes() == {"H after “”": "probability 0.60", "C after “”": "probability 0.40"}
        press("H after “”")
        assert nodes()["b after “H”"] == "probability 0.33"
        figure.page.evaluate("Math.random = () => 0.999")
        figure.app.get_by_role("button", name="Draw a token").click()
        assert written.inner_text() == "Hc"
        press("C after “”")
        assert written.inner_text() == "C"
        figure.app.get_by_role("button", name="Start again").click()
        figure.keys(figure.control("Temperature τ"), *["ArrowRight"] * 10)
        weights = torch.tensor([0.6, 0.4], dtype=torch.float64).log()
        assert nodes()["H after “”"] == f"probability {drawn_from(weights, 2.0)[0]:.2f}"

        # The trained model, with filters.
        figure.control("trained model").check()
        figure.control("Beginning, up to 24 characters").fill("A hack")
        figure.keys(figure.control("Top-k"), "Home", "ArrowRight", "ArrowRight")
        figure.keys(figure.control("Top-p"), *["ArrowLeft"] * 6)
        expected = drawn_from(expects("A hack"), 2.0, 3, 0.7)
        shown = nodes()
        for token in expects("A hack").topk(5).indices.tolist():
            share = f"probability {expected[token]:.2f}" if expected[token] else "left out by the filters"
            assert shown[f"{characters[token].replace(' ', '␣')} after “A␣hack”"] == share
        figure.app.get_by_role("button", name="Draw a token").click()
        assert expected[characters.index(written.inner_text()[-1].replace("␣", " "))] > 0
        assert together(figure, "[data-name='written']", ".pg-tree", ".pg-slider:visible")

        # Beams, in both models.
        class Writer:
            def encode(self, src: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
                return src[..., None].double()

            def decode(self, memory: Any, mask: Any, tgt: torch.Tensor, tgt_mask: Any) -> torch.Tensor:
                start = course_ids("A hack", characters).expand(len(tgt), -1)
                return model(torch.cat([start, tgt[:, 1:]], dim=1))[0].log_softmax(-1)

            def generator(self, hidden: torch.Tensor) -> torch.Tensor:
                return hidden

        figure.control("beam search").check()
        src, mask = torch.tensor([[0]]), torch.ones(1, 1, 1, 1, dtype=torch.bool)
        for size in (2, 3):
            (ids,) = beam_search(Writer(), src, mask, 6, size, 0.6, eos_id=characters.index("\n"))
            assert written.inner_text().replace("␣", " ") == "A hack" + "".join(characters[one] for one in ids)
            total = sum(
                expects("A hack" + "".join(characters[one] for one in ids[:i])).log_softmax(-1)[one]
                for i, one in enumerate(ids)
            )
            assert close(figure.shown("sum", ""), total)
            figure.keys(figure.control("Beam size"), "ArrowRight")
        figure.control("two writers").check()
        assert written.inner_text() == "Ccba>"
        figure.keys(figure.control("Beam size"), "Home")
        assert written.inner_text() == "Habc>"
        figure.says("greedy decoding")
        assert together(figure, "[data-name='written']", ".pg-tree", ".pg-slider:visible")
        assert not barriers(figure)


def heads_distance(weights: torch.Tensor) -> torch.Tensor:
    place = torch.arange(len(weights))
    return (weights * (place[:, None] - place).clamp(min=0)).sum(-1).mean()


def test_translation_viewer(site, browser: Any, address: str) -> None:
    with playing(browser, address, "alignment") as figure:
        pairs, heads = figure.start["sentences"], figure.start["heads"]

        def agrees(pair: dict, kind: str, layer: int, head: int, query: int) -> bool:
            stored = [[[int(number) for number in row.split()] for row in maps] for maps in pair[kind][layer]]
            weights = torch.tensor(stored, dtype=torch.float64) / 1000
            row = weights[head] if head < heads else weights.mean(0)
            titles = figure.app.locator("span.pg-token").evaluate_all("tokens => tokens.map(one => one.title)")
            shown = [float(title.split()[1]) if title.startswith("weight") else 0.0 for title in titles]
            names = pair["target" if kind == "decoder" else "source"]
            most = names[read_alignment(row)[query]]
            figure.says(f"looks most at “{most}”")
            return close(shown, row[query], 3)

        layer, head, query = (figure.start[name] for name in ("layer", "head", "query"))
        assert agrees(pairs[0], "cross", layer, head, query)
        figure.keys(figure.app.locator("button.pg-token").nth(query), "ArrowRight", "Enter")
        assert agrees(pairs[0], "cross", layer, head, query + 1)
        figure.keys(figure.control(f"layer {layer}, head {head}"), "Home", "Enter")
        assert agrees(pairs[0], "cross", layer, 0, query + 1)
        figure.keys(figure.control(f"layer {layer}, head 0"), "End", "ArrowUp", "Enter")
        assert agrees(pairs[0], "cross", layer - 1, heads, query + 1)
        figure.control(pairs[1]["german"]).check()
        assert agrees(pairs[1], "cross", layer - 1, heads, query + 1)
        for kind in ("encoder", "decoder"):
            figure.control(kind).check()
            assert agrees(pairs[1], kind, layer - 1, heads, query + 1)


def test_a_figure_that_cannot_load_stays_still(site, browser: Any, address: str) -> None:
    with visit(browser, address, PLACES["heads"], formulas=False) as seen:
        seen.page.context.route("**/heads_model.js", lambda route: route.fulfill(status=404))
        figure = seen.page.locator("#playground-heads")
        figure.scroll_into_view_if_needed()
        seen.page.wait_for_function("!document.querySelector('#playground-heads .pg-app')")
        assert figure.locator(".playground-still table").is_visible()


WRONG = ["-7", "x", "[99]", "null", '{"a":1}', "1e99", "true"]


@pytest.mark.parametrize("name", PLACES)
def test_a_figure_lives_in_a_page_that_was_opened_as_a_file(site, browser: Any, name: str) -> None:
    """It lives whatever the page's address asks for. What moves in the figure moves for a fifth of a second."""
    keys = PLAYGROUNDS[name].start()
    query = urlencode({f"{name}.{key}": WRONG[i % len(WRONG)] for i, key in enumerate(keys)})
    with visit(browser, site.as_uri(), PLACES[name], formulas=False, query=f"?{query}") as seen:
        figure = seen.page.locator(f"#playground-{name}")
        figure.scroll_into_view_if_needed()
        figure.locator(".pg-app").first.wait_for()
        seen.page.wait_for_function(f"document.querySelector('#playground-{name}').classList.contains('pg-ready')")
        assert set(figure.locator(".pg-app").first.evaluate(DURATIONS)) <= {0, 0.2}
        assert not seen.console


def test_position_explorer(site, browser: Any, address: str) -> None:
    with playing(browser, address, "positions") as figure:
        width, p, c, other = (figure.start[key] for key in ("width", "position", "column", "other"))

        def agrees() -> bool:
            table = sinusoidal_positions(64, width).double()
            wave = 2 * math.pi * 10000 ** ((c - c % 2) / width)
            return (
                close(figure.shown("entry"), table[p, c], 4)
                and close(figure.shown("product"), table[p] @ table[other], 4)
                and close(figure.shown("wavelength"), wave, 1)
            )

        assert agrees()
        figure.keys(figure.control("Column c"), "ArrowRight")
        figure.keys(figure.control("Position p"), "ArrowRight", "ArrowRight")
        figure.keys(figure.control("Other position"), "End")
        c, p, other = c + 1, p + 2, 63
        assert agrees()
        figure.keys(figure.control("Width d"), "ArrowLeft")
        width -= 1
        assert agrees()
        box = figure.app.locator("canvas").bounding_box()
        figure.page.mouse.click(box["x"] + box["width"] * 20.5 / 31, box["y"] + box["height"] * 40.5 / 64)
        p, c = 40, 20
        assert agrees()
        figure.keys(figure.control("Width d"), "Home")
        width, c = 2, 1
        assert agrees()


def test_schedule(site, browser: Any, address: str) -> None:
    with playing(browser, address, "schedule") as figure:
        step, width, warmup, factor = 1000, 512, 4000, 1.0

        def agrees() -> bool:
            rate, peak = noam_lr(step, width, warmup, factor), noam_lr(warmup, width, warmup, factor)
            return (
                math.isclose(figure.shown("rate"), rate, rel_tol=6e-4)
                and math.isclose(figure.shown("peak"), peak, rel_tol=6e-4)
                and close(figure.shown("share"), 100 * rate / peak, 1)
            )

        assert agrees()
        figure.keys(figure.control("Width d"), "ArrowRight")
        figure.keys(figure.control("Warm-up w"), "ArrowLeft")
        figure.keys(figure.control("Factor"), "ArrowRight", "ArrowRight")
        figure.keys(figure.control("Step k"), "ArrowRight")
        step, width, warmup, factor = 1001, 768, 2000, 1.2
        assert agrees()
        figure.keys(figure.app.get_by_role("button", name="Keep this curve"), "Enter")
        figure.keys(figure.control("Steps shown"), "Home")
        figure.keys(figure.control("logarithmic axes"), "Space")
        step = 100
        assert agrees()
        assert figure.app.locator(".pg-line").count() == 2
        box = figure.app.locator(".pg-chart").bounding_box()
        figure.page.mouse.click(box["x"] + box["width"] - 1, box["y"] + 80)
        assert agrees()
        figure.keys(figure.control("Step k"), "Home")
        step = 0
        assert agrees()


def test_label_smoothing(site, browser: Any, address: str) -> None:
    with playing(browser, address, "smoothing") as figure:

        def agrees(kind: str, size: int, target: int, epsilon: float, confidence: float) -> bool:
            shown = {
                key: [float(text) for text in figure.app.locator(f"[data-name={key}]").all_inner_texts()]
                for key in "pq"
            }
            label, rest = torch.tensor([target]), 1 - confidence
            if kind == "all":
                q = torch.full((size,), rest / (size - 1), dtype=torch.float64)
                targets = smooth_labels(label, size, epsilon)[0].double()
            else:
                q = torch.full((size,), rest / (size - 2), dtype=torch.float64)
                q[0] = 0
            q[target] = confidence
            if kind == "others":
                criterion = LabelSmoothing(size, 0, epsilon)
                loss = criterion(q.log()[None], label)
                targets = criterion.true_dist[0]
            else:
                loss = (targets * (targets.log() - q.log())).sum()
            entropy = torch.special.entr(targets).sum()
            return (
                close(shown["p"], targets, 3)
                and close(shown["q"], q, 3)
                and close(figure.shown("divergence"), loss, 4)
                and close(figure.shown("entropy"), entropy, 4)
                and close(figure.shown("cross"), loss + entropy, 4)
            )

        assert agrees("all", 6, 2, 0.1, 0.8)
        figure.keys(figure.control("Smoothing ε"), "ArrowRight", "ArrowRight")
        figure.keys(figure.control("Predicted for the target"), "ArrowLeft")
        assert agrees("all", 6, 2, 0.12, 0.795)
        figure.keys(figure.control("over all classes"), "ArrowRight")
        assert agrees("others", 6, 2, 0.12, 0.795)
        figure.keys(figure.app.locator(".pg-class").nth(4), "Enter")
        assert agrees("others", 6, 4, 0.12, 0.795)
        assert figure.page.evaluate("document.activeElement.textContent").startswith("class 4")
        figure.keys(figure.control("Classes V"), "Home")
        assert agrees("others", 3, 2, 0.12, 0.795)
        figure.keys(figure.control("Smoothing ε"), "Home")
        assert agrees("others", 3, 2, 0.0, 0.795)


def test_bleu_calculator(site, browser: Any, address: str) -> None:
    with playing(browser, address, "bleu") as figure:

        def agrees(candidate: str, references: list[str], longest: int = 4, smooth: str | None = None) -> bool:
            tokens, split = candidate.split(), [reference.split() for reference in references]
            rows = figure.app.locator(".pg-parts tbody tr").all_inner_texts()
            extra = [0 if smooth is None or n == 1 else 1 for n in range(1, longest + 1)]
            counts = [modified_precision(tokens, split, n) for n in range(1, longest + 1)]
            wanted = [[clipped + more, total + more] for (clipped, total), more in zip(counts, extra)]
            shown = [[int(part) for part in row.split()[1:3]] for row in rows]
            penalty = brevity_penalty(len(tokens), closest_reference_length(tokens, split))
            score = corpus_bleu([tokens], [split], longest, smooth)
            return (
                shown == wanted
                and close(figure.shown("score", ""), score)
                and close(figure.shown("penalty", ""), penalty, 4)
            )

        candidate, references = figure.start["candidate"], figure.start["references"]
        assert agrees(candidate, references)
        figure.keys(figure.control("Candidate"), "Control+End")
        figure.page.keyboard.type(" again")
        candidate += " again"
        assert agrees(candidate, references)
        figure.control("References, one on each line").fill("the cat sat\na cat sat on a mat")
        references = ["the cat sat", "a cat sat on a mat"]
        assert agrees(candidate, references)
        smoothing = figure.app.get_by_role("group", name="Smoothing")
        figure.keys(smoothing.get_by_label("none"), "ArrowRight")
        assert agrees(candidate, references, smooth="add-k")
        longest = figure.app.get_by_role("group", name="Longest n that counts")
        figure.keys(longest.get_by_label("4"), "ArrowLeft")
        assert agrees(candidate, references, longest=3, smooth="add-k")
        figure.app.get_by_label("clipping").check()
        figure.app.get_by_role("group", name="Show n-grams of length").get_by_label("1").check()
        chip = figure.app.locator(".pg-chip")
        assert [text.split() for text in chip.all_inner_texts()] == [["◐", "the", "2/7"]]
        figure.keys(chip.first, "Enter")
        assert figure.app.locator(".pg-marked").count() == 7 + 2 + 1
        assert figure.page.evaluate("document.activeElement.className").split().count("pg-chip") == 1
        figure.control("Candidate").fill("")
        assert agrees("", ["the cat is on the mat", "there is a cat on the mat"], longest=3, smooth="add-k")


def test_memory_map(site, browser: Any, address: str, tmp_path: Path) -> None:
    with playing(browser, address, "gpt2-memory") as figure, torch.device("meta"):
        model = GPT2(Config(1024, 50257, 12, 12, 768, padded_vocab_size=50304))
        starts = dict(zip((name for name, _ in kinds(model)), accumulate(map(numbers_in, kinds(model)), initial=0)))

        def agrees(name: str, place: int) -> bool:
            at = starts[name] + place
            shown = [figure.shown(key) for key in ("offset", "float", "byte", "file")]
            return shown == [place, at, 4 * at, 1024 + 4 * at]

        assert figure.shown("total", "") == count_parameters(model.config)
        figure.control("Tensor").select_option("params.fcw")
        figure.keys(figure.control("layer (below 12)"), "ArrowUp", "ArrowUp")
        figure.control("output (below 3,072)").fill("7")
        figure.control("input (below 768)").fill("11")
        assert agrees("fcw", (2 * 3072 + 7) * 768 + 11)
        figure.keys(figure.app.locator(".pg-segment").first, *["ArrowRight"] * 4, "Enter")
        assert figure.control("Tensor").input_value() == "params.qkvw"
        assert agrees("qkvw", 0)
        figure.control("or find float").fill(str(count_parameters(model.config) - 2))
        assert figure.control("Tensor").input_value() == "params.lnfb"
        assert agrees("lnfb", 766)

        # A float that is in no tensor of the map changes nothing and says why.
        search, size = figure.control("or find float"), count_parameters(model.config)
        for float_, said in ((size + 5, "belongs to the gradients"), ("2.5", "whole numbers"), (10**12, "from 0 to")):
            search.fill(str(float_))
            figure.says(said)
            assert agrees("lnfb", 766)
        search.press("Tab")
        assert search.input_value() == str(size - 2)

        # The program in C says what it needs for a model of the same sizes.
        figure.keys(figure.control("GPT-2"), "ArrowLeft")
        figure.keys(figure.control("Sequences B"), "ArrowRight", "ArrowRight")
        with torch.device("cpu"):
            write_checkpoint(tmp_path / "small.bin", GPT2(Config(128, 512, 4, 4, 128)))
        command = [build(ROOT / "_build" / "c"), "inspect", tmp_path / "small.bin", "--batch", "6", "--length", "64"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for name in ("parameters", "gradients", "activations", "their gradients"):
            (line,) = [line for line in said.splitlines() if re.fullmatch(rf"{name} +[\d.]+", line)]
            assert figure.shown(name, "") == float(line.split()[-1])


def numbers_in(kind: tuple[str, list[torch.Tensor]]) -> int:
    return sum(tensor.numel() for tensor in kind[1])
