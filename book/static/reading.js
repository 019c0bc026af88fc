// What helps while reading: the outline follows the page, a word of the glossary shows its meaning, and paper gets what
// is folded.
const HELD_BACK = ".held-back, .tag_solution details.hide"; // as in book/printing.py

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
  later();
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

// Paper cannot be opened: what is folded is opened for it and folded again. Answers and solutions stay away, and the
// style sheet says so beside their titles.
function openForPaper() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll(".bd-article details:not([open])")].filter((fold) => !fold.matches(HELD_BACK));
    opened.forEach((fold) => (fold.open = true));
  });
  addEventListener("afterprint", () => opened.splice(0).forEach((fold) => (fold.open = false)));
}

followOutline();
showMeanings();
openForPaper();
