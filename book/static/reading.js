// What helps while reading: the outline follows the page, a word of the glossary shows its meaning, and the list of
// chapters shows which ones were read and how their quizzes went. Marks stay in this browser (localStorage).
document.addEventListener("DOMContentLoaded", () => {
  followOutline();
  showMeanings();
  keepMarks();
});

// The outline's entry is that of the last heading above a third of the screen, also after a jump.
function followOutline() {
  const links = [...document.querySelectorAll("#pst-page-toc-nav a.nav-link")];
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  if (!links.length || headings.includes(null)) return;
  let now;
  let waiting = false;
  const follow = () => {
    waiting = false;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const above = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3).length;
    const next = links[atEnd ? links.length - 1 : above - 1];
    if (next === now) return;
    now?.classList.remove("reading-now");
    now?.removeAttribute("aria-current");
    now = next;
    now?.classList.add("reading-now");
    now?.setAttribute("aria-current", "true");
    const list = now && scrolling(now);
    if (list) list.scrollTop += now.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  };
  const later = () => {
    if (!waiting) requestAnimationFrame(follow);
    waiting = true;
  };
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later, { passive: true });
  follow();
}

// What has to scroll so that an entry of a list beside the text can be seen; nothing when the list fits.
function scrolling(entry) {
  let box = entry.parentElement;
  while (box && box !== document.body) {
    if (box.scrollHeight > box.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
    box = box.parentElement;
  }
  return null;
}

// A card with the first sentence of the glossary's entry, for mouse and keyboard. Without this file it is the title.
function showMeanings() {
  const card = document.createElement("div");
  card.className = "meaning-card";
  card.id = "meaning-card";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  document.body.append(card);
  const hide = () => (card.hidden = true);
  for (const link of document.querySelectorAll("a.glossary-link[title]")) {
    const meaning = link.title;
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", card.id);
    const show = () => {
      card.textContent = meaning;
      card.hidden = false;
      const word = link.getBoundingClientRect();
      const left = Math.max(8, Math.min(word.left, innerWidth - card.offsetWidth - 8));
      const below = word.bottom + card.offsetHeight + 8 < innerHeight;
      card.style.left = `${left + scrollX}px`;
      card.style.top = `${scrollY + (below ? word.bottom + 6 : word.top - card.offsetHeight - 6)}px`;
    };
    link.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show());
    link.addEventListener("focus", show);
    link.addEventListener("pointerleave", hide);
    link.addEventListener("blur", hide);
  }
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
}

const MARKS = "workbook-marks"; // {page: {read: true, right: 3, questions: 7}}

function marks() {
  try {
    return JSON.parse(localStorage.getItem(MARKS)) ?? {};
  } catch {
    return {}; // no storage, or not ours: then nothing is marked
  }
}

function mark(page, more) {
  const all = marks();
  all[page] = { ...all[page], ...more };
  try {
    localStorage.setItem(MARKS, JSON.stringify(all));
  } catch {
    return; // a browser that keeps nothing
  }
  drawMarks();
}

const pageOf = (address) => new URL(address, location.href).pathname.split("/").at(-1).replace(/\.html$/, "");

// A page is read once its last section was on the screen.
function keepMarks() {
  const page = pageOf(location.href);
  const last = [...document.querySelectorAll(".bd-article section section")].at(-1);
  if (last) {
    new IntersectionObserver((seen, observer) => {
      if (!seen.some((entry) => entry.isIntersecting) || scrollY < innerHeight / 2) return;
      observer.disconnect();
      mark(page, { read: true });
    }).observe(last);
  }
  document.addEventListener("quiz-answered", () => {
    const questions = [...document.querySelectorAll(".quiz-question")];
    const first = (how) => questions.filter((question) => question.dataset.first === how).length;
    const before = marks()[page];
    if (first("right") + first("wrong") === questions.length && before?.right === undefined)
      mark(page, { right: first("right"), questions: questions.length }); // what counts is the first time through
  });
  drawMarks();
}

function drawMarks() {
  const all = marks();
  for (const link of document.querySelectorAll(".bd-sidebar-primary .toctree-l1 > a")) {
    const { read, right, questions } = all[pageOf(link.href)] ?? {};
    link.querySelector(".reading-mark")?.remove();
    if (!read && right === undefined) continue;
    const shown = document.createElement("span");
    shown.className = "reading-mark";
    shown.textContent = [read ? "✓" : "", right === undefined ? "" : `${right}/${questions}`].filter(Boolean).join(" ");
    const words = [read ? "read" : "", right === undefined ? "" : `quiz: ${right} of ${questions}`].filter(Boolean);
    shown.title = words.join(", ");
    link.append(" ", shown);
  }
}
