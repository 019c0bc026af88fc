// BLEU calculator: a candidate and its references to type, their n-grams, and every part of the score.
import { BLUE, choice, controls, el, fixed, legend, mount, oneOf, range, remembered, sentence, VERMILLION } from "./common.js";

/** Tokens of a sentence: what stands between spaces. */
export const split = (text) => text.split(/\s+/u).filter(Boolean);

const SEPARATOR = "\u0000";

/** How often each run of n neighbouring tokens occurs: a Map from runs, joined, to counts. */
export function ngramCounts(tokens, n) {
  const counts = new Map();
  for (let i = 0; i + n <= tokens.length; i++) {
    const key = tokens.slice(i, i + n).join(SEPARATOR);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The n-grams of the candidate: [{ key, count, most, clipped }], where `most` is the largest count in one reference. */
export function compared(candidate, references, n) {
  const theirs = references.map((reference) => ngramCounts(reference, n));
  return [...ngramCounts(candidate, n)].map(([key, count]) => {
    const most = Math.max(0, ...theirs.map((counts) => counts.get(key) ?? 0));
    return { key, count, most, clipped: Math.min(count, most) };
  });
}

export function modifiedPrecision(candidate, references, n) {
  const found = compared(candidate, references, n);
  const total = (what) => found.reduce((sum, one) => sum + one[what], 0);
  return [total("clipped"), total("count")];
}

export const brevityPenalty = (c, r) => (c === 0 ? 0 : Math.exp(Math.min(0, 1 - r / c)));

/** The reference length nearest to the candidate's; of two equally near, the shorter. */
export function closestLength(candidate, references) {
  const away = (length) => Math.abs(length - candidate.length);
  return references
    .map((one) => one.length)
    .reduce((best, one) => (away(one) < away(best) || (away(one) === away(best) && one < best) ? one : best));
}

/** The score of one candidate, with its parts: { precisions: [[clipped, total]], c, r, penalty, score }. */
export function bleu(candidate, references, maxN = 4, smooth = false) {
  const precisions = range(maxN).map((i) => {
    const [clipped, total] = modifiedPrecision(candidate, references, i + 1);
    return smooth && i > 0 ? [clipped + 1, total + 1] : [clipped, total];
  });
  const c = candidate.length,
    r = closestLength(candidate, references),
    penalty = brevityPenalty(c, r);
  const mean = precisions.reduce((sum, [clipped, total]) => sum + Math.log(clipped / total), 0) / maxN;
  const score = precisions.some(([clipped]) => clipped === 0) ? 0 : 100 * penalty * Math.exp(mean);
  return { precisions, c, r, penalty, score };
}

/** For each place of the candidate whether the n-gram that starts there counts: clipping spares the first ones. */
export function counted(candidate, references, n) {
  const left = new Map(compared(candidate, references, n).map(({ key, clipped }) => [key, clipped]));
  return range(Math.max(candidate.length - n + 1, 0)).map((i) => {
    const key = candidate.slice(i, i + n).join(SEPARATOR);
    const spare = left.get(key);
    left.set(key, spare - 1);
    return spare > 0;
  });
}

function build(app, start) {
  const { examples, ...usual } = start;
  const names = Object.keys(examples);
  const { state, keep } = remembered(
    app,
    { ...usual, references: start.references.join("\n") },
    { example: oneOf(names), n: oneOf([1, 2, 3, 4]), maxN: oneOf([1, 2, 3, 4]) },
  );
  const said = sentence();
  const change = (part) => {
    Object.assign(state, { chosen: "" }, part);
    update();
  };
  const field = (label, key, rows) => {
    const id = `playground-bleu-${key}`;
    const area = el("textarea", { id, rows, class: "pg-text", spellcheck: "false" });
    area.value = state[key];
    area.addEventListener("input", () => change({ [key]: area.value }));
    return { element: el("div", { class: "pg-field" }, el("label", { for: id }, label), area), area };
  };
  const candidateField = field("Candidate", "candidate", 2),
    referenceField = field("References, one on each line", "references", 3);
  const example = choice({
    legend: "Example",
    options: Object.fromEntries(names.map((name) => [name, name])),
    value: state.example,
    onChange: (name) => {
      const { candidate, references } = examples[name];
      candidateField.area.value = candidate;
      referenceField.area.value = references.join("\n");
      change({ example: name, candidate, references: references.join("\n") });
    },
  });
  const numbers = Object.fromEntries([1, 2, 3, 4].map((n) => [n, String(n)]));
  const shownN = choice({
    legend: "Show n-grams of length",
    options: numbers,
    value: String(state.n),
    onChange: (n) => change({ n: Number(n) }),
  });
  const maxN = choice({
    legend: "Longest n that counts",
    options: numbers,
    value: String(state.maxN),
    onChange: (n) => change({ maxN: Number(n) }),
  });
  const smooth = choice({
    legend: "Smoothing",
    options: { none: "none", add: "add-k" },
    value: state.smooth ? "add" : "none",
    onChange: (value) => change({ smooth: value === "add" }),
  });
  const texts = el("div", { class: "pg-texts" });
  const chips = el("div", {
    class: "pg-chips",
    role: "group",
    "aria-label": "N-grams of the candidate; press one to find it in the texts",
  });
  const parts = el("table", { class: "pg-parts" });
  const result = el("p", { class: "pg-result" });

  function sentenceOf(name, tokens, classOf) {
    return el(
      "p",
      { class: "pg-words" },
      el("span", { class: "pg-words-name" }, name),
      ...tokens.flatMap((token, i) => [el("span", { class: `pg-word ${classOf(i)}` }, token), " "]),
    );
  }

  function update() {
    keep();
    const { n, maxN: longest, chosen } = state;
    const candidate = split(state.candidate);
    const references = state.references
      .split("\n")
      .map(split)
      .filter((tokens) => tokens.length);
    if (!references.length) references.push([]);
    const hits = counted(candidate, references, n);
    const inChosen = (tokens, i) =>
      chosen &&
      range(n).some((back) => i - back >= 0 && tokens.slice(i - back, i - back + n).join(SEPARATOR) === chosen);
    const covered = (i, wanted) => range(n).some((back) => i - back >= 0 && hits[i - back] === wanted);
    texts.replaceChildren(
      sentenceOf(
        "candidate",
        candidate,
        (i) => `${covered(i, true) ? "pg-found" : "pg-lost"} ${inChosen(candidate, i) ? "pg-marked" : ""}`,
      ),
      ...references.map((tokens, k) =>
        sentenceOf(`reference ${k + 1}`, tokens, (i) => (inChosen(tokens, i) ? "pg-marked" : "")),
      ),
    );
    const found = compared(candidate, references, n);
    chips.replaceChildren(
      ...found.map(({ key, count, clipped }) =>
        el(
          "button",
          {
            type: "button",
            class: `pg-button pg-chip ${clipped === count ? "pg-found" : clipped ? "pg-partly" : "pg-lost"}`,
            "aria-pressed": key === chosen,
            click: () => {
              change({ chosen: key === chosen ? "" : key });
              chips.children[found.findIndex((one) => one.key === key)].focus();
            },
          },
          `${clipped === count ? "✓" : clipped ? "◐" : "×"} ${key.split(SEPARATOR).join(" ")} `,
          el("span", { class: "pg-count" }, `${clipped}/${count}`),
        ),
      ),
      ...(found.length ? [] : [`The candidate has no ${n}-gram.`]),
    );
    const { precisions, c, r, penalty, score } = bleu(candidate, references, longest, state.smooth);
    parts.replaceChildren(
      el("caption", {}, "The parts of the score"),
      el(
        "thead",
        {},
        el("tr", {}, ...["n", "counted", "of all", "precision"].map((text) => el("th", { scope: "col" }, text))),
      ),
      el(
        "tbody",
        {},
        ...precisions.map(([clipped, total], i) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, String(i + 1)),
            el("td", {}, String(clipped)),
            el("td", {}, String(total)),
            el("td", {}, total ? fixed(clipped / total, 4) : "–"),
          ),
        ),
      ),
    );
    result.replaceChildren(
      el(
        "span",
        {},
        `candidate ${c}, reference ${r} tokens: brevity penalty `,
        el("strong", { "data-name": "penalty" }, fixed(penalty, 4)),
      ),
      el("span", { class: "pg-score" }, "BLEU ", el("strong", { "data-name": "score" }, fixed(score, 2))),
    );
    const empty = precisions.findIndex(([clipped]) => clipped === 0);
    said.say(
      empty >= 0
        ? `No ${empty + 1}-gram of the candidate is found, so the product of the precisions, and the score, is 0.`
        : `Score ${fixed(score, 2)}: ${fixed(penalty, 4)} times the geometric mean of ${longest} precision${longest > 1 ? "s" : ""}, times 100.`,
    );
  }

  app.append(
    example.element,
    candidateField.element,
    referenceField.element,
    controls(shownN.element, maxN.element, smooth.element),
    texts,
    legend([
      { colour: BLUE, label: "in an n-gram that counts" },
      { colour: VERMILLION, dash: "3 3", label: "in none" },
    ]),
    chips,
    parts,
    result,
    said.element,
  );
  update();
}

mount("bleu", build);
