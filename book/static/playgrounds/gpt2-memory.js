// GPT-2 memory map: one allocation drawn to scale, and the address of any number in it.
import {
  below,
  BLUE,
  choice,
  controls,
  el,
  GREEN,
  grouped,
  legend,
  mount,
  oneOf,
  ORANGE,
  PURPLE,
  range,
  remembered,
  roving,
  sentence,
  SKY,
  slider,
  VERMILLION,
} from "./common.js";

const HEADER = 256; // int32 at the start of a checkpoint
const FLOAT = 4; // bytes

const KINDS = {
  vectors: { colour: BLUE, label: "token and position vectors" },
  norm: { colour: ORANGE, label: "layer norms" },
  attention: { colour: GREEN, label: "attention" },
  network: { colour: VERMILLION, label: "feed-forward network" },
  stream: { colour: SKY, label: "residual stream" },
  output: { colour: PURPLE, label: "logits, probabilities, losses" },
};

/** The parameters in the order of a checkpoint: { name, kind, layers, axes }, `axes` naming each axis and its size. */
export function parametersOf({ maxT, L, C, Vp }) {
  const one = (name, kind, layers, ...axes) => ({ name, kind, layers, axes });
  const norm = (name, layers) => ["w", "b"].map((letter) => one(name + letter, "norm", layers, ["channel", C]));
  const linear = (name, kind, out, into) => [
    one(`${name}w`, kind, L, ["output", out], ["input", into]),
    one(`${name}b`, kind, L, ["output", out]),
  ];
  return [
    one("wte", "vectors", 1, ["token", Vp], ["channel", C]),
    one("wpe", "vectors", 1, ["position", maxT], ["channel", C]),
    ...norm("ln1", L),
    ...linear("qkv", "attention", 3 * C, C),
    ...linear("attproj", "attention", C, C),
    ...norm("ln2", L),
    ...linear("fc", "network", 4 * C, C),
    ...linear("fcproj", "network", C, 4 * C),
    ...norm("lnf", 1),
  ];
}

/** What the forward pass keeps for the backward pass, in the order of the program. */
export function activationsOf({ L, NH, C, Vp }, B, T) {
  const rows = [
      ["sequence", B],
      ["position", T],
    ],
    channels = [...rows, ["channel", C]];
  const one = (name, kind, layers, axes) => ({ name, kind, layers, axes });
  const norm = (name, layers) => [
    one(name, "norm", layers, channels),
    one(`${name}_mean`, "norm", layers, rows),
    one(`${name}_rstd`, "norm", layers, rows),
  ];
  return [
    one("encoded", "stream", 1, channels),
    ...norm("ln1", L),
    one("qkv", "attention", L, [...rows, ["q, k or v", 3], ["head", NH], ["entry", C / NH]]),
    one("att", "attention", L, [
      ["sequence", B],
      ["head", NH],
      ["query", T],
      ["key", T],
    ]),
    one("atty", "attention", L, channels),
    one("residual2", "stream", L, channels),
    ...norm("ln2", L),
    one("fch", "network", L, [...rows, ["inner", 4 * C]]),
    one("fch_gelu", "network", L, [...rows, ["inner", 4 * C]]),
    one("residual3", "stream", L, channels),
    ...norm("lnf", 1),
    one("logits", "output", 1, [...rows, ["token", Vp]]),
    one("probs", "output", 1, [...rows, ["token", Vp]]),
    one("losses", "output", 1, rows),
    one("branch", "stream", 1, channels),
  ];
}

/** Gradients of activations: one layer's at a time; those of attention and of the network share their place. */
export function backwardFloats({ NH, C }, B, T) {
  const rows = B * T,
    attention = rows * 3 * C + rows * NH * T + rows * C,
    network = 2 * rows * 4 * C;
  return 2 * rows * C + rows + Math.max(attention, network);
}

export const floatsOf = ({ layers, axes }) => axes.reduce((product, [, size]) => product * size, layers);

/** Tensors with the number of the float at which each starts, counted from `from`. */
export function placed(tensors, from = 0) {
  let at = from;
  return tensors.map((tensor) => {
    const here = { ...tensor, at, floats: floatsOf(tensor) };
    at += here.floats;
    return here;
  });
}

/** Where an entry stands in its tensor, row-major, layers outermost. */
export const offsetOf = ({ axes }, layer, indices) => axes.reduce((sum, [, size], i) => sum * size + indices[i], layer);

/** The other way: the tensor that holds a float, with layer and indices; undefined if none does. */
export function locate(tensors, float) {
  const tensor = tensors.find(({ at, floats }) => Number.isInteger(float) && float >= at && float < at + floats);
  if (!tensor) return undefined;
  let rest = float - tensor.at;
  const indices = [...tensor.axes].reverse().map(([, size]) => {
    const index = rest % size;
    rest = Math.floor(rest / size);
    return index;
  });
  return { tensor, layer: rest, indices: indices.reverse() };
}

