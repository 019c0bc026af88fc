// What the interactive figures share: building elements, controls, matrices, colours, charts. No figure needs more.
//
// A figure's module exports its arithmetic as plain functions, and ends with mount(NAME, build). The page holds a
// still version of the figure, and where the controls start as JSON; build(app, start) fills the living one. What a
// reader can set goes through remembered(app, defaults), so that a link can lead to it.

// --- numbers -------------------------------------------------------------------------------------------------

/** A number with so many decimals and a true minus sign; never "-0.00". */
export function fixed(value, digits = 2) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A whole number in groups of three: 124,475,904. */
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

export const range = (length) => Array.from({ length }, (_, index) => index);

/** Between two long steps of a script: a reader's click or scrolling need not wait for both. */
export const pause = () => new Promise((resolve) => setTimeout(resolve));

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]; // a forward pass spends its time here
  return sum;
}

/** Softmax of a row; where `allowed` is given, over the allowed places alone, and all zeros if there are none. */
export function softmax(scores, allowed = scores.map(() => true)) {
  const largest = Math.max(...scores.filter((_, index) => allowed[index]));
  const exponentials = scores.map((score, index) => (allowed[index] ? Math.exp(score - largest) : 0));
  const sum = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((value) => (sum > 0 ? value / sum : 0));
}

// --- colours: those of book/figures.py -------------------------------------------------------------------------

export const BLUE = "#0072B2",
  ORANGE = "#E69F00",
  GREEN = "#009E73",
  VERMILLION = "#D55E00";
export const PURPLE = "#CC79A7",
  SKY = "#56B4E9";
const WEIGHTS = ["#FFFFFF", "#9CCBE6", BLUE, "#00324F"].map(channels);
const SIGNED = [VERMILLION, "#FFFFFF", BLUE].map(channels);

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function between(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const left = Math.min(Math.floor(place), stops.length - 2);
  return stops[left].map((value, i) => Math.round(value + (stops[left + 1][i] - value) * (place - left)));
}

/** Red, green and blue of a weight from 0 (white) to 1 (dark blue). */
export const weightColour = (weight) => between(WEIGHTS, weight);

/** Red, green and blue of a value from -limit (vermillion) over 0 (white) to limit (blue). */
export const signedColour = (value, limit) => between(SIGNED, (value / limit + 1) / 2);

