// The search: results while typing in the dialogue (the button beside the text, Ctrl+K) and on search.html. A result is
// a section, a word of the glossary, a task or a reference, and its link goes there. MiniSearch and the documents
// (written by book/_ext/search_index.py) are scripts that are loaded when a field is first used, so that it works from a
// disk as well. Without this file, or if the documents cannot be loaded, Sphinx's own search answers on search.html.
(() => {
  const ROOT = document.documentElement.dataset.content_root ?? "./";
  const PARTS = ["_static/search/minisearch.js", "_static/search/ranking.js", "_static/search/documents.js"];
  const SHOWN = { dialogue: 12, page: 40 };
  const EXCERPT = 180; // characters
  let engine; // a promise: the function from a query to its results

  function load(path) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = ROOT + path;
      script.addEventListener("load", resolve);
      script.addEventListener("error", () => reject(new Error(`${path} cannot be loaded`)));
      document.head.append(script);
    });
  }

  function start() {
    engine ??= Promise.all(PARTS.map(load)).then(() => WorkbookRanking.searcher(MiniSearch, WORKBOOK_SEARCH));
    engine.catch(() => (engine = undefined)); // the next use tries again
    return engine;
  }

  function element(tag, className, ...children) {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    return made;
  }

  // The part of the text with most of the found words, which are marked.
  function marked(text, found) {
    const words = [...text.matchAll(/[\p{L}\p{N}_.]+/gu)].filter((match) => found(match[0]));
    const near = (start) => words.filter(({ index }) => index >= start && index < start + EXCERPT * 0.7);
    const different = (start) => new Set(near(start).map((match) => match[0].toLowerCase().slice(0, 5))).size;
    let best = { index: 0 };
    for (const word of words) if (different(word.index) > different(best.index)) best = word;
    let from = best.index < EXCERPT / 3 ? 0 : text.indexOf(" ", best.index - EXCERPT / 4) + 1;
    const to = text.length - from <= EXCERPT ? text.length : text.lastIndexOf(" ", from + EXCERPT);
    const parts = from ? ["… "] : [];
    for (const word of words.filter((match) => match.index >= from && match.index + match[0].length <= to)) {
      parts.push(text.slice(from, word.index), element("mark", "", word[0]));
      from = word.index + word[0].length;
    }
    return [...parts, text.slice(from, to), to < text.length ? " …" : ""];
  }

  const where = (result) => (result.title === result.page ? "" : result.page);
  const link = (result, ...children) => {
    const made = element("a", "", ...children);
    made.href = ROOT + result.address;
    return made;
  };

  // The dialogue: a list of choices under the field, moved through with the arrows (the pattern "combobox" of ARIA).
  function inDialogue(dialogue) {
    const [form, field] = ["form", "input"].map((tag) => dialogue.querySelector(tag));
    const list = element("div", "search-choices");
    const status = element("p", "search-status");
    list.id = "search-choices";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Results");
    status.setAttribute("role", "status");
    const attributes = { role: "combobox", "aria-controls": list.id, "aria-expanded": "false", "aria-autocomplete": "list" };
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    dialogue.append(status, list);
    let chosen = -1;

    const choose = (index) => {
      list.children[chosen]?.setAttribute("aria-selected", "false");
      chosen = index;
      const option = list.children[chosen];
      option?.setAttribute("aria-selected", "true");
      option?.scrollIntoView({ block: "nearest" });
      if (option) field.setAttribute("aria-activedescendant", option.id);
      else field.removeAttribute("aria-activedescendant");
    };
    const show = (results, say) => {
      list.replaceChildren(...results.map(option));
      status.textContent = say;
      field.setAttribute("aria-expanded", String(results.length > 0));
      chosen = -1;
      choose(results.length ? 0 : -1);
    };
    const option = (result, index) => {
      const made = link(
        result,
        element("span", "search-title", result.title),
        element("span", "search-where", where(result)),
        element("span", "search-text", ...marked(result.text, result.found)),
      );
      made.id = `search-choice-${index}`;
      made.tabIndex = -1;
      made.setAttribute("role", "option");
      made.setAttribute("aria-selected", "false");
      return made;
    };
    const answer = async () => {
      const query = field.value.trim();
      if (!query) return show([], "");
      let results;
      try {
        results = (await start())(query, SHOWN.dialogue);
      } catch {
        return show([], "Press Enter to search.");
      }
      if (field.value.trim() !== query) return; // a later letter has its own answer
      show(results, results.length ? "" : `Nothing found for “${query}”.`);
    };

    field.addEventListener("input", answer);
    field.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const length = list.children.length;
      if (!step || !length) return;
      event.preventDefault();
      choose((chosen + step + length) % length);
    });
    form.addEventListener("submit", async (event) => {
      if (!field.value.trim()) return event.preventDefault();
      if (!engine) return; // to search.html
      event.preventDefault();
      const wanted = list.children[chosen];
      const index = chosen;
      await answer(); // typed faster than answered
      const option = wanted && list.contains(wanted) ? wanted : list.children[Math.max(index, 0)];
      if (option) option.click();
      else if (!engine) form.submit();
    });
    // A section of this page: the page stays, so the dialogue has to go.
    list.addEventListener("click", () => dialogue.close());
  }

  // search.html: takes the place of what Sphinx shows there.
  function onPage(out) {
    const field = document.querySelector(".bd-search-container form.bd-search input");
    const sphinx = typeof Search === "undefined" ? undefined : Search.performSearch;
    const item = (result) => {
      const context = element("p", "context", ...marked(result.text, result.found));
      return element("li", "", link(result, result.title), element("span", "search-where", where(result)), context);
    };
    const answer = async (query) => {
      const results = (await start())(query, SHOWN.page);
      if (field.value.trim() !== query.trim()) return;
      const most = results.length === SHOWN.page ? "The first " : "";
      const count = `${most}${results.length} ${results.length === 1 ? "result" : "results"}`;
      const status = element("p", "search-summary", results.length ? count : `Nothing found for “${query}”.`);
      status.setAttribute("role", "status");
      out.replaceChildren(...(query.trim() ? [status, element("ul", "search", ...results.map(item))] : []));
    };
    if (sphinx) Search.performSearch = (query) => answer(query).catch(() => sphinx(query)); // called with the address's `q`
    field.addEventListener("input", () => answer(field.value).catch(() => {})); // Enter asks Sphinx's search
  }

  document.addEventListener("focusin", (event) => {
    if (event.target.matches(".bd-search input")) start().catch(() => {});
  });
  const dialogue = document.getElementById("pst-search-dialog");
  if (dialogue) inDialogue(dialogue);
  const out = document.querySelector(".bd-search-container #search-results");
  if (out) onPage(out);
})();
