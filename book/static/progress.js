// What a reader has read, tried and passed: marked in the list of pages, on the map and its cards, and counted at the
// top of a chapter. All of it stays in this browser (localStorage); a reader can save it as a file and load it again.
// Kept are {page: {read, tried, right, questions, sections, done, tasks}}: whether the page was read to its end, whether
// something on it was tried, the first answers to its quiz, anchors of sections that were read, ids of tasks that are
// done, and how many tasks there are.
(() => {
  const MARKS = "workbook-marks";
  const PARTS = "workbook-parts"; // {part of the list of pages: open}
  const FORMAT = "transformer-workbook-progress";
  const PASSED = 0.7; // of the questions right at the first try, and every task done

  function stored(key) {
    try {
      const found = JSON.parse(localStorage.getItem(key));
      return found !== null && typeof found === "object" && !Array.isArray(found) ? found : {};
    } catch {
      return {}; // no storage, or not ours: then nothing is known
    }
  }

  function store(key, value) {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // a browser that keeps nothing
    }
  }

  const element = (tag, className, ...children) => {
    const made = Object.assign(document.createElement(tag), { className });
    made.append(...children);
    return made;
  };
  const pageOf = (address) => new URL(address, location.href).pathname.split("/").at(-1).replace(/\.html$/, "");
  const HERE = pageOf(location.href);
  const marks = () => tidy(stored(MARKS));
  const mark = (more) => {
    const all = marks();
    store(MARKS, { ...all, [HERE]: { ...all[HERE], ...more } });
    draw();
  };

  // Of what was stored or loaded, that which has the form of marks.
  function tidy(all) {
    const count = (value) => Number.isInteger(value) && value >= 0 && value < 1000;
    const words = (value) => Array.isArray(value) && value.every((word) => typeof word === "string" && word.length < 200);
    const kinds = { read: (v) => v === true, tried: (v) => v === true, tasks: count, sections: words, done: words };
    const pages = Object.entries(all).filter(([page, found]) => /^[a-z][\w-]*$/.test(page) && found instanceof Object);
    return Object.fromEntries(
      pages.map(([page, found]) => {
        const kept = Object.keys(kinds).filter((name) => kinds[name](found[name]));
        const clean = Object.fromEntries(kept.map((name) => [name, found[name]]));
        const { right, questions } = found;
        const quiz = count(right) && count(questions) && right <= questions && questions > 0;
        return [page, quiz ? { ...clean, right, questions } : clean];
      }),
    );
  }

  // Both together: what either knows is known; of two first answers to a quiz, those of this browser count.
  function merged(mine, loaded) {
    const union = (a = [], b = []) => [...new Set([...a, ...b])];
    const pages = union(Object.keys(mine), Object.keys(loaded));
    return Object.fromEntries(
      pages.map((page) => {
        const [a, b] = [mine[page] ?? {}, loaded[page] ?? {}];
        const lists = { sections: union(a.sections, b.sections), done: union(a.done, b.done) };
        return [page, { ...b, ...a, ...lists }];
      }),
    );
  }

  // "passed", "read", "tried" or "", and the same in words.
  function state({ read, tried, right, questions, done = [], tasks = 0 } = {}) {
    const passed = right >= PASSED * questions && done.length >= tasks;
    return passed ? "passed" : read ? "read" : tried ? "tried" : "";
  }

  function inWords(found) {
    const { read, right, questions, done = [], tasks = 0 } = found;
    const quiz = right === undefined ? "" : `quiz: ${right} of ${questions}`;
    const parts = [read ? "read" : state(found), quiz, tasks && done.length ? `tasks: ${done.length} of ${tasks}` : ""];
    if (state(found) === "passed" && read) parts.push("passed");
    return parts.filter(Boolean).join(", ");
  }

  const SIGNS = { passed: "★", read: "✓", tried: "◦", "": "" };
  const inSigns = (found) =>
    [SIGNS[state(found)], found.right === undefined ? "" : `${found.right}/${found.questions}`].filter(Boolean).join(" ");

  function draw() {
    const all = marks();
    document.querySelectorAll(".reading-mark").forEach((old) => old.remove());
    for (const link of document.querySelectorAll(".bd-sidebar-primary .toctree-l1 > a, .course-card-title > a")) {
      const found = all[pageOf(link.href)];
      if (!found || !inWords(found)) continue;
      const shown = element("span", "reading-mark", inSigns(found));
      shown.title = inWords(found);
      link.append(shown);
    }
    document.dispatchEvent(new Event("progress-changed")); // the drawing of the course listens
    for (const part of document.querySelectorAll(".sidebar-part")) {
      const pages = [...part.querySelectorAll(".toctree-l1 > a")].map((link) => all[pageOf(link.href)] ?? {});
      const read = pages.filter((found) => ["read", "passed"].includes(state(found))).length;
      if (!read) continue;
      const shown = element("span", "reading-mark", `${read}/${pages.length}`);
      shown.title = `${read} of ${pages.length} read`;
      part.querySelector("summary").append(shown);
    }
    drawMinutesLeft(all[HERE] ?? {});
    const known = Object.values(all).map(state);
    const number = (...states) => known.filter((one) => states.includes(one)).length;
    const count = document.querySelector(".progress-count");
    if (count) count.textContent = `Pages read: ${number("read", "passed")}, passed: ${number("passed")}.`;
  }

  // --- the page that is open ----------------------------------------------------------------------------------------

  const minutesIn = (words) => Number(words?.match(/(\d+) min/)?.[1] ?? 0);
  const sections = () =>
    [...document.querySelectorAll(".bd-article > section > section")].map((section) => ({
      section,
      minutes: minutesIn(section.querySelector(":scope > h2 > .path-mark")?.textContent),
    }));
  const tasks = () => [...document.querySelectorAll(".task-box[id]")];

  // A section is read once its end was on the screen, a page once the end of its last section was. What is on the screen
  // before the reader scrolls has not been read.
  function watchReading() {
    const last = [...document.querySelectorAll(".bd-article section section")].at(-1);
    const ends = new Map(); // the last element of a section, and the section
    for (const { section } of sections()) {
      let end = section;
      while (end.lastElementChild?.matches("section")) end = end.lastElementChild;
      ends.set(end.lastElementChild ?? end, section.id);
    }
    const observer = new IntersectionObserver((entries) => {
      const seen = entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target);
      const read = seen.filter((one) => ends.has(one)).map((one) => ends.get(one));
      const atEnd = seen.includes(last) && scrollY > innerHeight / 2;
      seen.filter((one) => one !== last || atEnd).forEach((one) => observer.unobserve(one));
      if (!read.length && !atEnd) return;
      const before = marks()[HERE] ?? {};
      mark({ sections: [...new Set([...(before.sections ?? []), ...read])], ...(atEnd ? { read: true } : {}) });
    });
    const watch = () => [...ends.keys(), ...(last ? [last] : [])].forEach((one) => observer.observe(one));
    addEventListener("scroll", watch, { once: true, passive: true });
  }

  function watchTrying() {
    document.addEventListener("quiz-answered", () => {
      const questions = [...document.querySelectorAll(".quiz-question")];
      const first = (how) => questions.filter((question) => question.dataset.first === how).length;
      const all = first("right") + first("wrong") === questions.length;
      const before = marks()[HERE]; // what counts is the first time through
      const score = all && before?.right === undefined ? { right: first("right"), questions: questions.length } : {};
      mark({ tried: true, tasks: tasks().length, ...score });
    });
    const tried = (event) => {
      if (!event.target.closest?.(".playground, .by-hand-form") || marks()[HERE]?.tried) return;
      mark({ tried: true, tasks: tasks().length });
    };
    for (const kind of ["input", "click", "submit"]) document.addEventListener(kind, tried);
  }

  // A button beside each task, for the reader to say that it is done: the notebook knows, the page does not.
  function offerDone() {
    for (const box of tasks()) {
      const button = element("button", "task-done");
      button.type = "button";
      const show = () => {
        const done = (marks()[HERE]?.done ?? []).includes(box.id);
        button.setAttribute("aria-pressed", String(done));
        button.textContent = done ? "✓ Done" : "Mark as done";
      };
      button.addEventListener("click", () => {
        const before = marks()[HERE]?.done ?? [];
        const done = before.includes(box.id) ? before.filter((id) => id !== box.id) : [...before, box.id];
        mark({ done, tried: true, tasks: tasks().length });
        show();
      });
      show();
      (box.querySelector(".exercise-links") ?? box).append(button);
    }
  }

  // At the top of a chapter: the minutes of its sections that were not read and of its tasks that are not done.
  function drawMinutesLeft({ sections: read = [], done = [] }) {
    const box = document.querySelector(".chapter-path");
    if (!box) return;
    const line = box.querySelector(".minutes-left") ?? element("p", "minutes-left");
    const open = sections().filter(({ section, minutes }) => minutes && !read.includes(section.id));
    const toWrite = tasks().filter((task) => !task.closest("section.deeper") && !done.includes(task.id));
    const minutes = [
      ...open.map((one) => one.minutes),
      ...toWrite.map((task) => minutesIn(task.querySelector(".path-mark")?.textContent)),
    ].reduce((sum, one) => sum + one, 0);
    line.hidden = !read.length && !done.length;
    line.replaceChildren(minutes ? `About ${minutes} minutes left.` : "You have read all of it.");
    const next = open[0]?.section;
    if (next) {
      const link = element("a", "", next.querySelector("h2").firstChild.textContent.trim());
      link.href = `#${next.id}`;
      line.append(" Go on with ", link, ".");
    } else if (toWrite.length) {
      line.append(` Still to write: ${toWrite.length} ${toWrite.length === 1 ? "task" : "tasks"}.`);
    }
    box.querySelector(".chapter-path-title").after(line);
  }

  // --- the list of pages --------------------------------------------------------------------------------------------

  function keepParts() {
    const kept = stored(PARTS);
    for (const part of document.querySelectorAll(".sidebar-part")) {
      const summary = part.querySelector("summary");
      const name = summary.firstChild.textContent.trim();
      part.open ||= kept[name] === true; // the part of this page is open
      summary.addEventListener("click", () => store(PARTS, { ...stored(PARTS), [name]: !part.open }));
    }
  }

  // Below the list: save, load, forget.
  function offerFile() {
    const list = document.querySelector(".bd-sidebar-primary .bd-docs-nav");
    if (!list) return;
    const status = element("p", "progress-said");
    status.setAttribute("role", "status");
    const button = (text, act) => {
      const made = element("button", "", text);
      made.type = "button";
      made.addEventListener("click", act);
      return made;
    };
    const field = element("input", "visually-hidden");
    field.type = "file";
    field.accept = ".json,application/json";
    field.tabIndex = -1;
    field.setAttribute("aria-label", "A file of progress");
    field.addEventListener("change", async () => {
      const [file] = field.files;
      if (file) status.textContent = load(await file.text());
      field.value = "";
    });
    const forget = () => {
      if (!confirm("Forget what this browser knows of your progress in the book?")) return;
      localStorage.removeItem(MARKS);
      draw();
      status.textContent = "Forgotten.";
    };
    list.append(
      element(
        "details",
        "reader-progress",
        element("summary", "", "Your progress"),
        element("p", "progress-count"),
        element("p", "", "✓ read, ★ passed (tasks done, quiz 70 % right), ◦ begun. Kept in this browser only."),
        button("Save as a file", save),
        button("Load a file", () => field.click()),
        button("Forget", forget),
        field,
        status,
      ),
    );
  }

  function save() {
    const text = JSON.stringify({ format: FORMAT, version: 1, saved: new Date().toISOString(), marks: marks() }, null, 1);
    const link = element("a", "");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "transformer-workbook-progress.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // What to say about a file, after its marks have been added to those of this browser.
  function load(text) {
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      found = null;
    }
    if (found?.format !== FORMAT || !(found.marks instanceof Object)) {
      return "This is no file of progress: choose one that “Save as a file” made.";
    }
    if (found.version !== 1) return "A newer version of this book made the file: open the newest one to load it.";
    const loaded = tidy(found.marks);
    store(MARKS, merged(marks(), loaded));
    draw();
    return `Loaded. Pages with marks: ${Object.keys(loaded).length}.`;
  }

  keepParts();
  offerFile();
  offerDone();
  watchReading();
  watchTrying();
  addEventListener("storage", (event) => event.key === MARKS && draw()); // another tab
  draw();
})();
