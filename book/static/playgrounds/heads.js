// Head viewer: a small trained model runs in the page, on the reader's own text, and shows where its heads look.
import {
  below,
  BLUE,
  button,
  checkbox,
  controls,
  el,
  fixed,
  mount,
  paint,
  pause,
  range,
  remembered,
  roving,
  sentence,
  slider,
  textField,
  VERMILLION,
  weightColour,
  within,
} from "./common.js";
import { forward, loaded, readable, visible } from "./model.js";

/** How far back a head looks on average, in characters. */
export const meanDistance = (weights) =>
  weights.reduce((sum, row, i) => sum + row.reduce((inner, weight, j) => inner + weight * Math.max(i - j, 0), 0), 0) /
  weights.length;

/** Attention weights as a picture, a pixel each; the future is white. */
function picture(weights) {
  const n = weights.length;
  const pixels = new ImageData(n, n);
  pixels.data.fill(255);
  weights.forEach((row, i) =>
    row.slice(0, i + 1).forEach((weight, j) => pixels.data.set(weightColour(weight), 4 * (i * n + j))),
  );
  const canvas = el("canvas", { width: n, height: n });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}

function draw(canvas, weights, size, chosen) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = canvas.height = Math.round(size * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(picture(weights), 0, 0, size, size);
  if (chosen != null) {
    const step = size / weights.length;
    pen.strokeStyle = VERMILLION;
    pen.lineWidth = 2;
    pen.strokeRect(1, chosen * step, size - 2, step);
  }
}

async function build(app, start) {
  const model = await loaded(app.parentElement);
  const { num_layers: layers, num_heads: heads, characters, block_size: longest } = model;
  const { state, keep } = remembered(app, start, {
    layer: below(layers),
    head: below(heads),
    silent: (all) => all.every(below(layers * heads)),
  });
  let ids, full, changed;

  const said = sentence();
  const problem = el("p", { class: "pg-note", role: "status" });
  const field = textField({
    label: "Text",
    longest,
    value: state.text,
    onInput: (text) => {
      state.text = text;
      state.query = Math.max(text.length - 1, 0);
      run();
    },
  });

  const small = range(layers).map((layer) =>
    range(heads).map((head) => {
      const canvas = el("canvas", { "aria-hidden": "true" });
      const element = el(
        "button",
        {
          type: "button",
          class: "pg-head",
          click: () => {
            Object.assign(state, { layer, head });
            show();
          },
        },
        canvas,
        el("span", {}, `${layer}·${head}`),
      );
      return { element, canvas };
    }),
  );
  roving(small.map((row) => row.map(({ element }) => element)));
  const large = el("canvas", { class: "pg-map", role: "img" });
  large.addEventListener("click", (event) => {
    const box = large.getBoundingClientRect();
    choose(Math.floor(((event.clientY - box.top) / box.height) * ids.length));
  });
  const place = slider({ label: "Looking from position", min: 0, max: longest - 1, value: state.query, onInput: choose });
  const strip = el("div", {
    class: "pg-strip",
    role: "group",
    "aria-label": "The text; colour is the weight that each character gets",
  });
  const silence = checkbox({
    label: "silence this head",
    onChange: (on) => {
      const head = state.layer * heads + state.head;
      state.silent = on ? [...state.silent, head] : state.silent.filter((other) => other !== head);
      run();
    },
  });
  const bars = el("table", { class: "pg-next" });
  const facts = el("p", { class: "pg-facts" });

  function choose(query) {
    state.query = Math.min(Math.max(query, 0), ids.length - 1);
    show();
  }

  function compute() {
    const { known: all, problem: said } = readable(state.text, characters);
    const known = all.slice(0, longest);
    problem.textContent = said;
    ids = (known.length ? known : [" "]).map((character) => characters.indexOf(character));
    state.query = within(0, ids.length - 1, state.query);
    full = forward(model, ids);
    changed = state.silent.length
      ? forward(model, ids, (layer, head) => state.silent.includes(layer * heads + head))
      : full;
  }

  function run() {
    compute();
    present();
  }

  function present() {
    strip.replaceChildren(
      ...ids.map((id, t) =>
        el(
          "button",
          { type: "button", class: "pg-letter", click: () => choose(t), "aria-label": `position ${t}` },
          visible(characters[id]),
        ),
      ),
    );
    roving([[...strip.children]]);
    place.input.max = ids.length - 1;
    show();
  }

  function show() {
    const { layer, head, query } = state;
    const maps = changed.layers.map(({ heads }) => heads.map(({ weights }) => weights));
    keep();
    small.forEach((row, i) =>
      row.forEach(({ element, canvas }, j) => {
        const off = state.silent.includes(i * heads + j);
        draw(canvas, maps[i][j], 80);
        element.setAttribute("aria-pressed", i === layer && j === head);
        element.setAttribute("aria-label", `layer ${i}, head ${j}${off ? ", silenced" : ""}`);
        element.classList.toggle("pg-off", off);
      }),
    );
    const weights = maps[layer][head];
    draw(large, weights, 288, query);
    large.setAttribute(
      "aria-label",
      `Attention weights of layer ${layer}, head ${head}: ${ids.length} queries by ${ids.length} keys`,
    );
    place.set(query);
    [...strip.children].forEach((letter, t) => {
      paint(letter, t <= query ? weightColour(weights[query][t]) : null);
      letter.classList.toggle("pg-future", t > query);
      letter.setAttribute("aria-pressed", t === query);
      letter.title = t <= query ? `weight ${fixed(weights[query][t], 3)}` : "in the future";
    });
    silence.input.checked = state.silent.includes(layer * heads + head);
    const before = query ? weights.slice(1).reduce((sum, row, i) => sum + row[i], 0) / (weights.length - 1) : 0;
    facts.textContent = `Layer ${layer}, head ${head}: mean distance ${fixed(meanDistance(weights), 2)} characters${query ? `, weight on the previous character ${fixed(before, 3)}` : ""}.`;
    const most = weights[query].indexOf(Math.max(...weights[query]));
    said.say(
      `From position ${query} (“${visible(characters[ids[query]])}”) this head looks most at position ${most} (“${visible(characters[ids[most]])}”), with the weight ${fixed(weights[query][most], 3)}.`,
    );
    predictions(query);
  }

  function predictions(query) {
    const now = changed.probabilities[query],
      all = full.probabilities[query];
    const best = range(characters.length)
      .sort((a, b) => now[b] - now[a])
      .slice(0, 5);
    const bar = (share, colour) =>
      el("span", { class: "pg-bar", style: `width: ${(100 * share).toFixed(1)}%; background: ${colour}` });
    bars.replaceChildren(
      el("caption", {}, `What comes after position ${query}?`),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ...["next", "now", "with all heads", ""].map((text) =>
            text ? el("th", { scope: "col" }, text) : el("td", {}),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        ...best.map((id) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, visible(characters[id])),
            el("td", {}, fixed(now[id], 3)),
            el("td", {}, fixed(all[id], 3)),
            el("td", { class: "pg-track" }, bar(now[id], BLUE)),
          ),
        ),
      ),
    );
  }

  app.append(
    field,
    problem,
    el(
      "div",
      { class: "pg-row pg-heads" },
      el(
        "div",
        { class: "pg-small", role: "group", "aria-label": "All heads, by layer and head; choose one" },
        ...small.flat().map(({ element }) => element),
      ),
      large,
    ),
    strip,
    controls(
      place.element,
      silence.element,
      button("All heads speak", () => {
        state.silent = [];
        run();
      }),
    ),
    facts,
    said.element,
    bars,
  );
  compute();
  await pause();
  present();
}

mount("heads", build);
