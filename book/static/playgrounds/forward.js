// A forward pass, step by step: the small trained model reads a text, and every intermediate result can be looked at.
import {
  below,
  BLUE,
  button,
  choice,
  controls,
  drawing,
  el,
  fixed,
  ink,
  mount,
  pointed,
  range,
  remembered,
  sentence,
  signedColour,
  slider,
  svg,
  textField,
  weightColour,
  within,
} from "./common.js";
import { forward, loaded, readable, visible } from "./model.js";

/**
 * All steps from ids to probabilities, in order: { part, name, says, shape, head, rows }. `rows` gives what is shown of
 * the result of `forward`, a row for each position. Where `head` is true, every head has its own, and `rows` takes the
 * head's number.
 */
export function stepsOf({ num_layers: layers, num_heads: heads, n_embed: width, characters }) {
  const size = width / heads;
  const ofTokens = (C) => ["T", C];
  const block = (layer) => {
    const part = `block ${layer}`;
    const here = (result) => result.layers[layer];
    const ofHead = (name, shape, says, kind) => ({
      part,
      name,
      says,
      shape: ["H", ...shape],
      head: true,
      rows: (result, head) => here(result).heads[head][kind],
    });
    const ofAll = (name, shape, says, kind) => ({ part, name, says, shape, rows: (result) => here(result)[kind] });
    return [
      ofAll("norm", ofTokens(width), "Every vector is normalised by itself.", "normed"),
      ofHead("queries", ofTokens(size), "A linear layer of each head asks: what does this position look for?", "q"),
      ofHead("keys", ofTokens(size), "Another one says what each position offers to be found by.", "k"),
      ofHead("values", ofTokens(size), "A third one says what each position hands on.", "v"),
      ofHead("scores", ["T", "T"], "Each query times each key, divided by the root of the head's width.", "scores"),
      ofHead("weights", ["T", "T"], "The softmax of each row, in which no position sees a later one.", "weights"),
      ofHead("found", ofTokens(size), "The average of the values with these weights.", "found"),
      ofAll("heads joined", ofTokens(width), "What the heads found, side by side.", "joined"),
      ofAll("projection, added", ofTokens(width), "Mixed by a linear layer, and added to the vectors.", "attended"),
      ofAll("norm again", ofTokens(width), "Normalised again, before the feed-forward network.", "normedAgain"),
      ofAll("hidden layer", ofTokens(4 * width), "Four times as wide; what is negative becomes 0.", "hidden"),
      ofAll("feed-forward, added", ofTokens(width), "Back to the width of the model, and added.", "x"),
    ];
  };
  const plain = (part, name, shape, says, rows) => ({ part, name, shape, says, rows });
  return [
    plain("input", "ids", ["T"], "Each character becomes its number.", ({ ids }) => ids.map((id) => [id])),
    plain("input", "token vectors", ofTokens(width), "Each id picks its row of a table.", ({ tokens }) => tokens),
    plain("input", "positions, added", ofTokens(width), "The vector of each position is added.", ({ x }) => x),
    ...range(layers).flatMap(block),
    plain("output", "last norm", ofTokens(width), "The normalisation after the last block.", ({ normed }) => normed),
    plain("output", "logits", ofTokens(characters.length), "A score for each character.", ({ logits }) => logits),
    plain(
      "output",
      "probabilities",
      ofTokens(characters.length),
      "The softmax of each row says which character comes next.",
      ({ probabilities }) => probabilities,
    ),
  ];
}

const LONGEST = 16; // characters, so that all rows and the controls fit on a phone
const SHARES = ["weights", "probabilities"]; // between 0 and 1