function luminance(rgb) {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever is easier to read on a colour. */
export const ink = (rgb) => ((luminance(rgb) + 0.05) ** 2 > 0.0525 ? "#000" : "#fff");

/** Give an element a background, and text that can be read on it; null takes both away. */
export function paint(element, rgb) {
  element.style.backgroundColor = rgb ? `rgb(${rgb.join(" ")})` : "";
  element.style.color = rgb ? ink(rgb) : "";
  element.classList.toggle("pg-painted", Boolean(rgb));
}

// --- elements --------------------------------------------------------------------------------------------------

/** An element: attributes (functions are listeners, false and null are left out), then children. */
export function el(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** An id that no other part has, of this figure or another: each brings its own copy of this code. */
const nextId = () => `playground-part-${(globalThis.playgroundParts = (globalThis.playgroundParts ?? 0) + 1)}`;

/** Controls side by side, wrapping. */
export const controls = (...children) => el("div", { class: "pg-controls" }, ...children);

/** A slider with its value beside it. `show` turns its number into text. `set` moves it without an event. */
export function slider({ label, min, max, step = 1, value, show = String, onInput }) {
  const id = nextId();
  const input = el("input", { type: "range", id, min, max, step });
  const output = el("output", { for: id });
  const refresh = () => {
    output.textContent = show(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  const set = (number) => {
    input.value = number;
    refresh();
  };
  set(value);
  input.addEventListener("input", () => {
    refresh();
    onInput(Number(input.value));
  });
  return { element: el("div", { class: "pg-slider" }, el("label", { for: id }, label), input, output), input, set };
}

/** A field for a text, below a label that says how long it may be. `onInput` gets the text. */
export function textField({ label, longest, value, onInput }) {
  const id = nextId();
  const input = el("input", {
    type: "text",
    class: "pg-text",
    maxlength: longest,
    value,
    id,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    input: () => onInput(input.value),
  });
  return el("div", { class: "pg-field" }, el("label", { for: id }, `${label}, up to ${longest} characters`), input);
}

/** One of several: native radio buttons. `options` maps values to what is shown. */
export function choice({ legend, options, value, onChange }) {
  const name = nextId();
  const inputs = {};
  const labels = Object.entries(options).map(([key, text]) => {
    inputs[key] = el("input", { type: "radio", name, value: key, checked: key === value, change: () => onChange(key) });
    return el("label", {}, inputs[key], el("span", {}, text));
  });
  const element = el("fieldset", { class: "pg-choice" }, el("legend", {}, legend), el("div", {}, ...labels));
  const set = (key) => {
    inputs[key].checked = true;
  };
  return { element, set };
}

/** Yes or no. */
export function checkbox({ label, checked = false, onChange }) {
  const input = el("input", { type: "checkbox", checked, change: () => onChange(input.checked) });
  return { element: el("label", { class: "pg-check" }, input, " ", label), input };
}

export function button(label, onClick, attributes = {}) {
  return el("button", { type: "button", class: "pg-button", click: onClick, ...attributes }, label);
}

/** A field for a number that can be typed, stepped with the arrow keys, or dragged sideways. */
export function numberCell({ label, value, step = 0.1, min = -9.9, max = 9.9, digits = 2, onInput }) {
  const input = el("input", { type: "number", class: "pg-cell", "aria-label": label, step, min, max });
  const set = (number) => {
    input.value = String(Number(number.toFixed(digits)));
  };
  const change = (number) => onInput(Math.min(Math.max(number, min), max));
  set(value);
  input.addEventListener("input", () => {
    if (input.value !== "" && Number.isFinite(input.valueAsNumber)) change(input.valueAsNumber);
  });
  input.addEventListener("change", () => {
    const number = Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : 0;
    set(Math.min(Math.max(number, min), max));
    change(number);
  });
  dragged(input, {
    start: () => Number(input.value) || 0,
    move: (start, dx) => {
      const number = Math.min(Math.max(start + Math.round(dx / 6) * step, min), max);
      set(number);
      change(number);
    },
  });
  return { element: input, set };
}

/** Sideways drags with mouse, finger or pen; a mere click stays a click, and a finger still scrolls up and down. */
function dragged(element, { start, move }) {
  let from = null;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = { x: event.clientX, value: start(), moving: false };
    element.setPointerCapture(event.pointerId); // a quick mouse leaves the field before its first move is reported
  });
  element.addEventListener("pointermove", (event) => {
    if (!from) return;
    const dx = event.clientX - from.x;
    if (!from.moving && Math.abs(dx) < 5) return;
    from.moving = true;
    event.preventDefault();
    move(from.value, dx);
  });
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (from = null));
}

/** A table of cells with names of rows and columns. `cell(i, j)` gives what stands there (a node or text). */
export function matrix({ name, caption, rows, columns, cell, corner = "", narrow = false }) {
  const cells = rows.map((_, i) => columns.map((_, j) => el("td", {}, cell(i, j))));
  const heads = columns.map((name) => el("th", { scope: "col" }, name));
  const rowHeads = rows.map((name) => el("th", { scope: "row" }, name));
  const element = el(
    "table",
    { class: `pg-matrix${narrow ? " pg-narrow" : ""}`, "data-name": name },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, el("td", { class: "pg-corner" }, corner), ...heads)),
    el("tbody", {}, ...cells.map((row, i) => el("tr", {}, rowHeads[i], ...row))),
  );
  return { element, cells, heads, rowHeads };
}

/** Let arrow keys, Home and End move among cells; the whole grid is one stop of the tab key. */
export function roving(grid) {
  const focus = (i, j) => {
    for (const one of grid.flat()) one.tabIndex = -1;
    grid[i][j].tabIndex = 0;
    grid[i][j].focus();
  };
  grid.forEach((row, i) =>
    row.forEach((cell, j) => {
      cell.tabIndex = i + j === 0 ? 0 : -1;
      cell.addEventListener("keydown", (event) => {
        const last = row.length - 1;
        const to = {
          ArrowUp: [Math.max(i - 1, 0), j],
          ArrowDown: [Math.min(i + 1, grid.length - 1), j],
          ArrowLeft: [i, Math.max(j - 1, 0)],
          ArrowRight: [i, Math.min(j + 1, last)],
          Home: [i, 0],
          End: [i, last],
        }[event.key];
        if (!to) return;
        event.preventDefault();
        focus(...to);
      });
    }),
  );
}

