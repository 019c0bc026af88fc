// Attention playground: queries, keys and values to edit, scores to drag, and the weights that come of it.
import {
  button,
  checkbox,
  choice,
  controls,
  dot,
  el,
  fixed,
  from,
  matrix,
  mount,
  numberCell,
  oneOf,
  paint,
  range,
  remembered,
  sentence,
  signedColour,
  slider,
  softmax,
  weightColour,
} from "./common.js";

/** Scores of every query with every key; a number in `pinned[i][j]` stands in for what would be computed. */
export function scoresOf(q, k, scaled, pinned = []) {
  const divisor = scaled ? Math.sqrt(q[0].length) : 1;
  return q.map((query, i) => k.map((key, j) => pinned[i]?.[j] ?? dot(query, key) / divisor));
}

/** Which keys each query may look at: "none" hides nothing, "causal" the future, "padding" the last key. */
export function allowedBy(mask, queries, keys) {
  const may = { none: () => true, causal: (i, j) => j <= i, padding: (i, j) => j < keys - 1 }[mask];
  return range(queries).map((i) => range(keys).map((j) => may(i, j)));
}

/** Softmax of every row of scores divided by a temperature. */
export function weightsOf(scores, allowed, temperature = 1) {
  return scores.map((row, i) =>
    softmax(
      row.map((score) => score / temperature),
      allowed[i],
    ),
  );
}

/** Weighted averages of the values. */
export const outputOf = (weights, v) =>
  weights.map((row) =>
    v[0].map((_, c) =>
      dot(
        row,
        v.map((value) => value[c]),
      ),
    ),
  );

const MATRICES = ["q", "k", "v"];

/** Of the matrices in an address those that fit the example. */
function usable(kept, example) {
  const fits = (rows, like) =>
    rows.length === like.length &&
    rows.every((row, i) => row?.length === like[i].length && row.every((value) => Math.abs(value) <= 9.9));
  const found = MATRICES.filter((key) => fits(kept[key], example[key])).map((key) => [key, structuredClone(kept[key])]);
  const size = example.tokens.length;
  const score = (value) => value === null || (typeof value === "number" && Math.abs(value) <= 9.9);
  const rows = kept.pinned.every((row) => row === null || (row.length <= size && row.every(score)));
  return { ...Object.fromEntries(found), pinned: rows ? kept.pinned.slice(0, size) : [] };
}

