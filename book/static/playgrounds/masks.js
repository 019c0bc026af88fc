// Mask builder: tokens to turn into padding, two masks to switch, single entries to flip, and the weights behind them.
import {
  below,
  button,
  checkbox,
  controls,
  el,
  fixed,
  matrix,
  mount,
  paint,
  range,
  remembered,
  roving,
  sentence,
  softmax,
  weightColour,
} from "./common.js";

/** The mask of one sequence, (T, T): true means "may attend". */
export function maskOf(padded, { padding, causal }) {
  return padded.map((_, i) => padded.map((isPad, j) => !(padding && isPad) && !(causal && j > i)));
}

/** Softmax over the allowed keys of each row. */
export const maskedSoftmax = (scores, mask) => scores.map((row, i) => softmax(row, mask[i]));

/** The code that makes this mask, and its shape. */
export function codeFor({ padding, causal }, flipped, size) {
  const both = padding && causal;
  const made = both
    ? "decoder_mask(ids)"
    : padding
      ? "padding_mask(ids)"
      : causal
        ? `causal_mask(${size})`
        : "torch.ones(1, 1, 1, 1).bool()";
  const shape = both ? [1, 1, size, size] : padding ? [1, 1, 1, size] : causal ? [size, size] : [1, 1, 1, 1];
  const note = flipped ? `, and ${flipped} ${flipped === 1 ? "entry" : "entries"} flipped by hand` : "";
  return `mask = ${made}   # (${shape.join(", ")})${note}`;
}

function build(app, start) {
  const { tokens, scores, pad, ...usual } = start;
  const size = tokens.length;
  const { state: kept, keep } = remembered(app, usual, {
    padded: (all) => all.length === size && all.every((one) => typeof one === "boolean"),
    flipped: (all) => all.every(below(size * size)),
  });
  const state = { ...kept, flipped: new Set(kept.flipped) };
  const places = range(size).map(String);
  const code = el("code", {});
  const keyPadding = el("code", {});
  const said = sentence();

  const tokenButtons = tokens.map((token, j) => {
    const name = el("span", { class: "pg-token-name" });
    return el(
      "button",
      {
        type: "button",
        class: "pg-button pg-token",
        click: () => {
          state.padded[j] = !state.padded[j];
          update();
        },
      },
      el("span", { class: "pg-place" }, String(j)),
      name,
    );
  });
  const causal = checkbox({
    label: "causal mask: nothing after the query",
    onChange: (on) => {
      state.causal = on;
      state.flipped.clear();
      update();
    },
  });
  const padding = checkbox({
    label: "padding mask: no padding",
    onChange: (on) => {
      state.padding = on;
      state.flipped.clear();
      update();
    },
  });

  const maskCells = places.map((_, i) =>
    places.map((_, j) => el("button", { type: "button", class: "pg-flip", click: () => flip(i, j) })),
  );
  roving(maskCells);
  const square = { rows: places, columns: places, corner: "q \\ k", narrow: true };
  const mask = matrix({
    ...square,
    name: "mask",
    caption: "✓ may attend, × may not",
    cell: (i, j) => maskCells[i][j],
  });
  const weights = matrix({ ...square, name: "weights", caption: "Weights, masked_softmax", cell: () => "" });

  function flip(i, j) {
    const place = i * size + j;
    if (!state.flipped.delete(place)) state.flipped.add(place);
    state.row = i;
    update();
  }

  // Pressing and dragging paints what the first cell became.
  let painting = null;
  const underPointer = ({ clientX, clientY }) => {
    const found = document.elementFromPoint(clientX, clientY);
    return range(size * size).find((place) => maskCells[Math.floor(place / size)][place % size] === found);
  };
  mask.element.addEventListener("pointerdown", (event) => {
    const place = underPointer(event);
    if (place != null && event.pointerType === "mouse") painting = { from: place, to: !allowed(place), moved: false };
  });
  mask.element.addEventListener("pointermove", (event) => {
    const place = painting && underPointer(event);
    if (place == null || (place === painting.from && !painting.moved)) return;
    const also = painting.moved ? [] : [painting.from];
    painting.moved = true;
    for (const one of [...also, place]) if (allowed(one) !== painting.to) flip(Math.floor(one / size), one % size);
  });
  window.addEventListener("pointerup", () => setTimeout(() => (painting = null)));
  mask.element.addEventListener("click", (event) => painting?.moved && event.stopPropagation(), true);

  const ruled = () => maskOf(state.padded, state);
  const entries = () => ruled().map((row, i) => row.map((may, j) => may !== state.flipped.has(i * size + j)));
  const allowed = (place) => entries()[Math.floor(place / size)][place % size];

  function update() {
    const may = entries();
    const shares = maskedSoftmax(scores, may);
    tokenButtons.forEach((one, j) => {
      const shown = state.padded[j] ? pad : tokens[j];
      one.lastChild.textContent = shown;
      one.classList.toggle("pg-padding", state.padded[j]);
      one.setAttribute("aria-pressed", state.padded[j]);
      one.setAttribute("aria-label", `position ${j}, ${tokens[j]}: padding`);
    });
    may.forEach((row, i) => {
      const empty = !row.includes(true);
      row.forEach((yes, j) => {
        const cell = maskCells[i][j];
        cell.textContent = yes ? "✓" : "×";
        cell.setAttribute("aria-label", `query ${i}, key ${j}: ${yes ? "may attend" : "may not attend"}`);
        cell.classList.toggle("pg-hidden", !yes);
        cell.classList.toggle("pg-pinned", state.flipped.has(i * size + j));
        weights.cells[i][j].textContent = yes ? fixed(shares[i][j]) : "0";
        weights.cells[i][j].classList.toggle("pg-hidden", !yes);
        paint(weights.cells[i][j], yes ? weightColour(shares[i][j]) : null);
      });
      for (const table of [mask, weights]) table.rowHeads[i].classList.toggle("pg-warn", empty);
    });
    code.textContent = codeFor(state, state.flipped.size, size);
    keyPadding.textContent = `key_padding_mask = [[${state.padded.map((yes) => (yes ? "True" : "False")).join(", ")}]]`;
    const empty = range(size).filter((i) => !may[i].includes(true));
    const many = may.flat().filter(Boolean).length;
    said.say(
      `${many} of ${size * size} entries are True. ` +
        (empty.length
          ? `Nothing is left to attend to for ${empty.length === 1 ? "query" : "queries"} ${empty.join(", ")}: the weights there are all 0, not NaN.`
          : "Every query has at least one key; each row of weights sums to 1."),
    );
    keep({ ...state, flipped: [...state.flipped] });
  }

  function reset(left = false) {
    Object.assign(state, {
      padded: left ? [...usual.padded].reverse() : [...usual.padded],
      causal: true,
      padding: true,
      flipped: new Set(),
    });
    causal.input.checked = padding.input.checked = true;
    update();
  }
  causal.input.checked = state.causal;
  padding.input.checked = state.padding;
  update();
  app.append(
    el("div", { class: "pg-tokens", role: "group", "aria-label": "Tokens; a pressed one is padding" }, ...tokenButtons),
    controls(causal.element, padding.element),
    el("div", { class: "pg-row" }, mask.element, weights.element),
    said.element,
    el("p", { class: "pg-code" }, code),
    el("p", { class: "pg-code" }, keyPadding, el("span", {}, " # for PyTorch, where True means “ignore”")),
    controls(
      button("Padding on the right", () => reset()),
      button("Padding on the left", () => reset(true)),
    ),
  );
}

mount("masks", build);