/** A sentence about what is shown, read out by screen readers once changes pause. */
export function sentence() {
  const element = el("p", { class: "pg-sentence", "aria-live": "polite" });
  let waiting = 0;
  const say = (text) => {
    clearTimeout(waiting);
    if (!element.textContent) element.textContent = text;
    else waiting = setTimeout(() => (element.textContent = text), 150);
  };
  return { element, say };
}

// --- charts ----------------------------------------------------------------------------------------------------

/** A box that draws itself with draw(width) at its own width, now and whenever that changes; `redraw` does it again. */
export function drawing(draw, attributes = {}) {
  const element = el("div", { class: "pg-drawing", ...attributes });
  let width = 0;
  const redraw = () => {
    if (width > 0) element.replaceChildren(draw(width));
  };
  new ResizeObserver(() => {
    const now = Math.floor(element.clientWidth);
    if (now === width) return;
    width = now;
    redraw();
  }).observe(element);
  return { element, redraw };
}

/** Round numbers from low to high, about `count` of them. */
export function ticks(low, high, count = 5) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  return range(Math.floor(high / step + 1e-9) - first + 1).map((k) => (first + k) * step);
}

/**
 * A line chart as SVG.
 *
 * `series`: [{ points: [[x, y], ...], colour, dash, label, steps }]; `marks`: [{ x, y, colour }], `x` and `y`:
 * { low, high, label, ticks, show, log }. Returns the drawing, with `place(clientX)`, the x under a pointer.
 */
export function lineChart({ width, height = 240, label, x, y, series, marks = [] }) {
  const values = y.ticks ?? ticks(y.low, y.high, 4);
  const showY = y.show ?? String;
  const left = 34 + 8 * Math.max(...values.map((value) => showY(value).length)),
    right = 24,
    top = 12,
    bottom = 46;
  const scale = (axis, from, to) => {
    const of = axis.log ? Math.log : (value) => value;
    const low = of(axis.low),
      high = of(axis.high);
    return (value) => from + ((of(value) - low) / (high - low)) * (to - from);
  };
  const toX = scale(x, left, width - right),
    toY = scale(y, height - bottom, top);
  const drawn = svg("svg", {
    class: "pg-chart",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": label,
  });
  for (const value of values) {
    const at = toY(value);
    drawn.append(svg("line", { class: "pg-rule", x1: left, x2: width - right, y1: at, y2: at }));
    drawn.append(svg("text", { x: left - 7, y: at + 4, "text-anchor": "end" }, showY(value)));
  }
  for (const value of x.ticks ?? ticks(x.low, x.high, width < 450 ? 4 : 8)) {
    const at = toX(value);
    drawn.append(svg("line", { class: "pg-rule", x1: at, x2: at, y1: height - bottom, y2: height - bottom + 5 }));
    drawn.append(svg("text", { x: at, y: height - bottom + 19, "text-anchor": "middle" }, (x.show ?? String)(value)));
  }
  drawn.append(
    svg("line", { class: "pg-axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
  );
  drawn.append(svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, x.label));
  const turn = `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`;
  drawn.append(svg("text", { transform: turn, "text-anchor": "middle" }, y.label));
  for (const { points, colour, dash } of series) {
    const path = points.map(([px, py]) => `${toX(px).toFixed(2)} ${toY(py).toFixed(2)}`).join("L");
    drawn.append(svg("path", { class: "pg-line", d: `M${path}`, stroke: colour, "stroke-dasharray": dash }));
  }
  for (const { x: mx, y: my, colour, line } of marks) {
    if (line)
      drawn.append(
        svg("line", { class: "pg-mark", x1: toX(mx), x2: toX(mx), y1: top, y2: height - bottom, stroke: colour }),
      );
    if (my != null) drawn.append(svg("circle", { cx: toX(mx), cy: toY(my), r: 6, fill: colour, class: "pg-dot" }));
  }
  drawn.place = (clientX) => {
    const box = drawn.getBoundingClientRect();
    const share = Math.min(Math.max((clientX - box.left - left) / (width - left - right), 0), 1);
    return x.log ? x.low * (x.high / x.low) ** share : x.low + share * (x.high - x.low);
  };
  return drawn;
}

/** What the lines of a chart are: [{ colour, dash, label }]. */
export function legend(series) {
  return el(
    "ul",
    { class: "pg-legend" },
    ...series.map(({ colour, dash, label }) => {
      const line = svg("line", {
        x1: 1,
        x2: 27,
        y1: 6,
        y2: 6,
        stroke: colour,
        "stroke-width": 3,
        "stroke-dasharray": dash,
      });
      return el("li", {}, svg("svg", { width: 28, height: 12, "aria-hidden": "true" }, line), " ", label);
    }),
  );
}

/** Report where in an element a pointer goes down and drags, as onMove(event). */
export function pointed(element, onMove) {
  let down = false;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    down = true;
    element.setPointerCapture(event.pointerId);
    onMove(event);
  });
  element.addEventListener("pointermove", (event) => down && onMove(event));
  for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (down = false));
}

