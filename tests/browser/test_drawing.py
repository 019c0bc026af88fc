"""The map of the course, a drawing of the model: read, used by keyboard, and lit by what was read."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from visiting import ROOT, soup, visit

from autograder.course.registry import BY_NAME, COMPLETE, STAGES, UNITS

sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "book")]
import drawing  # noqa: E402

WIDTHS = (360, 599, 700, 820, 960, 1200, 1440)
# Of what is shown: the smallest text in pixels, texts beyond the edge of the box that they name, and texts that touch.
MEASURE = """() => {
  const shown = (what) => [...document.querySelectorAll(what)].filter((one) => one.checkVisibility());
  const size = (text) => {
    const matrix = text.getScreenCTM();
    return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(matrix.a, matrix.b);
  };
  const inside = (inner, outer) =>
    inner.left >= outer.left && inner.right <= outer.right &&
    inner.top >= outer.top - 3 && inner.bottom <= outer.bottom + 3;
  const texts = shown(".drawing text");
  const parts = (one) => [...one.closest(".unit").querySelectorAll(".part:not(.bar)")];
  const boxes = (one) => parts(one).map((part) => part.getBoundingClientRect());
  const touch = (a, b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom - 3 && b.top + 3 < a.bottom - 3;
  const rects = texts.map((text) => text.getBoundingClientRect());
  return {
    smallest: Math.min(...texts.map(size)),
    outside: texts.filter((text, i) => text.closest(".unit") && !boxes(text).some((box) => inside(rects[i], box)))
      .map((text) => text.textContent),
    touching: texts.filter((_, i) => rects.some((other, j) => i < j && touch(rects[i], other)))
      .map((text) => text.textContent),
  };
}"""
# Contrast of each text with the box behind it, or with the page.
CONTRAST = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const page = getComputedStyle(document.body).backgroundColor;
  const painted = (...colours) => {
    for (const colour of colours) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll(".drawing text")].filter((text) => text.checkVisibility()).map((text) => {
    const part = text.closest(".unit")?.querySelector(".part:not(.bar, .outline, .frame)");
    const ground = part ? getComputedStyle(part).fill : page;
    const [a, b] = [painted(page, ground), painted(page, ground, getComputedStyle(text).fill)].map(luminance);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }).reduce((least, one) => Math.min(least, one), 21);
}"""
# How readers with normal vision, without green and without red cones see linear RGB (Machado et al. 2009, severity 1).
VISIONS = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
AT_ONCE = ".drawing * { transition: none !important }"


@pytest.fixture(scope="module")
def index(site: Path, browser: Any, address: str) -> Iterator[Any]:
    with visit(browser, address, "book/index", formulas=False) as seen:
        seen.page.add_style_tag(content=AT_ONCE)
        yield seen.page
        assert not seen.console


def unit_of(link: Any) -> str:
    return Path(link.get_attribute("href")).stem


def test_every_part_can_be_read_at_every_width(index: Any) -> None:
    for width in WIDTHS:
        index.set_viewport_size({"width": width, "height": 900})
        index.locator(".course-drawing").scroll_into_view_if_needed()
        found = index.evaluate(MEASURE)
        assert found["smallest"] >= 11, width
        assert (found["outside"], found["touching"]) == ([], []), width
        assert index.evaluate("document.documentElement.scrollWidth") <= width


def test_the_keyboard_goes_through_the_units_in_their_order(index: Any) -> None:
    index.set_viewport_size({"width": 1440, "height": 900})
    links = index.locator(".course-drawing a:visible")
    assert [unit_of(link) for link in links.all()] == [unit.name for unit in COMPLETE]
    links.first.focus()
    for unit in COMPLETE:
        label = index.evaluate("document.activeElement.getAttribute('aria-label')")
        assert label.startswith(f"Unit {unit.number}: {unit.title} (")
        index.keyboard.press("Tab")
    links.nth(3).focus()
    index.keyboard.press("Shift+Tab")  # the focus of a keyboard
    drawn = "(link) => getComputedStyle(link.querySelector('.part')).strokeWidth"
    assert links.nth(2).evaluate(drawn) != links.nth(3).evaluate(drawn)


def test_a_part_is_lit_once_its_chapter_was_read(index: Any) -> None:
    index.set_viewport_size({"width": 1440, "height": 900})
    fill = "(n) => getComputedStyle(document.querySelector(`.drawing-wide a[href$='${n}.html'] .part`)).fill"
    before = index.evaluate(fill, "masks")
    index.evaluate("localStorage.setItem('workbook-marks', JSON.stringify({ masks: { read: true } }))")
    index.evaluate("document.dispatchEvent(new Event('progress-changed'))")
    assert index.evaluate(fill, "masks") != before
    assert [unit_of(link) for link in index.locator(".course-drawing a.read:visible").all()] == ["masks"]
    assert index.locator("a.read:visible").get_attribute("aria-label").endswith(", read")
    index.evaluate("localStorage.setItem('workbook-marks', '[7]')")
    index.evaluate("document.dispatchEvent(new Event('progress-changed'))")
    assert index.locator(".course-drawing a.read").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_every_state_and_theme(index: Any, scheme: str) -> None:
    index.set_viewport_size({"width": 1440, "height": 900})
    index.emulate_media(color_scheme=scheme)
    index.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
    for state in ("ready", "read", "before", "now", "later", "planned"):
        index.evaluate(
            "(state) => document.querySelectorAll('.drawing .unit').forEach((unit) =>"
            " unit.setAttribute('class', unit.getAttribute('class').replace(/\\S+$/, state)))",
            state,
        )
        assert index.evaluate(CONTRAST) >= 4.5, state
    index.emulate_media(color_scheme="light")


@pytest.mark.parametrize("name", ["warmup", "blocks"])
def test_a_chapter_shows_what_is_built_and_what_it_adds(site: Path, name: str) -> None:
    here, found = BY_NAME[name], soup(f"book/{name}")
    figure = found.select_one("h1 + figure.chapter-drawing")
    states = {Path(part["href"]).stem: part["class"][-1] for part in figure.select("a.unit")}
    order = {unit.name: (unit.number > here.number) - (unit.number < here.number) for unit in COMPLETE}
    assert states == {unit: ("now", "later", "before")[place] for unit, place in order.items()}
    assert [Path(part["href"]).stem for part in figure.select("[aria-current=page]")] == [name]
    assert here.title in figure.svg["aria-label"]


def test_the_drawings_in_a_chapter_can_be_read(site: Path, browser: Any, address: str) -> None:
    """The small one at the top, and the model with its shapes, which stands in one chapter."""
    with visit(browser, address, "book/transformer", formulas=False) as seen:
        for width in (1440, 600, 360):
            seen.page.set_viewport_size({"width": width, "height": 900})
            seen.page.locator(".model-drawing").scroll_into_view_if_needed()
            found = seen.page.evaluate(MEASURE)
            assert found["smallest"] >= 11, width
            assert (found["outside"], found["touching"]) == ([], []), width
        assert "(B, T_src, d)" in seen.page.locator(".model-drawing text:visible").all_text_contents()
        seen.page.locator(".chapter-drawing a[href='masks.html'] text").first.click()
        assert seen.page.url.endswith("/masks.html")
        assert not seen.console


def test_every_stage_has_a_colour_that_colour_blind_readers_can_tell_apart() -> None:
    sheet = (ROOT / "book" / "static" / "drawing.css").read_text(encoding="utf-8")
    for theme in ("", 'html[data-theme="dark"] '):
        rules = [f"\n{theme}.drawing .stage-{place} {{" for place in range(1, len(STAGES) + 1)]
        assert all(sheet.count(rule) == 1 for rule in rules)
        colours = [sheet.split(rule)[1].split("--hue: ")[1].split(";")[0] for rule in rules]
        for vision, seen_as in VISIONS.items():
            seen = [lab(seen_as @ linear(colour)) for colour in colours]
            nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))
            assert nearest > 12, (theme or "light", vision)  # 2.3 is just noticeable


def linear(colour: str) -> np.ndarray:
    """``"#a63d00"`` -> linear red, green and blue, 0 to 1."""
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """Linear RGB in CIELAB, for the white of D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("layout", [drawing.WIDE, drawing.NARROW, drawing.SMALL], ids=lambda layout: layout.name)
def test_a_unit_that_has_no_place_gets_a_box(layout: drawing.Layout) -> None:
    """Whatever comes into the course is on the map, and what left it is not."""

    class New:
        name, number, title = "quantum", 99, "Quantum attention"

    drawn: dict[str, str] = {}

    def wrap(unit: Any, shapes: str) -> str:
        return drawn.setdefault(unit.name, shapes)

    units = [unit for unit in UNITS if unit.name != "bleu"]
    drawing.draw(layout, [*units, New()], wrap, "A drawing.")
    assert list(drawn) == [*(unit.name for unit in units), "quantum"]
    assert all(f'<tspan class="number">{number}</tspan>' in drawn[name] for name, number in [("quantum", 99)])
    assert all("<rect" in shapes or "<path" in shapes for shapes in drawn.values())
