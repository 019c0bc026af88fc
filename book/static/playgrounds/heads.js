// Head viewer: a small trained model runs in the page, on the reader's own text, and shows where its heads look.
import {
  BLUE,
  button,
  checkbox,
  controls,
  dot,
  el,
  fixed,
  mount,
  range,
  roving,
  sentence,
  slider,
  softmax,
  VERMILLION,
  weightColour,
  paint,
} from "./common.js";

/** Numbers from base64: 16-bit floats, little-endian. */
export function decodeFloat16(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 2 }, (_, index) => {
    const bits = view.getUint16(2 * index, true);
    const sign = bits & 0x8000 ? -1 : 1,
      exponent = (bits >> 10) & 31,
      fraction = bits & 1023;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

/** The model: its sizes, its characters, and its parameters by name, each as rows (a vector is one row). */
export function unpack({ weights, ...sizes }) {
  const numbers = decodeFloat16(weights.float16);
  const parameters = {};
  let at = 0;
  for (const [name, shape] of Object.entries(weights.shapes)) {
    const width = shape.at(-1),
      height = shape.length === 2 ? shape[0] : 1;
    parameters[name] = range(height).map((i) => Array.from(numbers.subarray(at + i * width, at + (i + 1) * width)));
    at += width * height;
  }
  return { ...sizes, parameters };
}

const linear = (x, weight, bias) => weight.map((row, i) => dot(row, x) + (bias ? bias[0][i] : 0));
const add = (a, b) => a.map((value, i) => value + b[i]);

function layerNorm(x, weight, bias) {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const scale = 1 / Math.sqrt(variance + 1e-5);
  return x.map((value, i) => (value - mean) * scale * weight[0][i] + bias[0][i]);
}

/**
 * Run the model on token ids. `silent(layer, head)` says which heads have no say.
 * Returns the weights of every head, [layer][head][query][key], and for each place the probabilities of what follows.
 */
export function forward(model, ids, silent = () => false) {
  const p = model.parameters;
  const get = (name) => [p[`${name}.weight`], p[`${name}.bias`]];
  let x = ids.map((id, t) => add(p["token_embedding.weight"][id], p["position_embedding.weight"][t]));
  const maps = range(model.num_layers).map((layer) => {
    const block = `blocks.${layer}`;
    const normed = x.map((row) => layerNorm(row, ...get(`${block}.norms.0`)));
    const heads = range(model.num_heads).map((head) => {
      const name = `${block}.sublayers.0.heads.${head}`;
      const [q, k, v] = ["query", "key", "value"].map((kind) =>
        normed.map((row) => linear(row, p[`${name}.${kind}.weight`])),
      );
      const root = Math.sqrt(q[0].length);
      const weights = q.map((query, i) =>
        softmax(
          k.map((key) => dot(query, key) / root),
          k.map((_, j) => j <= i),
        ),
      );
      const found = weights.map((row) =>
        v[0].map((_, c) => (silent(layer, head) ? 0 : row.reduce((sum, w, j) => sum + w * v[j][c], 0))),
      );
      return { weights, found };
    });
    const mixed = x.map((_, t) =>
      linear(
        heads.flatMap(({ found }) => found[t]),
        ...get(`${block}.sublayers.0.proj`),
      ),
    );
    x = x.map((row, t) => add(row, mixed[t]));
    x = x.map((row) => {
      const inside = linear(layerNorm(row, ...get(`${block}.norms.1`)), ...get(`${block}.sublayers.1.0`));
      return add(
        row,
        linear(
          inside.map((value) => Math.max(value, 0)),
          ...get(`${block}.sublayers.1.2`),
        ),
      );
    });
    return heads.map(({ weights }) => weights);
  });
  const probabilities = x.map((row) => softmax(linear(layerNorm(row, ...get("norm")), ...get("to_logits"))));
  return { maps, probabilities };
}

/** How far back a head looks on average, in characters. */
export const meanDistance = (weights) =>
  weights.reduce((sum, row, i) => sum + row.reduce((inner, weight, j) => inner + weight * Math.max(i - j, 0), 0), 0) /
  weights.length;

const visible = (character) => ({ " ": "␣", "\n": "⏎" })[character] ?? character;

function draw(canvas, weights, size, chosen) {
  const n = weights.length;
  const scale = window.devicePixelRatio || 1;
  canvas.width = canvas.height = Math.round(size * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, size, size);
  const step = size / n;
  weights.forEach((row, i) =>
    row.slice(0, i + 1).forEach((weight, j) => {
      pen.fillStyle = `rgb(${weightColour(weight).join(" ")})`;
      pen.fillRect(j * step, i * step, step + 0.5, step + 0.5);
    }),
  );
  if (chosen != null) {
    pen.strokeStyle = VERMILLION;
    pen.lineWidth = 2;
    pen.strokeRect(1, chosen * step, size - 2, step);
  }
}

/** The stored model, as a script that sets a global: a page that was opened as a file may load that, but no JSON. */
function loaded() {
  return new Promise((resolve, reject) => {
    const address = new URL("heads_model.js", document.querySelector('script[src*="/playgrounds/heads"]').src);
    const script = el("script", { src: address.href });
    script.addEventListener("load", () => resolve(globalThis.headsModel));
    script.addEventListener("error", () => reject(new Error(`${address} cannot be loaded`)));
    document.head.append(script);
  });
}

async function build(app, start) {
  await seen(app.parentElement);
  const model = unpack(await loaded());
  const { num_layers: layers, num_heads: heads, characters, block_size: longest } = model;
  const state = { text: model.sample, layer: start.layer, head: start.head, query: start.query, silent: new Set() };
  let ids, full, changed;

  const said = sentence();
  const problem = el("p", { class: "pg-note", role: "status" });
  const field = el("input", {
    type: "text",
    class: "pg-text",
    maxlength: longest,
    value: state.text,
    id: "playground-heads-text",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
  });
  field.addEventListener("input", () => {
    state.text = field.value;
    state.query = Math.max(field.value.length - 1, 0);
    run();
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
  const place = slider({ label: "Looking from place", min: 0, max: longest - 1, value: state.query, onInput: choose });
  const strip = el("div", {
    class: "pg-strip",
    role: "group",
    "aria-label": "The text; colour is the weight that each character gets",
  });
  const silence = checkbox({
    label: "silence this head",
    onChange: (on) => {
      state.silent[on ? "add" : "delete"](state.layer * heads + state.head);
      run();
    },
  });
  const bars = el("table", { class: "pg-next" });
  const facts = el("p", { class: "pg-facts" });

  function choose(query) {
    state.query = Math.min(Math.max(query, 0), ids.length - 1);
    show();
  }

  function run() {
    const known = [...state.text].filter((character) => characters.includes(character)).slice(0, longest);
    const unknown = [...new Set([...state.text].filter((character) => !characters.includes(character)))];
    problem.textContent = unknown.length
      ? `Left out, because the model never saw them: ${unknown.map(visible).join(" ")}`
      : "";
    ids = (known.length ? known : [" "]).map((character) => characters.indexOf(character));
    state.query = Math.min(state.query, ids.length - 1);
    full = forward(model, ids);
    changed = state.silent.size ? forward(model, ids, (layer, head) => state.silent.has(layer * heads + head)) : full;
    strip.replaceChildren(
      ...ids.map((id, t) =>
        el(
          "button",
          { type: "button", class: "pg-letter", click: () => choose(t), "aria-label": `place ${t}` },
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
    const maps = changed.maps;
    small.forEach((row, i) =>
      row.forEach(({ element, canvas }, j) => {
        const off = state.silent.has(i * heads + j);
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
    silence.input.checked = state.silent.has(layer * heads + head);
    const before = query ? weights.slice(1).reduce((sum, row, i) => sum + row[i], 0) / (weights.length - 1) : 0;
    facts.textContent = `Layer ${layer}, head ${head}: mean distance ${fixed(meanDistance(weights), 2)} characters${query ? `, weight on the previous character ${fixed(before, 3)}` : ""}.`;
    const most = weights[query].indexOf(Math.max(...weights[query]));
    said.say(
      `From place ${query} (“${visible(characters[ids[query]])}”) this head looks most at place ${most} (“${visible(characters[ids[most]])}”), with the weight ${fixed(weights[query][most], 3)}.`,
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
      el("caption", {}, `What comes after place ${query}?`),
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
    el("div", { class: "pg-field" }, el("label", { for: field.id }, `Text, up to ${longest} characters`), field),
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
        state.silent.clear();
        run();
      }),
    ),
    facts,
    said.element,
    bars,
  );
  run();
}

/** Wait until an element comes near what the reader sees: the weights are loaded by those who get there. */
function seen(element) {
  return new Promise((resolve) => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watch.disconnect();
        resolve();
      },
      { rootMargin: "800px" },
    );
    watch.observe(element);
  });
}

mount("heads", build);
