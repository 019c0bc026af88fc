// Learning-rate schedule: width, warm-up and factor to slide, a step to read off, curves to keep and compare.
import {
  below,
  BLUE,
  button,
  checkbox,
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
  pointed,
  PURPLE,
  range,
  remembered,
  sentence,
  slider,
  VERMILLION,
} from "./common.js";

/** Learning rate of a step, counted from 1; 0 counts as 1. */
export function noamLr(step, width, warmup = 4000, factor = 1) {
  const k = Math.max(step, 1);
  return factor * width ** -0.5 * Math.min(k ** -0.5, k * warmup ** -1.5);
}

/** A rate as text: 6.988 × 10⁻⁴; a power of ten without a factor if there are no digits. */
export function scientific(value, digits = 3) {
  const [factor, power] = value.toExponential(digits).split("e");
  const raised = power.replace(/./g, (sign) => ({ "+": "", "-": "⁻" })[sign] ?? "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign]);
  return factor === "1" ? `10${raised}` : `${factor} × 10${raised}`;
}

const KEPT = [
  { colour: VERMILLION, dash: "7 4" },
  { colour: GREEN, dash: "2 4" },
  { colour: PURPLE, dash: "10 3 2 3" },
];

function build(app, start) {
  const { widths, warmups, lengths, ...usual } = start;
  const curveIs = ({ width, warmup, factor: by }) =>
    widths.includes(width) && warmups.includes(warmup) && from(0.1, 3)(by);
  const { state, keep: remember } = remembered(app, usual, {
    width: oneOf(widths),
    warmup: oneOf(warmups),
    factor: from(0.1, 3),
    step: below(Math.max(...lengths) + 1),
    steps: oneOf(lengths),
    kept: (curves) => curves.length <= KEPT.length && curves.every(curveIs),
  });
  const kept = state.kept.map((one, i) => ({ ...one, ...KEPT[i] }));
  const said = sentence();
  const facts = el("dl", { class: "pg-numbers" });
  const keys = el("div");
  const change = (part) => {
    Object.assign(state, part);
    update();
  };
  const listed = (label, values, key, show = String) =>
    slider({
      label,
      min: 0,
      max: values.length - 1,
      value: values.indexOf(state[key]),
      show: (i) => show(values[i]),
      onInput: (i) => change({ [key]: values[i] }),
    });
  const step = slider({
    label: "Step k",
    min: 0,
    max: state.steps,
    value: state.step,
    onInput: (value) => change({ step: value }),
  });
  const wide = listed("Width d", widths, "width"),
    warm = listed("Warm-up w", warmups, "warmup");
  const factor = slider({
    label: "Factor",
    min: 0.1,
    max: 3,
    step: 0.1,
    value: state.factor,
    show: (value) => fixed(value, 1),
    onInput: (value) => change({ factor: value }),
  });
  const shown = listed("Steps shown", lengths, "steps");
  const log = checkbox({ label: "logarithmic axes", checked: state.log, onChange: (on) => change({ log: on }) });

  const curve = ({ width, warmup, factor: by }) => {
    const n = 300;
    const places = range(n + 1).map((i) => (state.log ? state.steps ** (i / n) : Math.max(1, (state.steps * i) / n)));
    if (warmup < state.steps) places.push(warmup);
    return places.sort((a, b) => a - b).map((k) => [k, noamLr(k, width, warmup, by)]);
  };
  const name = ({ width, warmup, factor: by }) =>
    `d = ${width}, w = ${warmup}${by === 1 ? "" : `, factor ${fixed(by, 1)}`}`;
  const chart = drawing((width) => {
    const series = [...kept, { ...state, colour: BLUE }].map((one) => ({
      colour: one.colour,
      dash: one.dash,
      points: curve(one),
    }));
    const rates = series.flatMap(({ points }) => points.map(([, rate]) => rate));
    const high = Math.max(...rates),
      low = Math.min(...rates);
    const powers = range(12).map((i) => 10 ** (i - 10));
    const drawn = lineChart({
      width,
      height: 280,
      label: `Learning rate against the step, for ${name(state)}`,
      x: {
        log: state.log,
        low: state.log ? 1 : 0,
        high: state.steps,
        label: "step",
        ...(state.log && { ticks: [1, 10, 100, 1000, 10000, 100000].filter((t) => t <= state.steps) }),
      },
      y: {
        log: state.log,
        low: state.log ? low / 1.5 : 0,
        high: high * (state.log ? 1.5 : 1.08),
        label: "learning rate",
        show: (value) => (value ? scientific(value, state.log ? 0 : 1) : "0"),
        ...(state.log && { ticks: powers.filter((t) => t >= low / 1.5 && t <= high * 1.5) }),
      },
      series,
      marks: [
        ...(state.warmup <= state.steps ? [{ x: state.warmup, colour: ORANGE, line: true }] : []),
        {
          x: Math.max(state.step, state.log ? 1 : 0),
          y: noamLr(state.step, state.width, state.warmup, state.factor),
          colour: BLUE,
        },
      ],
    });
    pointed(drawn, (event) => change({ step: Math.round(drawn.place(event.clientX)) }));
    return drawn;
  });

  function update() {
    state.step = Math.min(state.step, state.steps);
    step.input.max = state.steps;
    step.set(state.step);
    chart.redraw();
    const rate = noamLr(state.step, state.width, state.warmup, state.factor);
    const peak = noamLr(state.warmup, state.width, state.warmup, state.factor);
    const wanted = {
      rate: [`rate at step ${state.step}`, scientific(rate)],
      peak: [`peak, at step ${state.warmup}`, scientific(peak)],
      share: ["of the peak", `${fixed((100 * rate) / peak, 1)} %`],
    };
    facts.replaceChildren(
      ...Object.entries(wanted).map(([key, [what, number]]) =>
        el("div", { "data-name": key }, el("dt", {}, what), el("dd", {}, number)),
      ),
    );
    keys.replaceChildren(
      legend([
        { colour: BLUE, label: name(state) },
        ...kept.map((one) => ({ ...one, label: name(one) })),
        { colour: ORANGE, dash: "3 3", label: "end of the warm-up" },
      ]),
    );
    const where =
      Math.max(state.step, 1) < state.warmup
        ? "Still warming up"
        : Math.max(state.step, 1) === state.warmup
          ? "At the peak"
          : "After the warm-up, falling as one over the root of the step";
    said.say(`${where}: the rate of step ${state.step} is ${scientific(rate)}.`);
    keep.disabled = kept.length === KEPT.length;
    clear.disabled = !kept.length;
    remember({ kept: kept.map(({ width, warmup, factor: by }) => ({ width, warmup, factor: by })) });
  }

  const keep = button("Keep this curve", () => {
    kept.push({ ...KEPT[kept.length], width: state.width, warmup: state.warmup, factor: state.factor });
    update();
  });
  const clear = button("Remove kept curves", () => {
    kept.length = 0;
    update();
  });
  app.append(
    controls(wide.element, warm.element, factor.element, step.element, shown.element, log.element),
    chart.element,
    keys,
    facts,
    said.element,
    controls(keep, clear),
  );
  update();
}

mount("schedule", build);
