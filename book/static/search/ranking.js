// From a query to its results, best first. MiniSearch finds documents by words; what is known of the book is added here:
// how words are spelled, other words for the same (WORKBOOK_SEARCH.synonyms), and what a reader most likely wants.
globalThis.WorkbookRanking = (() => {
  const FIELDS = { title: 6, names: 3, page: 1.5, text: 1 }; // and what a word counts in each
  const LITTLE = new Set(
    "a about an and are as at be between by can did do does for from how i in is it its me my of on or s so that the there this to vs we what when where which why with you your".split(" "),
  );
  const KINDS = { term: 1, section: 1, task: 0.5, reference: 0.55 };
  // Sections in which every topic of a chapter is named, and none is explained.
  const SUMMARY = /^(quiz|exercise|challenge|what you will|a debugging story|testing it yourself|the known mistakes|summary)/i;
  const ASIDE = /^book\/(errata|map|instructors|grading-at-scale)\.html/;

  // Plain letters, British and American spelling alike, and one spelling of minus infinity.
  const plain = (text) =>
    text
      .normalize("NFKD")
      .replace(/[\u0300-\u036f\u2061-\u2064]/g, "")
      .toLowerCase()
      .replace(/[-−‐]\s?(?:∞|inf\b|infinity\b)|\bminus infinity\b|\bneg(?:ative)? inf(?:inity)?\b/g, " minusinf ")
      .replace(/√/g, " sqrt ");

  // Whole words: `d_k` and `attention.softmax` are one each. "multi-head" is two.
  const words = (text) => (plain(text).match(/[\p{L}\p{N}_.]+/gu) ?? []).map((word) => word.replace(/^[._]+|[._]+$/g, "")).filter(Boolean);

  // Words, the parts of names, and compounds without their hyphen, so that each way to write them is found.
  function indexed(text) {
    const found = words(text);
    const parts = found.flatMap((word) => (/[._]/.test(word) ? word.split(/[._]+/) : []));
    const compounds = plain(text).match(/[\p{L}\p{N}]+(?:[-‐‑][\p{L}\p{N}]+)+/gu) ?? [];
    return [...found, ...parts, ...compounds.map((word) => word.replace(/[-‐‑]/g, ""))];
  }

  // One form for singular and plural, "tokeniser" and "tokenizer".
  const stem = (word) =>
    plain(word)
      .trim()
      .replace(/iz(?=[aei])/, "is")
      .replace(/(?<=\p{L}{2})ies$/u, "y")
      .replace(/(?<=\p{L}{2}[^sui])s$/u, "");

  const stems = (text) => words(text).map(stem);
  const telling = (all) => {
    const some = all.filter((word) => !LITTLE.has(word));
    return some.length ? some : all;
  };

  // The words of a query, and of the same query with other words for what it names.
  function variants(said, synonyms) {
    const query = ` ${said.join(" ")} `;
    const found = synonyms.filter(([word]) => query.includes(` ${word} `));
    return [said, ...found.map(([word, other]) => query.replace(` ${word} `, ` ${other} `).trim().split(" "))].map(telling);
  }

  // How likely a document is what was looked for, whatever words it has.
  function worth({ kind, title, address, names }, query, all) {
    const told = telling(stems(title.replace(/^\d+ · /, "")));
    let factor = KINDS[kind];
    if (names && names.toLowerCase() === query.toLowerCase().trim()) factor *= 20; // a task's id
    if (told.join(" ") === all[0].join(" ")) factor *= kind === "term" ? 3.3 : 4;
    else if (all.slice(1).some((words) => told.join(" ") === words.join(" "))) factor *= 2.5;
    else if (all[0].every((word) => told.includes(word))) factor *= 2;
    if (kind === "section" && SUMMARY.test(title)) factor *= 0.4;
    if (ASIDE.test(address)) factor *= 0.6;
    return factor;
  }

  const together = (text, phrase) => ` ${stems(text).join(" ")} `.includes(` ${phrase} `);

  // A word that the book does not have becomes the word of the book that differs least from it: in one letter or, if it is
  // long, in two. Of several, the one that most documents have.
  function corrected(word, index) {
    if (word.length < 4 || /[\d._]/.test(word) || index.search(word, { fuzzy: false }).length) return word;
    for (const fuzzy of word.length < 6 ? [1] : [1, 2]) {
      const terms = index.search(word, { fuzzy, prefix: false }).flatMap((result) => result.terms);
      const counts = new Map();
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      if (counts.size) return [...counts].sort((one, other) => other[1] - one[1])[0][0];
    }
    return word;
  }

  // The function that searches: for documents with all the words of a query, else for those with some of them.
  function searcher(MiniSearch, { documents, synonyms }) {
    const index = new MiniSearch({
      fields: Object.keys(FIELDS),
      storeFields: ["kind", "address", "title", "page", "text", "names"],
      idField: "address",
      tokenize: indexed,
      processTerm: (word) => stem(word) || null,
      searchOptions: {
        boost: FIELDS,
        tokenize: (query) => query.split(" "),
        processTerm: (word) => word,
        prefix: (word) => word.length > 1,
        weights: { fuzzy: 0.15, prefix: 0.35 },
      },
    });
    index.addAll(documents);
    const others = Object.entries(synonyms).map(([word, other]) => [stems(word).join(" "), stems(other).join(" ")]);

    function search(all, query, options) {
      const boostDocument = (_id, _word, stored) => worth(stored, query, all);
      const best = new Map(); // for each document, the result of the variant that fits best
      for (const [place, words] of all.entries()) {
        for (const result of index.search(words.join(" "), { ...options, boostDocument })) {
          const score = result.score * (place ? 0.8 : 1);
          if (score > (best.get(result.id)?.score ?? 0)) best.set(result.id, { ...result, score });
        }
      }
      return [...best.values()].sort(byScore);
    }

    return (query, most) => {
      const said = stems(query).map((word) => corrected(word, index));
      if (!said.length) return [];
      const all = variants(said, others);
      let found = search(all, query, { combineWith: "AND" });
      if (!found.length) found = search([said.flatMap((word) => [word, ...word.split(/[._]+/)])], query, { combineWith: "OR" });
      const first = found.slice(0, 2 * most);
      for (const result of first) if (together(result.text, said.join(" "))) result.score *= 1.4;
      return first.sort(byScore).slice(0, most).map((result) => ({ ...result, found: finder(result.terms) }));
    };
  }

  const byScore = (one, other) => other.score - one.score;

  // Whether a word of a text is one that was found.
  function finder(terms) {
    const all = new Set(terms);
    return (word) => indexed(word).some((part) => all.has(stem(part)));
  }

  return { searcher };
})();
if (typeof module === "object") module.exports = globalThis.WorkbookRanking;
