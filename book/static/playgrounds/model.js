// The small trained model of the course, as it runs in the page: unpacking its weights, and its forward pass.
import { dot, el, pause, range, softmax } from "./common.js";

/** Numbers from base64: 16-bit floats, little-endian. */
function decodeFloat16(base64) {
  const bytes = atob(base64); // a string whose characters are the bytes
  const numbers = new Float64Array(bytes.length / 2);
  for (let index = 0; index < numbers.length; index++) {
    const bits = bytes.charCodeAt(2 * index) | (bytes.charCodeAt(2 * index + 1) << 8);
    const exponent = (bits >> 10) & 31,
      fraction = bits & 1023;
    const size = exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
    numbers[index] = bits & 0x8000 ? -size : size;
  }
  return numbers;
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
 *
 * Returns every intermediate result, as rows of numbers, one row for each of the T positions: `tokens` and `x`
 * (T, C), the vectors before and after positions are added; `layers`, each with its `heads` (`q`, `k`, `v` and `found`
 * (T, C/H), `scores` and `weights` (T, T)); `normed`, `logits` and `probabilities` (T, V).
 */
export function forward(model, ids, silent = () => false) {
  const p = model.parameters;
  const get = (name) => [p[`${name}.weight`], p[`${name}.bias`]];
  const tokens = ids.map((id) => p["token_embedding.weight"][id]);
  const start = tokens.map((row, t) => add(row, p["position_embedding.weight"][t]));
  let x = start;
  const layers = range(model.num_layers).map((layer) => {
    const block = `blocks.${layer}`;
    const normed = x.map((row) => layerNorm(row, ...get(`${block}.norms.0`)));
    const heads = range(model.num_heads).map((head) => {
      const name = `${block}.sublayers.0.heads.${head}`;
      const [q, k, v] = ["query", "key", "value"].map((kind) =>
        normed.map((row) => linear(row, p[`${name}.${kind}.weight`])),
      );
      const root = Math.sqrt(q[0].length);
      const scores = q.map((query) => k.map((key) => dot(query, key) / root));
      const weights = scores.map((row, i) =>
        softmax(
          row,
          row.map((_, j) => j <= i),
        ),
      );
      const found = weights.map((row) =>
        v[0].map((_, c) => (silent(layer, head) ? 0 : row.reduce((sum, w, j) => sum + w * v[j][c], 0))),
      );
      return { q, k, v, scores, weights, found };
    });
    const joined = x.map((_, t) => heads.flatMap(({ found }) => found[t]));
    const attended = x.map((row, t) => add(row, linear(joined[t], ...get(`${block}.sublayers.0.proj`))));
    const normedAgain = attended.map((row) => layerNorm(row, ...get(`${block}.norms.1`)));
    const hidden = normedAgain.map((row) =>
      linear(row, ...get(`${block}.sublayers.1.0`)).map((value) => Math.max(value, 0)),
    );
    x = attended.map((row, t) => add(row, linear(hidden[t], ...get(`${block}.sublayers.1.2`))));
    return { normed, heads, joined, attended, normedAgain, hidden, x };
  });
  const normed = x.map((row) => layerNorm(row, ...get("norm")));
  const logits = normed.map((row) => linear(row, ...get("to_logits")));
  return { tokens, x: start, layers, normed, logits, probabilities: logits.map((row) => softmax(row)) };
}

/** A character as it can be seen. */
export const visible = (character) => ({ " ": "␣", "\n": "⏎" })[character] ?? character;

/** A text without the characters that the model never saw, and a sentence that names those. */
export function readable(text, characters) {
  const known = [...text].filter((character) => characters.includes(character));
  const unknown = [...new Set([...text].filter((character) => !characters.includes(character)))];
  const problem = unknown.length ? `Left out, because the model never saw them: ${unknown.map(visible).join(" ")}` : "";
  return { known, problem };
}

/** The stored model: its weights are loaded once in a page, when a reader comes near a figure that needs them. */
export async function loaded(figure) {
  await seen(figure);
  globalThis.headsModelLoading ??= fetched();
  const model = unpack(await globalThis.headsModelLoading);
  await pause();
  return model;
}

/** The weights, as a script that sets a global: a page that was opened as a file may load that, but no JSON. */
function fetched() {
  return new Promise((resolve, reject) => {
    const address = new URL("heads_model.js", document.querySelector('script[src*="/playgrounds/"]').src);
    const script = el("script", { src: address.href });
    script.addEventListener("load", () => resolve(globalThis.headsModel));
    script.addEventListener("error", () => reject(new Error(`${address} cannot be loaded`)));
    document.head.append(script);
  });
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
