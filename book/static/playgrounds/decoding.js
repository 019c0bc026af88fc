// Sampling and beam search as trees: what a model expects next, which of it the filters keep, and which way is taken.
import {
  button,
  choice,
  controls,
  el,
  fixed,
  from,
  mount,
  oneOf,
  range,
  remembered,
  sentence,
  slider,
  softmax,
  svg,
  textField,
} from "./common.js";
import { forward, loaded, readable, visible } from "./model.js";

// --- the arithmetic --------------------------------------------------------------------------------------------

/** The order of tokens by falling score; equal ones in the order of the vocabulary. */
const byScore = (scores) => range(scores.length).sort((a, b) => scores[b] - scores[a] || a - b);

/** The largest score alone, as temperature 0 has it. */
const onlyBest = (scores) => scores.map((_, i) => (i === scores.indexOf(Math.max(...scores)) ? 1 : 0));

/** Probabilities (V,) to draw from: logits over a temperature, then top-k, then top-p of what is left. */
export function filtered(logits, temperature, topK = null, topP = null) {
  if (temperature === 0) return onlyBest(logits);
  const scaled = logits.map((logit) => logit / temperature);
  const smallest = topK === null || topK >= scaled.length ? -Infinity : scaled[byScore(scaled)[topK - 1]];
  let probabilities = softmax(scaled.map((logit) => (logit < smallest ? -Infinity : logit)));
  if (topP !== null && topP < 1) {
    let before = 0;
    const kept = new Set();
    for (const token of byScore(probabilities)) {
      if (before < topP) kept.add(token);
      before += probabilities[token];
    }
    probabilities = probabilities.map((share, token) => (kept.has(token) ? share : 0));
  }
  const sum = probabilities.reduce((a, b) => a + b, 0);
  return probabilities.map((share) => share / sum);
}

/**
 * Beam search, step by step.
 *
 * `expects(ids)` gives the log-probabilities (V,) after these ids, `end` is the id that ends an output, and `steps` is
 * the largest number of ids of one. Returns `levels`, for each step its candidates { ids, sum, kept, ended }, the largest sums first: those
 * that are kept and as many again that are not; and `best`, the output that wins, { ids, sum, score, ended }.
 */
export function beamSearch(expects, end, steps, size, penalty) {
  let beams = [{ ids: [], sum: 0 }];
  const finished = [];
  const levels = [];
  const score = ({ ids, sum }) => sum / ((5 + ids.length) / 6) ** penalty;
  for (let step = 1; step <= steps && beams.length; step++) {
    const candidates = beams
      .flatMap(({ ids, sum }) => expects(ids).map((logProb, token) => ({ ids: [...ids, token], sum: sum + logProb })))
      .filter(({ sum }) => sum > -Infinity)
      .sort((a, b) => b.sum - a.sum);
    const room = size - finished.length;
    const level = candidates
      .slice(0, 2 * room)
      .map((one, place) => ({ ...one, kept: place < room, ended: one.ids.at(-1) === end }));
    levels.push(level);
    const survivors = level.filter(({ kept }) => kept);
    finished.push(...survivors.filter(({ ended }) => ended).map((one) => ({ ...one, score: score(one) })));
    beams = survivors.filter(({ ended }) => !ended);
  }
  const all = finished.length ? finished : beams.map((one) => ({ ...one, score: one.sum }));
  const best = all.reduce((a, b) => (b.score > a.score ? b : a));
  return { levels, best };
}

// --- the models ------------------------------------------------------------------------------------------------

/** The two writers of the chapter: a table of what may follow each beginning. */
function writersModel({ tokens, table, end }) {
  const expects = (ids) => {
    const row = table[ids.map((id) => tokens[id]).join("")] ?? {};
    return tokens.map((token) => Math.log(row[token] ?? 0));
  };
  return { tokens, end: tokens.indexOf(end), expects };
}

/** Beam search over such a table. */
export function searchTable(writers, steps, size, penalty) {
  const { expects, end } = writersModel(writers);
  return beamSearch(expects, end, steps, size, penalty);
}