/** What lies between the parameters and the activations, each as large as the parameters. */
const COPIES = ["the gradients", "AdamW's means m", "AdamW's means v"];

const sumOf = (tensors) => tensors.reduce((sum, { floats }) => sum + floats, 0);

const megabytes = (floats) => {
  const amount = (floats * FLOAT) / 1e6;
  return amount >= 10000 ? `${(amount / 1000).toFixed(1)} GB` : `${amount.toFixed(1)} MB`;
};

function build(app, start) {
  const lengths = [32, 64, 128, 256, 512, 1024];
  const { models, ...usual } = start;
  const names = Object.keys(models);
  const { state, keep } = remembered(app, usual, {
    model: oneOf(names),
    B: oneOf(range(17).slice(1)),
    T: oneOf(lengths),
    layer: below(Infinity),
    indices: (values) => values.every(below(Infinity)),
  });
  const said = sentence();
  const map = el("div", { class: "pg-memory" });
  const fields = el("div", { class: "pg-controls" });
  const answer = el("dl", { class: "pg-numbers pg-wide" });
  const formula = el("p", { class: "pg-code" });
  let parameters, activations;

  const model = choice({
    legend: "Model",
    options: Object.fromEntries(names.map((name) => [name, name])),
    value: state.model,
    onChange: (name) => {
      state.model = name;
      update();
    },
  });
  const batch = slider({
    label: "Sequences B",
    min: 1,
    max: 16,
    value: state.B,
    onInput: (B) => {
      state.B = B;
      update();
    },
  });
  const length = slider({
    label: "Tokens in each T",
    min: 0,
    max: lengths.length - 1,
    value: lengths.indexOf(state.T),
    show: (i) => String(Math.min(lengths[i], models[state.model].maxT)),
    onInput: (i) => {
      state.T = lengths[i];
      update();
    },
  });
  const select = el("select", {
    id: "playground-memory-tensor",
    change: () => {
      choose(select.value);
      update();
    },
  });
  const search = el("input", { type: "number", id: "playground-memory-float", min: 0, step: 1, class: "pg-index" });
  search.addEventListener("input", () => {
    const found = locate([...parameters, ...activations], search.valueAsNumber);
    if (!found) {
      said.say(elsewhere(search.valueAsNumber));
      return;
    }
    Object.assign(state, { name: idOf(found.tensor), layer: found.layer, indices: found.indices });
    showChosen(false);
  });

  search.addEventListener("change", () => showChosen()); // what names no tensor does not stay

  function elsewhere(float) {
    const copy = Math.floor(float / sumOf(parameters));
    if (Number.isInteger(float) && copy >= 1 && copy <= COPIES.length)
      return `Float ${grouped(float)} belongs to ${COPIES[copy - 1]}, which have the order of the parameters.`;
    return `Floats have whole numbers from 0 to ${grouped(Number(search.max))}.`;
  }

  const idOf = (tensor) => (activations.includes(tensor) ? `acts.${tensor.name}` : `params.${tensor.name}`);
  const chosen = () => [...parameters, ...activations].find((tensor) => idOf(tensor) === state.name);

  function choose(name) {
    Object.assign(state, { name, layer: 0, indices: chosen0(name).axes.map(() => 0) });
  }
  const chosen0 = (name) => [...parameters, ...activations].find((tensor) => idOf(tensor) === name);

  function update() {
    const sizes = models[state.model];
    const T = Math.min(state.T, sizes.maxT);
    length.set(lengths.indexOf(state.T));
    parameters = placed(parametersOf(sizes));
    const P = sumOf(parameters);
    activations = placed(activationsOf(sizes, state.B, T), 4 * P);
    const A = sumOf(activations);
    const D = backwardFloats(sizes, state.B, T);
    if (!chosen()) state.name = usual.name; // an address may name any
    if (!state.indices.length) choose(state.name);
    const groups = { parameters, gradients: parameters, "AdamW m": parameters, "AdamW v": parameters, activations };
    const largest = Math.max(P, A);
    const row = (title, floats, segments) =>
      el(
        "div",
        { class: "pg-memory-row" },
        el("span", { class: "pg-memory-name" }, title),
        el("div", { class: "pg-memory-bar", style: `width: ${(100 * floats) / largest}%` }, ...segments),
        el("span", { class: "pg-memory-size", "data-name": title }, megabytes(floats)),
      );
    const buttons = [];
    const rows = Object.entries(groups).map(([title, tensors], g) => {
      const total = g < 4 ? P : A;
      if (g > 0 && g < 4) return row(title, total, [el("span", { class: "pg-memory-same" })]);
      const segments = tensors.map((tensor) =>
        el("button", {
          type: "button",
          class: "pg-segment",
          title: tensor.name,
          "data-tensor": idOf(tensor),
          "aria-label": `${tensor.name}, ${grouped(tensor.floats)} floats`,
          style: `flex: ${tensor.floats} 1 0; background: ${KINDS[tensor.kind].colour}`,
          click: () => {
            choose(idOf(tensor));
            showChosen();
          },
        }),
      );
      buttons.push(segments);
      return row(title, total, segments);
    });
    map.replaceChildren(...rows, row("their gradients", D, [el("span", { class: "pg-memory-same" })]));
    roving(buttons);
    select.replaceChildren(
      ...[
        ["Parameters", parameters],
        ["Activations", activations],
      ].map(([title, tensors]) =>
        el(
          "optgroup",
          { label: title },
          ...tensors.map((tensor) =>
            el(
              "option",
              { value: idOf(tensor) },
              `${tensor.name}  (${[...(tensor.layers > 1 ? [tensor.layers] : []), ...tensor.axes.map(([, size]) => size)].join(", ")})`,
            ),
          ),
        ),
      ),
    );
    search.max = 4 * P + A - 1;
    total.textContent = `${grouped(P)} parameters; to train, ${grouped(4 * P + A + D)} floats in all, ${megabytes(4 * P + A + D)}`;
    showChosen();
  }
  const total = el("p", { class: "pg-result", "data-name": "total" });

  function showChosen(fillSearch = true) {
    const tensor = chosen();
    select.value = state.name;
    for (const segment of map.querySelectorAll(".pg-segment"))
      segment.setAttribute("aria-pressed", segment.dataset.tensor === state.name);
    const limits = [["layer", tensor.layers], ...tensor.axes];
    state.layer = Math.min(state.layer, tensor.layers - 1);
    state.indices = tensor.axes.map(([, size], i) => Math.min(state.indices[i] ?? 0, size - 1));
    const values = [state.layer, ...state.indices];
    const set = (i, value) => {
      if (i === 0) state.layer = value;
      else state.indices[i - 1] = value;
      showAddress(tensor);
    };
    fields.replaceChildren(
      ...limits.flatMap(([title, size], i) => {
        if (i === 0 && size === 1) return [];
        const id = `playground-memory-${i}`;
        const input = el("input", {
          type: "number",
          id,
          class: "pg-index",
          min: 0,
          max: size - 1,
          step: 1,
          value: values[i],
        });
        const read = () => Math.min(Math.max(Math.floor(input.valueAsNumber) || 0, 0), size - 1);
        input.addEventListener("input", () => set(i, read()));
        input.addEventListener("change", () => {
          input.value = read();
        });
        return [el("div", { class: "pg-field" }, el("label", { for: id }, `${title} (below ${grouped(size)})`), input)];
      }),
    );
    showAddress(tensor, fillSearch);
  }

  function showAddress(tensor, fillSearch = true) {
    const offset = offsetOf(tensor, state.layer, state.indices);
    const float = tensor.at + offset;
    const isParameter = state.name.startsWith("params");
    const steps = [
      ...(tensor.layers > 1 ? [[null, state.layer]] : []),
      ...tensor.axes.map(([, size], i) => [size, state.indices[i]]),
    ];
    const written = steps.reduce(
      (text, [size, index], i) => (i === 0 ? String(index) : `${i > 1 ? `(${text})` : text} * ${size} + ${index}`),
      "",
    );
    formula.replaceChildren(el("code", {}, `${tensor.name}[${written}]`));
    const wanted = {
      offset: ["place in its tensor", grouped(offset)],
      float: ["float of the memory", grouped(float)],
      byte: ["byte of the memory", grouped(float * FLOAT)],
      file: ["byte of a checkpoint", isParameter ? grouped(HEADER * FLOAT + float * FLOAT) : "not stored"],
    };
    answer.replaceChildren(
      ...Object.entries(wanted).map(([key, [what, number]]) =>
        el("div", { "data-name": key }, el("dt", {}, what), el("dd", {}, number)),
      ),
    );
    if (fillSearch) search.value = float;
    keep();
    said.say(
      `${tensor.name} has ${grouped(tensor.floats)} floats, ${megabytes(tensor.floats)}, from float ${grouped(tensor.at)} on.`,
    );
  }

  app.append(
    controls(model.element, batch.element, length.element),
    map,
    legend(Object.values(KINDS)),
    total,
    el(
      "div",
      { class: "pg-controls" },
      el("div", { class: "pg-field" }, el("label", { for: select.id }, "Tensor"), select),
      el("div", { class: "pg-field" }, el("label", { for: search.id }, "or find float"), search),
    ),
    fields,
    formula,
    answer,
    said.element,
  );
  update();
}

mount("gpt2-memory", build);