// --- the state in the address --------------------------------------------------------------------------------------

/**
 * What a reader can set in a figure, so that a link leads to it: the page's address holds what differs from `defaults`,
 * as `?NAME.key=value`. Returns the `state` to begin with, and `keep(changes)`, to be called whenever it has changed.
 *
 * Values are texts, numbers, yes or no, or lists and objects of those. An address may hold anything: what is of another
 * kind than the default, or what the test in `allowed` under its key refuses, is ignored.
 */
export function remembered(app, defaults, allowed = {}) {
  const name = app.parentElement.dataset.playground;
  const state = structuredClone(defaults);
  if (app.dataset.afresh === undefined) Object.assign(state, addressed(name, defaults, allowed));
  const link = el("a", { class: "pg-link" }, "Link to this state");
  app.link = link;
  let waiting = 0;
  const keep = (changes = {}) => {
    Object.assign(state, changes);
    const query = new URLSearchParams(location.search);
    for (const key of Object.keys(defaults)) {
      const [value, usual] = [state, defaults].map((values) => written(values[key]));
      if (value === usual) query.delete(`${name}.${key}`);
      else query.set(`${name}.${key}`, value);
    }
    const address = `${location.pathname}${query.size ? `?${query}` : ""}`;
    link.href = `${address}#${app.parentElement.id}`;
    clearTimeout(waiting);
    if (query.toString() === new URLSearchParams(location.search).toString()) return;
    waiting = setTimeout(() => {
      try {
        history.replaceState(null, "", link.href);
      } catch {
        // A page that was opened as a file may not change its address; the link works there too.
      }
    }, 250);
  };
  return { state, keep };
}

const written = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function addressed(name, defaults, allowed) {
  const query = new URLSearchParams(location.search);
  const found = {};
  for (const [key, usual] of Object.entries(defaults)) {
    const text = query.get(`${name}.${key}`);
    if (text === null) continue;
    try {
      const value = typeof usual === "string" ? text : JSON.parse(text);
      const alike = typeof value === typeof usual && Array.isArray(value) === Array.isArray(usual) && value !== null;
      if (alike && (allowed[key]?.(value) ?? true)) found[key] = value;
    } catch {
      // Not what this figure has written: the default stays.
    }
  }
  return found;
}

/** Tests of what an address holds: one of a list, a whole number below a limit, a number within bounds. */
export const oneOf = (values) => (value) => values.includes(value);
export const below = (limit) => (value) => Number.isInteger(value) && value >= 0 && value < limit;
export const from = (low, high) => (value) => value >= low && value <= high;

/** A number within bounds; anything else is the nearest bound. */
export const within = (low, high, value) => Math.min(Math.max(Number(value) || 0, low), high);

// --- putting a figure into the page ------------------------------------------------------------------------------

/**
 * Build every figure of this name in the page. Where the state in the address is none that the figure can show, it
 * starts afresh. A figure that cannot be built leaves its still version in place.
 */
export function mount(name, build) {
  for (const figure of document.querySelectorAll(`.playground[data-playground="${name}"]`)) {
    const start = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    const attempt = async (afresh) => {
      const app = el("div", { class: "pg-app", "data-afresh": afresh });
      figure.append(app);
      try {
        await build(app, start);
      } catch (error) {
        app.remove();
        if (afresh || !location.search.includes(`${name}.`)) throw error;
        return attempt(true);
      }
      if (app.link) app.append(app.link);
      figure.classList.add("pg-ready");
    };
    attempt(false).catch((error) => console.error(`The figure "${name}" stays still:`, error));
  }
}