/** The trained model of characters, after a beginning; a line break ends an entry. */
function charactersModel(model, beginning) {
  const { characters, block_size: longest } = model;
  const start = beginning.map((character) => characters.indexOf(character));
  const known = new Map();
  const expects = (ids) => {
    const key = ids.join();
    if (!known.has(key)) {
      const { probabilities } = forward(model, [...start, ...ids].slice(-longest));
      known.set(key, probabilities.at(-1).map(Math.log));
    }
    return known.get(key);
  };
  return { tokens: [...characters], end: characters.indexOf("\n"), expects };
}

// --- the tree --------------------------------------------------------------------------------------------------

const COLUMN = 50; // pixels, at least
const ROW = 46;
const LONGEST = 24; // characters of a beginning
const DEEPEST = 8; // characters that are written
const SHOWN = 5; // candidates of a step of sampling

/** Nodes at places, and lines between them; a node that stays moves to its new place. */
function tree() {
  const lines = svg("svg", { class: "pg-lines", "aria-hidden": "true" });
  const element = el("div", { class: "pg-tree", role: "group" }, lines);
  const nodes = new Map();
  /** `wanted`: [{ key, column, row, parent, label, number, kind, about, press }]; a parent is a key. */
  const show = (wanted, { columns, rows, first = 0 }) => {
    const wide = element.clientWidth / columns;
    element.style.height = `${rows * ROW + 8}px`;
    const place = ({ column, row }) => [(column - first) * wide + wide / 2, row * ROW + ROW / 2 + 4];
    const visibleNow = wanted.filter(({ column }) => column >= first);
    const keys = new Set(visibleNow.map(({ key }) => key));
    for (const [key, node] of nodes) {
      if (keys.has(key)) continue;
      node.remove();
      nodes.delete(key);
    }
    const byKey = new Map(wanted.map((one) => [one.key, one]));
    visibleNow.forEach((one, i) => {
      if (!nodes.has(one.key)) {
        const made = el("button", { type: "button", click: () => made.press?.() });
        nodes.set(one.key, made);
        // From the root to the leaves, for the tab key; what is there already stays, with the focus and on its way.
        const following = visibleNow.slice(i + 1).find(({ key }) => nodes.has(key));
        element.insertBefore(made, following ? nodes.get(following.key) : null);
      }
      const node = nodes.get(one.key);
      node.press = one.press;
      node.className = `pg-node pg-${one.kind}`;
      node.disabled = !one.press;
      node.replaceChildren(el("span", {}, one.label), el("small", {}, one.number ?? ""));
      node.setAttribute("aria-label", one.about);
      if (one.kind === "taken") node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
      const [x, y] = place(one);
      node.style.transform = `translate(${(x - 22).toFixed(1)}px, ${(y - 22).toFixed(1)}px)`;
    });
    lines.setAttribute("width", element.clientWidth);
    lines.setAttribute("height", rows * ROW + 8);
    lines.replaceChildren(
      ...visibleNow
        .filter((one) => keys.has(one.parent))
        .map((one) => {
          const [x1, y1] = place(byKey.get(one.parent));
          const [x2, y2] = place(one);
          const middle = (x1 + x2) / 2;
          return svg("path", {
            class: `pg-branch pg-${one.kind}`,
            d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`,
          });
        }),
    );
  };
  return { element, show };
}

async function build(app, { writers, ...start }) {
  const model = await loaded(app.parentElement);
  const { state, keep } = remembered(app, start, {
    rule: oneOf(["sampling", "beam"]),
    model: oneOf(["writers", "characters"]),
    temperature: from(0, 3),
    k: from(1, 12),
    p: from(0.05, 1),
    beams: oneOf([1, 2, 3, 4]),
    depth: oneOf(range(DEEPEST + 1).slice(1)),
    penalty: from(0, 2),
  });
  let expects, tokens, end, beginning;

  const said = sentence();
  const problem = el("p", { class: "pg-note", role: "status" });
  const text = el("p", { class: "pg-written" });
  const { element: drawn, show: draw } = tree();
  const prompt = textField({
    label: "Beginning",
    longest: LONGEST,
    value: state.text,
    onInput: (text) => {
      state.text = text;
      state.path = "";
      choose();
    },
  });

  const changed = (name) => (value) => {
    state[name] = value;
    show();
  };
  const picked = (legend, name, options, then) =>
    choice({
      legend,
      options,
      value: state[name],
      onChange: (value) => {
        state[name] = value;
        then();
      },
    }).element;
  const moved = (label, name, min, max, step, shown = String) =>
    slider({ label, min, max, step, value: state[name], show: shown, onInput: changed(name) }).element;
  const none = (limit) => (value) => (value >= limit ? "no limit" : String(value));
  const forSampling = controls(
    moved("Temperature τ", "temperature", 0, 3, 0.1, (value) => fixed(value, 1)),
    moved("Top-k", "k", 1, 12, 1, none(12)),
    moved("Top-p", "p", 0.05, 1, 0.05, none(1)),
  );
  const forBeams = controls(
    moved("Beam size", "beams", 1, 4, 1),
    moved("Steps", "depth", 1, DEEPEST, 1),
    moved("Length penalty α", "penalty", 0, 2, 0.1, (value) => fixed(value, 1)),
  );
  const drawOne = button("Draw a token", () => take(drawFrom(shares(state.path))));
  const back = button("Back", () => {
    state.path = [...state.path].slice(0, -1).join("");
    show();
  });
  const again = button("Start again", () => {
    state.path = "";
    show();
  });
  const buttons = controls(drawOne, back, again);

  const idsOf = (path) => [...path].map((token) => tokens.indexOf(token));
  const shares = (path) =>
    filtered(expects(idsOf(path)), state.temperature, state.k < 12 ? state.k : null, state.p < 1 ? state.p : null);
  const isOver = (path) => [...path].at(-1) === tokens[end] || [...path].length >= DEEPEST;

  /** A token by chance, with these probabilities. */
  function drawFrom(probabilities) {
    let left = Math.random();
    const possible = range(probabilities.length).filter((token) => probabilities[token] > 0);
    return possible.find((token) => (left -= probabilities[token]) < 0) ?? possible.at(-1);
  }

  function take(token) {
    state.path += tokens[token];
    show();
  }

  function choose() {
    const small = state.model === "characters";
    const { known, problem: left } = readable(state.text, model.characters);
    problem.textContent = small ? left : "";
    beginning = small ? (known.length ? known.slice(0, LONGEST) : ["\n"]) : [];
    ({ tokens, end, expects } = small ? charactersModel(model, beginning) : writersModel(writers));
    prompt.hidden = !small;
    // A path from an address may be none: then it ends before the first token that cannot follow.
    let path = "";
    for (const token of state.path) {
      if (!tokens.includes(token) || isOver(path) || !(expects(idsOf(path))[tokens.indexOf(token)] > -Infinity)) break;
      path += token;
    }
    state.path = path;
    show();
  }

  function show() {
    if (!tokens) return;
    const beam = state.rule === "beam";
    forSampling.hidden = buttons.hidden = beam;
    forBeams.hidden = !beam;
    if (drawn.clientWidth) (beam ? showBeams : showSampling)();
    keep();
  }

  const letter = (token) => visible(tokens[token]);
  const root = { key: "", column: 0, label: "▸", kind: "taken", about: "the beginning" };
  const columnsThatFit = () => Math.max(3, Math.floor(drawn.clientWidth / COLUMN));
  const textOf = (path) => [...beginning, ...path].map(visible).join("");

  function showSampling() {
    const path = [...state.path];
    const levels = isOver(state.path) ? path.length : path.length + 1;
    const nodes = [];
    range(levels).forEach((depth) => {
      const before = path.slice(0, depth).join("");
      const logProbs = expects(idsOf(before));
      const probabilities = shares(before);
      const taken = path[depth];
      const order = byScore(logProbs).filter((token) => logProbs[token] > -Infinity);
      const shown = order.slice(0, SHOWN);
      if (taken && !shown.includes(tokens.indexOf(taken))) shown.splice(-1, 1, tokens.indexOf(taken));
      shown.forEach((token, row) => {
        const key = before + tokens[token];
        const kept = probabilities[token] > 0;
        const share = fixed(kept ? probabilities[token] : Math.exp(logProbs[token]), 2);
        const about = kept ? `probability ${share}` : "left out by the filters";
        nodes.push({
          key,
          column: depth + 1,
          row,
          parent: before,
          label: letter(token),
          number: kept ? share : "out",
          kind: tokens[token] === taken ? "taken" : kept ? "open" : "out",
          about: `${letter(token)} after “${textOf(before)}”: ${about}`,
          press: () => {
            state.path = key;
            show();
          },
        });
      });
    });
    const rows = state.model === "writers" ? 3 : SHOWN;
    const columns = Math.min(columnsThatFit(), DEEPEST + 1);
    const first = Math.max(0, levels + 1 - columns);
    draw([{ ...root, row: 0, press: path.length ? () => again.click() : null }, ...nodes], { columns, rows, first });
    drawOne.disabled = isOver(state.path);
    back.disabled = again.disabled = !path.length;
    const logProb = path.reduce((sum, token, i) => sum + expects(idsOf(path.slice(0, i)))[tokens.indexOf(token)], 0);
    text.replaceChildren(
      "Written: ",
      el("strong", { "data-name": "written" }, textOf(state.path) || "nothing yet"),
      path.length ? ` (log-probability ${fixed(logProb, 2)})` : "",
    );
    drawn.setAttribute("aria-label", "What may come next at each step, the likeliest first; press one to take it");
    if (isOver(state.path)) {
      said.say("The output is complete. Go back, or press another token of the tree.");
      return;
    }
    const probabilities = shares(state.path);
    const left = probabilities.filter((share) => share > 0).length;
    const best = byScore(probabilities)[0];
    said.say(
      `${left === 1 ? "One token is" : `${left} tokens are`} left to draw from; ` +
        `the likeliest is ${letter(best)} with ${fixed(probabilities[best], 3)}.`,
    );
  }

  function showBeams() {
    const { levels, best } = beamSearch(expects, end, state.depth, state.beams, state.penalty);
    const spelled = (ids) => ids.map((id) => tokens[id]).join("");
    const winner = spelled(best.ids);
    const nodes = levels.flatMap((level, depth) =>
      level.map(({ ids, sum, kept, ended }, row) => ({
        key: spelled(ids),
        column: depth + 1,
        row,
        parent: spelled(ids.slice(0, -1)),
        label: letter(ids.at(-1)),
        number: fixed(sum, 2),
        kind: !kept ? "out" : winner.startsWith(spelled(ids)) ? "taken" : "open",
        about: `${textOf(spelled(ids))}, sum ${fixed(sum, 2)}, ${!kept ? "not kept" : ended ? "finished" : "kept"}`,
      })),
    );
    const rows = Math.max(...levels.map((level) => level.length));
    const columns = Math.min(columnsThatFit(), levels.length + 1);
    const first = Math.max(0, levels.length + 1 - columns);
    draw([{ ...root, row: 0 }, ...nodes], { columns, rows, first });
    drawn.setAttribute("aria-label", "The beginnings that compete at each step, the largest sum first");
    text.replaceChildren(
      "Best: ",
      el("strong", { "data-name": "written" }, textOf(winner)),
      ` (log-probability `,
      el("span", { "data-name": "sum" }, fixed(best.sum, 2)),
      best.ended ? ", score " : "",
      best.ended ? el("span", { "data-name": "score" }, fixed(best.score, 2)) : "",
      ")",
    );
    const greedy = beamSearch(expects, end, state.depth, 1, state.penalty).best;
    const gain = best.sum - greedy.sum;
    const compared =
      Math.abs(gain) < 0.005
        ? "the beam finds nothing better"
        : gain > 0
          ? `the beam gains ${fixed(gain, 2)}`
          : `the beam's output is less likely by ${fixed(-gain, 2)}`;
    said.say(
      state.beams === 1
        ? "With a beam of 1, this is greedy decoding."
        : `Greedy decoding writes “${textOf(spelled(greedy.ids))}” with ${fixed(greedy.sum, 2)}: ${compared}.`,
    );
  }

  let wide = 0;
  new ResizeObserver(() => {
    if (drawn.clientWidth !== wide) requestAnimationFrame(show);
    wide = drawn.clientWidth;
  }).observe(drawn);
  app.append(
    controls(
      picked("Rule", "rule", { sampling: "sampling", beam: "beam search" }, show),
      picked("Model", "model", { writers: "two writers", characters: "trained model" }, choose),
    ),
    prompt,
    problem,
    forSampling,
    forBeams,
    drawn,
    buttons,
    text,
    said.element,
  );
  choose();
}

mount("decoding", build);
