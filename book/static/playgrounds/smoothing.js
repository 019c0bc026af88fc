// Label-smoothing explorer: two kinds of targets, a prediction to make more or less sure, and what it costs.
import {
  below,
  BLUE,
  choice,
  controls,
  drawing,
  el,
  fixed,
  from,
  GREEN,
  legend,
  lineChart,
  mount,
  oneOf,
  ORANGE,
  range,
  remembered,
  sentence,
  slider,
  VERMILLION,
} from "./common.js";

const PADDING = 0;

/** "all": the paper's targets, over all classes. "others": over the classes that are neither the target nor padding. */
export function targetsOf(kind, size, target, epsilon) {
  return range(size).map((c) => {
    if (kind === "all") return (1 - epsilon) * (c === target ? 1 : 0) + epsilon / size;
    if (c === PADDING) return 0;
    return c === target ? 1 - epsilon : epsilon / (size - 2);
  });
}

/** A prediction that gives the target so much and shares the rest evenly, with padding only where it can be asked for. */
export function predictionOf(kind, size, target, confidence) {
  const others = kind === "all" ? size - 1 : size - 2;
  return range(size).map((c) =>
    c === target ? confidence : kind === "others" && c === PADDING ? 0 : (1 - confidence) / others,
  );
}

const sum = (p, of) => p.reduce((total, share, c) => total + (share > 0 ? share * of(share, c) : 0), 0);

/** In nats; a class with p = 0 has no part in any of them. */
export const entropy = (p) => sum(p, (share) => -Math.log(share));
export const crossEntropy = (p, q) => sum(p, (_, c) => -Math.log(q[c]));
export const divergence = (p, q) => sum(p, (share, c) => Math.log(share) - Math.log(q[c]));

function build(app, start) {
  const { state, keep } = remembered(app, start, {
    kind: oneOf(["all", "others"]),
    epsilon: from(0, 1),
    size: oneOf(range(13).slice(3)),
    target: (value) => value > PADDING && below(12)(value),
    confidence: from(0.005, 0.995),
  });
  const said = sentence();
  const facts = el("dl", { class: "pg-numbers" });
  const bars = el("div", { class: "pg-classes", role: "group", "aria-label": "Classes: choose the target" });
  const change = (part) => {
    Object.assign(state, part);
    update();
  };
  const kind = choice({
    legend: "ε is spread",
    options: { all: "over all classes", others: "over the others, without padding" },
    value: state.kind,
    onChange: (value) => change({ kind: value }),
  });
  const sliders = [
    slider({
      label: "Smoothing ε",
      min: 0,
      max: 1,
      step: 0.01,
      value: state.epsilon,
      show: (value) => fixed(value, 2),
      onInput: (epsilon) => change({ epsilon }),
    }),
    slider({ label: "Classes V", min: 3, max: 12, value: state.size, onInput: (size) => change({ size }) }),
    slider({
      label: "Predicted for the target",
      min: 0.005,
      max: 0.995,
      step: 0.005,
      value: state.confidence,
      show: (value) => fixed(value, 3),
      onInput: (confidence) => change({ confidence }),
    }),
  ];
  const loss = (confidence) =>
    divergence(
      targetsOf(state.kind, state.size, state.target, state.epsilon),
      predictionOf(state.kind, state.size, state.target, confidence),
    );
  const chart = drawing((width) => {
    const places = range(199).map((i) => 0.005 + i * 0.005);
    const best = targetsOf(state.kind, state.size, state.target, state.epsilon)[state.target];
    const high = Math.min(Math.max(1.2 * loss(0.995), 1.2 * loss(0.3), 1.2 * loss(state.confidence), 0.3), 6);
    return lineChart({
      width,
      height: 220,
      label: "Divergence against the probability of the target",
      x: {
        low: 0,
        high: 1,
        label: "predicted for the target",
        ticks: [0, 0.2, 0.4, 0.6, 0.8, 1],
        show: (value) => fixed(value, 1),
      },
      y: { low: 0, high, label: "divergence (nats)", show: (value) => fixed(value, 1) },
      series: [
        { colour: BLUE, points: places.map((place) => [place, loss(place)]).filter(([, cost]) => cost <= high) },
      ],
      marks: [
        { x: best, colour: GREEN, line: true },
        { x: state.confidence, y: Math.min(loss(state.confidence), high), colour: VERMILLION },
      ],
    });
  });

  function update() {
    state.target = Math.min(state.target, state.size - 1);
    const p = targetsOf(state.kind, state.size, state.target, state.epsilon);
    const q = predictionOf(state.kind, state.size, state.target, state.confidence);
    const focused = bars.contains(document.activeElement) ? [...bars.children].indexOf(document.activeElement) : -1;
    bars.replaceChildren(
      ...p.map((share, c) => {
        const name = c === PADDING ? "padding" : `class ${c}`;
        const bar = (value, colour, what) =>
          el(
            "span",
            { class: "pg-track" },
            el("span", { class: "pg-bar", style: `width: ${100 * value}%; background: ${colour}` }),
            el("span", { class: "pg-share", "data-name": what }, fixed(value, 3)),
          );
        return el(
          "button",
          {
            type: "button",
            class: "pg-class",
            "aria-pressed": c === state.target,
            disabled: c === PADDING,
            click: () => change({ target: c }),
          },
          el("span", { class: "pg-class-name" }, c === state.target ? `${name} ★` : name),
          bar(share, BLUE, "p"),
          bar(q[c], ORANGE, "q"),
        );
      }),
    );
    if (focused >= 0) bars.children[Math.min(focused, state.size - 1)].focus();
    chart.redraw();
    const wanted = {
      entropy: ["entropy of the targets H(p)", fixed(entropy(p), 4)],
      cross: ["cross-entropy H(p, q)", fixed(crossEntropy(p, q), 4)],
      divergence: ["divergence D(p ‖ q)", fixed(divergence(p, q), 4)],
    };
    facts.replaceChildren(
      ...Object.entries(wanted).map(([key, [what, number]]) =>
        el("div", { "data-name": key }, el("dt", {}, what), el("dd", {}, number)),
      ),
    );
    keep();
    const best = p[state.target];
    const away = state.confidence - best;
    said.say(
      `The target keeps ${fixed(best, 3)}. A prediction of ${fixed(state.confidence, 3)} is ` +
        (Math.abs(away) < 0.0026
          ? "as sure as the targets ask"
          : away > 0
            ? "surer than the targets ask"
            : "less sure than the targets ask") +
        ` and costs ${fixed(divergence(p, q), 4)} nats.`,
    );
  }

  app.append(
    controls(kind.element, ...sliders.map(({ element }) => element)),
    legend([
      { colour: BLUE, label: "target p" },
      { colour: ORANGE, label: "prediction q" },
    ]),
    bars,
    facts,
    chart.element,
    legend([
      { colour: BLUE, label: "divergence" },
      { colour: GREEN, dash: "3 3", label: "what the targets ask for" },
      { colour: VERMILLION, label: "this prediction" },
    ]),
    said.element,
  );
  update();
}

mount("smoothing", build);