async function build(app, start) {
  const model = await loaded(app.parentElement);
  const { characters, num_heads: heads } = model;
  const steps = stepsOf(model);
  const { state, keep } = remembered(app, start, { step: below(steps.length), head: below(heads) });
  const parts = [...new Set(steps.map(({ part }) => part))];
  let result, letters, before;

  const said = sentence();
  const problem = el("p", { class: "pg-note", role: "status" });
  const field = textField({
    label: "Text",
    longest: LONGEST,
    value: state.text,
    onInput: (text) => {
      state.text = text;
      state.row = LONGEST;
      run();
    },
  });
  const back = button("Back", () => go(state.step - 1));
  const next = button("Next step", () => go(state.step + 1));
  const place = slider({ label: "Step", min: 0, max: steps.length - 1, value: state.step, onInput: go });
  const row = slider({
    label: "Position",
    min: 0,
    max: LONGEST - 1,
    value: 0,
    show: (t) => `${t} “${letters?.[t] ?? ""}”`,
    onInput: (t) => {
      state.row = t;
      show();
    },
  });
  const head = choice({
    legend: "Head",
    options: Object.fromEntries(range(heads).map((number) => [number, String(number)])),
    value: String(state.head),
    onChange: (number) => {
      state.head = Number(number);
      show();
    },
  });
  const way = el(
    "ol",
    { class: "pg-way" },
    ...parts.map((part) =>
      el(
        "li",
        {},
        button(
          part.split(" ").flatMap((word, i) => [i ? " " : "", el("span", {}, word)]),
          () => go(steps.findIndex((step) => step.part === part)),
          { "data-part": part },
        ),
      ),
    ),
  );
  const title = el("p", { class: "pg-step" });
  const picture = drawing(draw);
  const numbers = el("p", { class: "pg-values" });
  const bars = el("table", { class: "pg-next" });
  pointed(picture.element, (event) => {
    const cells = picture.element.firstChild;
    const box = cells.getBoundingClientRect();
    state.row = within(0, letters.length - 1, Math.floor(((event.clientY - box.top) / box.height) * letters.length));
    show();
  });

  function go(step) {
    state.step = within(0, steps.length - 1, step);
    show();
  }

  function run() {
    const { known, problem: left } = readable(state.text, characters);
    problem.textContent = left;
    const ids = (known.length ? known.slice(0, LONGEST) : [" "]).map((character) => characters.indexOf(character));
    letters = ids.map((id) => visible(characters[id]));
    result = { ids, ...forward(model, ids) };
    row.input.max = ids.length - 1;
    show();
  }

  /** The rows of this step as coloured cells, each row under the letter of its position. */
  function draw(wide) {
    const step = steps[state.step];
    const rows = step.rows(result, state.head);
    const height = letters.length > 12 ? 17 : 20;
    const left = 24;
    const cell = Math.min((wide - left - 2) / rows[0].length, 40);
    const limit = Math.max(...rows.flat().map(Math.abs), 1e-9);
    const colour = (value) => (SHARES.includes(step.name) ? weightColour(value) : signedColour(value, limit));
    const drawn = svg("svg", {
      class: `pg-cells${before === step ? "" : " pg-appears"}`,
      width: wide,
      height: rows.length * height,
      viewBox: `0 0 ${wide} ${rows.length * height}`,
      role: "img",
      "aria-label": `${step.name}: ${rows.length} rows, one for each position, of ${rows[0].length} numbers`,
    });
    before = step;
    rows.forEach((values, t) => {
      const y = t * height;
      const chosen = t === state.row;
      const beside = { x: left - 8, y: y + height / 2 + 5, "text-anchor": "end", class: chosen && "pg-now" };
      drawn.append(svg("text", beside, letters[t]));
      values.forEach((value, c) => {
        const hidden = step.name === "weights" && c > t;
        const rgb = step.name === "ids" ? [255, 255, 255] : colour(value);
        drawn.append(
          svg("rect", {
            x: (left + c * cell).toFixed(2),
            y: y + 1,
            width: (cell + (cell < 8 ? 0.3 : -1)).toFixed(2),
            height: height - 2,
            fill: hidden ? "none" : `rgb(${rgb.join(" ")})`,
          }),
        );
        if (step.name === "ids")
          drawn.append(
            svg("text", { x: left + cell / 2, y: y + height / 2 + 5, "text-anchor": "middle", fill: ink(rgb) }, value),
          );
      });
      if (chosen)
        drawn.append(
          svg("rect", { class: "pg-frame", x: left - 1, y, width: cell * values.length + 1, height, fill: "none" }),
        );
    });
    return drawn;
  }

  function show() {
    const step = steps[state.step];
    state.row = within(0, letters.length - 1, state.row);
    row.set(state.row);
    place.set(state.step);
    back.disabled = state.step === 0;
    next.disabled = state.step === steps.length - 1;
    head.element.hidden = !step.head;
    for (const one of way.querySelectorAll("button")) one.setAttribute("aria-pressed", one.dataset.part === step.part);
    const sizes = { T: letters.length, H: heads };
    const shape = step.shape.map((size) => sizes[size] ?? size);
    title.replaceChildren(
      el("strong", {}, `${step.part}: ${step.name}`),
      " ",
      el("code", { "data-name": "shape" }, `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`),
    );
    picture.redraw();
    const values = step.rows(result, state.head)[state.row];
    const shown = step.name === "ids" ? values.map(String) : values.slice(0, 6).map((value) => fixed(value, 3));
    numbers.replaceChildren(
      `Row ${state.row}${step.head ? ` of head ${state.head}` : ""}: `,
      el("code", { "data-name": "row" }, shown.join(" ")),
      values.length > shown.length ? " …" : "",
    );
    bars.hidden = step.name !== "probabilities";
    predict(values);
    const known = `T = ${letters.length}${step.head ? `, H = ${heads}` : ""}`;
    said.say(`${step.says} Shape (${step.shape.join(", ")}), with ${known}.`);
    keep();
  }

  function predict(probabilities) {
    const best = range(probabilities.length)
      .sort((a, b) => probabilities[b] - probabilities[a])
      .slice(0, 5);
    const bar = (share) =>
      el("span", { class: "pg-bar", style: `width: ${(100 * share).toFixed(1)}%; background: ${BLUE}` });
    bars.replaceChildren(
      el("caption", {}, `The likeliest after “${letters.slice(0, state.row + 1).join("")}”`),
      el(
        "tbody",
        {},
        ...best.map((id) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, visible(characters[id] ?? "")),
            el("td", {}, fixed(probabilities[id], 3)),
            el("td", { class: "pg-track" }, bar(probabilities[id])),
          ),
        ),
      ),
    );
  }

  app.append(
    field,
    problem,
    way,
    controls(back, next, place.element),
    title,
    said.element,
    picture.element,
    numbers,
    bars,
    controls(head.element, row.element),
  );
  run();
}

mount("forward", build);
