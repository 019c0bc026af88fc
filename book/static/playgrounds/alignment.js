// Translation viewer: stored attention weights of a small translator, for every head of every layer, word by word.
import { below, choice, controls, el, fixed, mount, oneOf, paint, range, remembered, roving, sentence, VERMILLION, weightColour } from "./common.js";

/** Weights of stored rows, each thousandths in a string: "12 988" is [0.012, 0.988]. */
export const weightsOf = (rows) => rows.map((row) => row.split(" ").map((number) => Number(number) / 1000));

/** The mean of several heads. */
export const meanOf = (heads) => heads[0].map((row, i) => row.map((_, j) => heads.reduce((sum, head) => sum + head[i][j], 0) / heads.length));

/** The place of the largest weight; of equal ones the first. */
export const mostOf = (weights) => weights.indexOf(Math.max(...weights));

const KINDS = { cross: "cross-attention", encoder: "encoder", decoder: "decoder" };

function draw(canvas, weights, width, height, chosen) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const down = height / weights.length, across = width / weights[0].length;
  weights.forEach((row, i) =>
    row.forEach((weight, j) => {
      pen.fillStyle = `rgb(${weightColour(weight).join(" ")})`;
      pen.fillRect(j * across, i * down, across + 0.5, down + 0.5);
    }),
  );
  if (chosen == null) return;
  pen.strokeStyle = VERMILLION;
  pen.lineWidth = 2;
  pen.strokeRect(1, chosen * down + 1, width - 2, down - 2);
}

function build(app, start) {
  const sentences = start.sentences.map((pair) => ({
    ...pair,
    maps: Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, pair[kind].map((layer) => layer.map(weightsOf))])),
  }));
  const { layers, heads, sentences: stored, ...usual } = start;
  const { state, keep } = remembered(app, usual, {
    sentence: below(stored.length),
    kind: oneOf(Object.keys(KINDS)),
    layer: below(layers),
    head: below(heads + 1),
  });
  const said = sentence();

  // The last column is the mean of a layer's heads.
  const small = range(layers).map((layer) =>
    range(heads + 1).map((head) => {
      const canvas = el("canvas", { "aria-hidden": "true" });
      const name = head < heads ? `layer ${layer}, head ${head}` : `layer ${layer}, mean of the heads`;
      const element = el("button", { type: "button", class: "pg-head", "aria-label": name, click: () => { Object.assign(state, { layer, head }); show(); } }, canvas, el("span", {}, `${layer}·${head < heads ? head : "mean"}`));
      return { element, canvas, name };
    }),
  );
  roving(small.map((row) => row.map(({ element }) => element)));
  const large = el("canvas", { class: "pg-map", role: "img" });
  large.addEventListener("click", (event) => {
    const box = large.getBoundingClientRect();
    choose(Math.floor(((event.clientY - box.top) / box.height) * names().from.length));
  });
  const fromStrip = el("div", { class: "pg-strip", role: "group" });
  const toStrip = el("div", { class: "pg-strip", role: "group" });
  const fromName = el("p", { class: "pg-note" }), toName = el("p", { class: "pg-note" });

  function names() {
    const { source, target } = sentences[state.sentence];
    return { from: state.kind === "encoder" ? source : target, to: state.kind === "decoder" ? target : source };
  }

  const headsOf = (layer) => sentences[state.sentence].maps[state.kind][layer];
  const weightsFor = (layer, head) => (head < heads ? headsOf(layer)[head] : meanOf(headsOf(layer)));

  function choose(query) {
    state.query = Math.min(Math.max(query, 0), names().from.length - 1);
    show();
  }

  /** Other tokens: new strips. */
  function fill() {
    const { from, to } = names();
    fromStrip.replaceChildren(...from.map((token, i) => el("button", { type: "button", class: "pg-letter pg-token", click: () => choose(i), "aria-label": `position ${i}: ${token}` }, token)));
    toStrip.replaceChildren(...to.map((token) => el("span", { class: "pg-letter pg-token" }, token)));
    roving([[...fromStrip.children]]);
    const languages = { cross: ["English", "German"], encoder: ["German", "German"], decoder: ["English", "English"] }[state.kind];
    fromName.textContent = `Looking from (${languages[0]}; choose a token):`;
    toName.textContent = `Looked at (${languages[1]}; colour is weight):`;
    fromStrip.setAttribute("aria-label", "The tokens that look; choose one");
    toStrip.setAttribute("aria-label", "The tokens that are looked at; colour is weight");
    choose(state.query);
  }

  function show() {
    keep();
    const { layer, head, query, kind } = state;
    const { from, to } = names();
    small.forEach((row, i) =>
      row.forEach(({ element, canvas }, j) => {
        draw(canvas, weightsFor(i, j), 80, 80);
        element.setAttribute("aria-pressed", i === layer && j === head);
      }),
    );
    const weights = weightsFor(layer, head), row = weights[query];
    draw(large, weights, 288, 288, query);
    large.setAttribute("aria-label", `${KINDS[kind]}, ${small[layer][head].name}: ${from.length} queries by ${to.length} keys`);
    [...fromStrip.children].forEach((one, i) => one.setAttribute("aria-pressed", i === query));
    [...toStrip.children].forEach((one, j) => {
      const hidden = kind === "decoder" && j > query;
      paint(one, hidden ? null : weightColour(row[j]));
      one.classList.toggle("pg-future", hidden);
      one.title = hidden ? "in the future" : `weight ${fixed(row[j], 3)}`;
    });
    const most = mostOf(row);
    const next = kind === "encoder" ? "" : ` To predict ${from[query + 1] ? `“${from[query + 1]}”` : "the end"}:`;
    said.say(`${small[layer][head].name[0].toUpperCase()}${small[layer][head].name.slice(1)}.${next} “${from[query]}” looks most at “${to[most]}”, with the weight ${fixed(row[most], 3)}.`);
  }

  const texts = Object.fromEntries(sentences.map(({ german }, index) => [index, german]));
  app.append(
    choice({ legend: "Sentence", options: texts, value: String(state.sentence), onChange: (key) => { state.sentence = Number(key); fill(); } }).element,
    controls(choice({ legend: "Attention", options: KINDS, value: state.kind, onChange: (key) => { state.kind = key; fill(); } }).element),
    el(
      "div",
      { class: "pg-row pg-heads" },
      el("div", { class: "pg-small pg-five", role: "group", "aria-label": "All heads, by layer and head; choose one" }, ...small.flat().map(({ element }) => element)),
      large,
    ),
    fromName,
    fromStrip,
    toName,
    toStrip,
    said.element,
  );
  fill();
}

mount("alignment", build);