function build(app, start) {
  const names = Object.keys(start.examples);
  const { examples, ...usual } = start;
  const { state: kept, keep } = remembered(app, usual, {
    example: oneOf(names),
    mask: oneOf(["none", "causal", "padding"]),
    temperature: from(0.1, 10),
  });
  const state = { ...kept, row: 0 };
  const tables = el("div", { class: "pg-attention" });
  const said = sentence();
  let update;

  const scaled = checkbox({
    label: "divide by √dₖ",
    checked: state.scaled,
    onChange: (checked) => {
      state.scaled = checked;
      update();
    },
  });
  const mask = choice({
    legend: "Mask",
    options: { none: "none", causal: "causal", padding: "last key is padding" },
    value: state.mask,
    onChange: (value) => {
      state.mask = value;
      update();
    },
  });
  const temperature = slider({
    label: "Temperature τ",
    min: -1,
    max: 1,
    step: 0.05,
    value: Math.log10(state.temperature),
    show: (power) => fixed(10 ** power, 2),
    onInput: (power) => {
      state.temperature = 10 ** power;
      update();
    },
  });
  const example = choice({
    legend: "Example",
    options: Object.fromEntries(names.map((name) => [name, name])),
    value: state.example,
    onChange: load,
  });
  const unpin = button("Compute all scores again", () => {
    state.pinned = [];
    update();
  });

  /** Show an example, with what a reader changed in it. */
  function load(name, changes = {}) {
    const { tokens, features, q, k, v } = examples[name];
    Object.assign(state, structuredClone({ example: name, tokens, q, k, v }), { pinned: [], row: tokens.length - 1 });
    Object.assign(state, changes);
    const select = (i) => {
      state.row = i;
      update();
    };
    const editable = (key, caption, what) =>
      matrix({
        name: key,
        caption,
        rows: tokens,
        columns: features[key],
        cell: (i, c) =>
          numberCell({
            label: `${what} of ${tokens[i]}, ${features[key][c]}`,
            value: state[key][i][c],
            onInput: (number) => {
              state[key][i][c] = number;
              state.row = i;
              update();
            },
          }).element,
      }).element;
    const scoreCells = tokens.map((query, i) =>
      tokens.map((key, j) =>
        numberCell({
          label: `score of query ${query} with key ${key}`,
          value: 0,
          onInput: (number) => {
            state.pinned[i] = state.pinned[i] ?? [];
            state.pinned[i][j] = number;
            state.row = i;
            update();
          },
        }),
      ),
    );
    const square = { rows: tokens, corner: "query \\ key" };
    const scores = matrix({
      ...square,
      name: "scores",
      caption: "Scores S (drag or type)",
      columns: tokens,
      cell: (i, j) => scoreCells[i][j].element,
    });
    const weights = matrix({
      ...square,
      name: "weights",
      caption: "Weights A = softmax(S / τ)",
      columns: [...tokens, "sum"],
      cell: () => "",
    });
    const output = matrix({
      name: "output",
      caption: "Output O = A V",
      rows: tokens,
      columns: features.v,
      cell: () => "",
    });
    for (const table of [scores, weights, output]) {
      table.cells.forEach((row, i) =>
        row.forEach((cell) =>
          cell.addEventListener(
            "pointerenter",
            (event) => event.pointerType === "mouse" && !event.buttons && select(i),
          ),
        ),
      );
    }
    scoreCells.forEach((row, i) => row.forEach((cell) => cell.element.addEventListener("focus", () => select(i))));

    tables.replaceChildren(
      el(
        "div",
        { class: "pg-row" },
        editable("q", "Queries Q", "query"),
        editable("k", "Keys K", "key"),
        editable("v", "Values V", "value"),
      ),
      el("div", { class: "pg-row" }, scores.element, weights.element, output.element),
    );

    update = () => {
      const found = scoresOf(state.q, state.k, state.scaled, state.pinned);
      const allowed = allowedBy(state.mask, tokens.length, tokens.length);
      const shares = weightsOf(found, allowed, state.temperature);
      const averages = outputOf(shares, state.v);
      const limit = Math.max(2, ...found.flat().map(Math.abs));
      found.forEach((row, i) =>
        row.forEach((score, j) => {
          const { element, set } = scoreCells[i][j];
          if (document.activeElement !== element || state.pinned[i]?.[j] == null) set(score);
          paint(element, allowed[i][j] ? signedColour(score, limit) : null);
          element.classList.toggle("pg-hidden", !allowed[i][j]);
          element.classList.toggle("pg-pinned", state.pinned[i]?.[j] != null);
          const cell = weights.cells[i][j];
          cell.textContent = allowed[i][j] ? fixed(shares[i][j]) : "×";
          cell.classList.toggle("pg-hidden", !allowed[i][j]);
          paint(cell, allowed[i][j] ? weightColour(shares[i][j]) : null);
        }),
      );
      shares.forEach((row, i) => (weights.cells[i][tokens.length].textContent = fixed(row.reduce((a, b) => a + b, 0))));
      averages.forEach((row, i) => row.forEach((value, c) => (output.cells[i][c].textContent = fixed(value))));
      for (const { element } of [scores, weights, output]) {
        [...element.tBodies[0].rows].forEach((row, i) => row.classList.toggle("pg-chosen", i === state.row));
      }
      unpin.hidden = !state.pinned.flat().some((score) => score != null);
      const most = shares[state.row].indexOf(Math.max(...shares[state.row]));
      said.say(
        `The query of “${tokens[state.row]}” gives most weight, ${fixed(shares[state.row][most])}, to “${tokens[most]}”; ` +
          `its output is (${averages[state.row].map((value) => fixed(value)).join(", ")}).`,
      );
      const { scaled: divided, mask: masked, temperature: tau, pinned } = state;
      const changed = Object.fromEntries(
        MATRICES.map((key) => [key, JSON.stringify(state[key]) === JSON.stringify({ q, k, v }[key]) ? [] : state[key]]),
      );
      keep({ example: name, scaled: divided, mask: masked, temperature: tau, pinned, ...changed });
    };
    update();
  }

  load(state.example, usable(kept, examples[state.example]));
  app.append(
    example.element,
    controls(mask.element, scaled.element, temperature.element),
    tables,
    said.element,
    controls(
      unpin,
      button("Start again", () => {
        scaled.input.checked = state.scaled = true;
        state.mask = "none";
        mask.set("none");
        temperature.set(0);
        state.temperature = 1;
        load(state.example);
      }),
    ),
  );
}

mount("attention", build);
