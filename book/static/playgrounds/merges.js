// Tokeniser at work: a text of one's own is cut by byte pairs, one learned merge after the other.
import {
  below,
  button,
  controls,
  el,
  mount,
  range,
  remembered,
  sentence,
  slider,
  textField,
  within,
} from "./common.js";

// GPT-2's pattern. White space is spelled out, because that of JavaScript is not quite that of Python.
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPLIT = new RegExp(
  `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`,
  "gu",
);

/** The bytes of a text in UTF-8, as a string with one character for each byte. */
const bytesOf = (text) => String.fromCharCode(...new TextEncoder().encode(text));

const keyOf = (left, right) => `${left.length} ${left}${right}`;

/** For each pair of neighbours the number of its merge, or Infinity. */
const ranksOf = (tokens, ranks) => tokens.slice(1).map((token, i) => ranks.get(keyOf(tokens[i], token)) ?? Infinity);

/**
 * The way from bytes to tokens: a list of { pieces, merge, places }. `pieces` are lists of tokens after this step,
 * strings of bytes; `merge` is the number of the merge that the step applies, and `places` how often. Step 0 has none.
 */
export function stepsOf(text, merges) {
  const ranks = new Map(merges.map(([left, right], i) => [keyOf(left, right), i]));
  let pieces = (text.match(SPLIT) ?? []).map((piece) => [...bytesOf(piece)]);
  const steps = [{ pieces, merge: null, places: 0 }];
  for (;;) {
    const merge = Math.min(Infinity, ...pieces.flatMap((tokens) => ranksOf(tokens, ranks)));
    if (merge === Infinity) return steps;
    let places = 0;
    pieces = pieces.map((before) => {
      const tokens = [...before];
      for (let present = ranksOf(tokens, ranks); Math.min(...present) === merge; present = ranksOf(tokens, ranks)) {
        const i = present.indexOf(merge);
        tokens.splice(i, 2, tokens[i] + tokens[i + 1]);
        places += 1;
      }
      return tokens;
    });
    steps.push({ pieces, merge, places });
  }
}

/** The numbers of all merges that could be applied, in the order in which they were learned. */
export function presentIn(pieces, merges) {
  const ranks = new Map(merges.map(([left, right], i) => [keyOf(left, right), i]));
  const found = new Set(pieces.flatMap((tokens) => ranksOf(tokens, ranks)));
  return [...found].filter(Number.isFinite).sort((a, b) => a - b);
}

/** The id of a token: that of its byte, or 256 and the number of the merge that makes it. */
export function idsOf(pieces, merges) {
  const ids = new Map(merges.map(([left, right], i) => [left + right, 256 + i]));
  return pieces.flat().map((token) => (token.length === 1 ? token.charCodeAt(0) : ids.get(token)));
}

/** A token as it can be read: a dot for a space, and the bytes of a character that is not complete in hexadecimal. */
export function readableToken(token) {
  const bytes = Uint8Array.from(token, (byte) => byte.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll(" ", "·").replaceAll("\n", "⏎");
  } catch {
    return [...bytes].map((byte) => (byte < 128 ? String.fromCharCode(byte) : hex(byte))).join("");
  }
}

const hex = (byte) => byte.toString(16).toUpperCase();
const times = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

function build(app, { merges: all, ...start }) {
  const { state, keep } = remembered(app, start, { known: below(all.length + 1) });
  const longest = 60;
  let steps, merges;
  let playing = 0;

  const said = sentence();
  const field = textField({
    label: "Text",
    longest,
    value: state.text,
    onInput: (text) => {
      state.text = text;
      state.step = 0;
      run();
    },
  });
  const known = slider({
    label: "Merges known",
    min: 0,
    max: all.length,
    step: 10,
    value: state.known,
    onInput: (number) => {
      state.known = number;
      run();
    },
  });
  const place = slider({
    label: "Step",
    min: 0,
    max: 1,
    value: 0,
    onInput: (number) => {
      pause();
      go(number);
    },
  });
  const back = button("Back", () => go(state.step - 1));
  const next = button("Next merge", () => go(state.step + 1));
  const play = button("Play", () => (playing ? pause() : begin()));
  const line = el("div", { class: "pg-bytes", role: "img" });
  const ids = el("p", { class: "pg-ids" });
  const waiting = el("p", { class: "pg-waiting" });

  function begin() {
    if (state.step === steps.length - 1) go(0);
    play.textContent = "Pause";
    playing = setInterval(() => {
      go(state.step + 1);
      if (state.step === steps.length - 1) pause();
    }, 700);
  }

  function pause() {
    clearInterval(playing);
    playing = 0;
    play.textContent = "Play";
  }

  function go(step) {
    state.step = within(0, steps.length - 1, step);
    show();
  }

  function run() {
    pause();
    merges = all.slice(0, state.known);
    steps = stepsOf([...state.text].slice(0, longest).join(""), merges);
    state.step = within(0, steps.length - 1, state.step);
    place.input.max = steps.length - 1;
    // One cell for each byte, for good: a merge closes the gap between two cells.
    line.replaceChildren(
      ...steps[0].pieces.map((bytes) => el("span", { class: "pg-piece" }, ...bytes.map(() => el("span")))),
    );
    show();
  }

  function show() {
    const { pieces, merge, places } = steps[state.step];
    let number = 0;
    pieces.forEach((tokens, i) => {
      const cells = line.children[i].children;
      let at = 0;
      for (const token of tokens) {
        const fresh = merge !== null && token === all[merge].join("");
        const text = readableToken(token);
        const letters = text.length === token.length ? [...text] : null;
        range(token.length).forEach((j) => {
          const cell = cells[at + j];
          const alone = letters ? letters[j] : j === 0 ? text : "";
          cell.textContent = alone;
          cell.className = [
            `pg-byte pg-shade-${number % 2}`,
            j === 0 ? "pg-first" : "",
            j === token.length - 1 ? "pg-last" : "",
            fresh ? "pg-fresh" : "",
          ].join(" ");
        });
        at += token.length;
        number += 1;
      }
    });
    const tokens = pieces.flat();
    const found = idsOf(pieces, merges);
    line.setAttribute("aria-label", `${times(tokens.length, "token")}: ${tokens.map(readableToken).join(" | ")}`);
    ids.replaceChildren(`${times(tokens.length, "token")}, ids `, el("code", { "data-name": "ids" }, found.join(" ")));
    const last = steps.length - 1;
    back.disabled = state.step === 0;
    next.disabled = state.step === last;
    place.set(state.step);
    const pair = (i) => all[i].map(readableToken).join(" + ");
    const present = presentIn(pieces, merges);
    waiting.replaceChildren(
      present.length ? "Merges that are present, the earliest-learned first: " : "No learned merge is left.",
      ...present
        .slice(0, 4)
        .flatMap((i, k) => [k ? ", " : "", el(k ? "span" : "strong", {}, `number ${i} (${pair(i)})`)]),
      present.length > 4 ? `, and ${present.length - 4} more.` : present.length ? "." : "",
    );
    said.say(
      merge === null
        ? `Step 0 of ${last}: every byte is a token.`
        : `Step ${state.step} of ${last}: merge ${merge} joins ${pair(merge)} in ${times(places, "place")}; ` +
            `the id of ${readableToken(all[merge].join(""))} is ${256 + merge}.`,
    );
    keep();
  }

  app.append(
    field,
    line,
    controls(back, next, play, place.element),
    said.element,
    waiting,
    ids,
    controls(known.element),
  );
  run();
}

mount("merges", build);
