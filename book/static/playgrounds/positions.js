// Positional-encoding explorer: the table of sines and cosines, one of its columns, and how alike two positions are.
import {
  below,
  BLUE,
  controls,
  dot,
  drawing,
  el,
  fixed,
  lineChart,
  mount,
  oneOf,
  ORANGE,
  pointed,
  range,
  remembered,
  sentence,
  signedColour,
  slider,
  VERMILLION,
} from "./common.js";

/** One entry of the table: sine in even columns, cosine in odd ones, of the angle of their pair. */
export function entry(position, column, width) {
  const angle = position / 10000 ** ((column - (column % 2)) / width);
  return column % 2 ? Math.cos(angle) : Math.sin(angle);
}

/** The table: one row for each position. */
export const table = (length, width) => range(length).map((p) => range(width).map((c) => entry(p, c, width)));

/** After how many positions a column repeats. */
export const wavelength = (column, width) => 2 * Math.PI * 10000 ** ((column - (column % 2)) / width);

function build(app, start) {
  const { length, ...usual } = start;
  const { state: kept, keep } = remembered(app, usual, {
    width: oneOf(range(65).slice(2)),
    position: below(length),
    column: below(64),
    other: below(length),
  });
  const state = { ...kept, length };
  const said = sentence();
  let rows;
  const facts = el("dl", { class: "pg-numbers" });

  const map = drawing((width) => {
    const canvas = el("canvas", {
      class: "pg-table",
      role: "img",
      "aria-label": `Table of ${state.length} positions by ${state.width} columns; blue is positive, orange-red negative`,
    });
    const height = 230,
      scale = window.devicePixelRatio || 1;
    Object.assign(canvas, { width: width * scale, height: height * scale });
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const w = width / state.width,
      h = height / state.length;
    rows.forEach((row, p) =>
      row.forEach((value, c) => {
        pen.fillStyle = `rgb(${signedColour(value, 1).join(" ")})`;
        pen.fillRect(c * w, p * h, w + 0.5, h + 0.5);
      }),
    );
    pen.lineWidth = 2;
    pen.strokeStyle = "#000";
    pen.strokeRect(1, state.position * h, width - 2, Math.max(h, 3));
    pen.strokeRect(state.column * w, 1, Math.max(w, 3), height - 2);
    pointed(canvas, (event) => {
      const box = canvas.getBoundingClientRect();
      const share = (value, count) => Math.min(Math.max(Math.floor(value * count), 0), count - 1);
      state.column = share((event.clientX - box.left) / box.width, state.width);
      state.position = share((event.clientY - box.top) / box.height, state.length);
      update();
    });
    return canvas;
  });
  const places = { low: 0, high: state.length - 1 };
  const wave = drawing((width) =>
    lineChart({
      width,
      height: 190,
      label: `Column ${state.column} over the positions`,
      x: { ...places, label: "position" },
      y: { low: -1.1, high: 1.1, label: `column ${state.column}`, ticks: [-1, 0, 1], show: (value) => fixed(value, 0) },
      series: [
        {
          colour: BLUE,
          points: range(10 * (state.length - 1) + 1).map((k) => [k / 10, entry(k / 10, state.column, state.width)]),
        },
      ],
      marks: [{ x: state.position, y: rows[state.position][state.column], colour: VERMILLION }],
    }),
  );
  const alike = drawing((width) => {
    const products = rows.map((row) => dot(row, rows[state.position]));
    const low = Math.min(0, ...products);
    return lineChart({
      width,
      height: 190,
      label: `Dot product of the vector of position ${state.position} with that of every other`,
      x: { ...places, label: "other position" },
      y: { low: low * 1.1, high: Math.max(...products) * 1.1, label: "dot product", show: (value) => fixed(value, 0) },
      series: [{ colour: BLUE, points: products.map((value, p) => [p, value]) }],
      marks: [
        { x: state.position, y: products[state.position], colour: VERMILLION },
        { x: state.other, y: products[state.other], colour: ORANGE },
      ],
    });
  });

  const move = (key) => (value) => {
    state[key] = value;
    update();
  };
  const sliders = {
    width: slider({ label: "Width d", min: 2, max: 64, value: state.width, onInput: move("width") }),
    position: slider({
      label: "Position p",
      min: 0,
      max: state.length - 1,
      value: state.position,
      onInput: move("position"),
    }),
    column: slider({ label: "Column c", min: 0, max: state.width - 1, value: state.column, onInput: move("column") }),
    other: slider({
      label: "Other position",
      min: 0,
      max: state.length - 1,
      value: state.other,
      onInput: move("other"),
    }),
  };

  function update() {
    state.column = Math.min(state.column, state.width - 1);
    rows = table(state.length, state.width);
    sliders.column.input.max = state.width - 1;
    for (const [key, { set }] of Object.entries(sliders)) set(state[key]);
    for (const one of [map, wave, alike]) one.redraw();
    const { position: p, column: c, other, width } = state;
    keep({ position: p, column: c, other, width });
    const value = rows[p][c];
    const wanted = {
      entry: [
        `P[${p}, ${c}] = ${c % 2 ? "cos" : "sin"}(${p} / ${fixed(10000 ** ((c - (c % 2)) / width), 2)})`,
        fixed(value, 4),
      ],
      wavelength: [`column ${c} repeats after`, `${fixed(wavelength(c, width), 1)} positions`],
      product: [`P[${p}] · P[${other}]`, fixed(dot(rows[p], rows[other]), 4)],
    };
    facts.replaceChildren(
      ...Object.entries(wanted).map(([name, [what, number]]) =>
        el("div", { "data-name": name }, el("dt", {}, what), el("dd", {}, number)),
      ),
    );
    said.say(
      `Position ${p}, column ${c}: ${fixed(value, 4)}. Positions ${p} and ${other} are ${Math.abs(p - other)} apart; the dot product of their vectors is ${fixed(dot(rows[p], rows[other]), 4)}, that of a vector with itself ${fixed(dot(rows[p], rows[p]), 2)}.`,
    );
  }

  app.append(
    controls(...Object.values(sliders).map(({ element }) => element)),
    el(
      "p",
      { class: "pg-caption" },
      "The table: a row for each position, a column for each component. Press or drag to choose.",
    ),
    map.element,
    facts,
    el("div", { class: "pg-row pg-charts" }, wave.element, alike.element),
    said.element,
  );
  update();
}

mount("positions", build);
