// Boxes that scroll take the focus, so that the keyboard can scroll them; others do not. (In the page all do.)
// The style sheet leaves the sections of a long page out until they come into view (custom.css); here they follow, some
// blocks at a time, so that the first screen and a reader's clicks need not wait for all of them.
(() => {
  const BOXES = "pre, .output, .cell_output, .pst-scrollable-table-container, div.math, mjx-container[display=true]";
  const scrolls = (box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
  const watch = new ResizeObserver((entries) => {
    const boxes = entries.map((entry) => entry.target);
    const scrolling = boxes.map(scrolls); // all questions first: an answer after a change costs a layout
    boxes.forEach((box, i) => (scrolling[i] ? box.setAttribute("tabindex", 0) : box.removeAttribute("tabindex")));
  });
  for (const box of document.querySelectorAll(`.bd-article :is(${BOXES})`)) watch.observe(box);

  const PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
  const AT_ONCE = 200; // elements, and characters by ten: on a phone most of these tasks take less than 50 ms
  const size = (block) => block.getElementsByTagName("*").length + block.textContent.length / 10;
  const sections = [...document.querySelectorAll(".bd-article section section")].reverse();
  let blocks = [];

  // Open the next section that is not on the screen, with all of its blocks left out in its place. From the first to
  // the last: what is laid out already stays where it is, above all that follows.
  function openSection() {
    while (!blocks.length && sections.length) {
      const section = sections.pop();
      const own = [...section.children].filter((child) => child.tagName !== "SECTION");
      if (section.firstElementChild.checkVisibility({ contentVisibilityAuto: true })) {
        own.forEach(announce);
      } else {
        own.forEach((block) => block.classList.add("laid-out-later"));
        blocks = own.reverse();
      }
      section.style.contentVisibility = "visible";
    }
    return blocks.length > 0;
  }

  // The next block; of one that is too large for one task, such as a long list of folded boxes, its parts.
  function nextBlock() {
    while (size(blocks.at(-1)) > AT_ONCE && blocks.at(-1).matches("div:not(.pst-scrollable-table-container)")) {
      const block = blocks.pop();
      const parts = [...block.children];
      if (!parts.length) return block;
      parts.forEach((part) => part.classList.add("laid-out-later"));
      shown(block);
      blocks.push(...parts.reverse());
    }
    return blocks.pop();
  }

  function shown(block) {
    announce(block);
    block.classList.remove("laid-out-later");
  }

  // For what still has to be put into a block before it is laid out.
  const announce = (block) => block.dispatchEvent(new Event("laid-out", { bubbles: true }));

  const next = () => {
    if (!openSection()) return;
    const pause = new Image(); // the page counts as loaded when its pictures are, so when all blocks are laid out
    pause.addEventListener("load", next);
    pause.src = PIXEL;
    let block,
      opened = 0;
    while (openSection()) {
      const candidate = nextBlock();
      const cost = size(candidate);
      if (opened && opened + cost > AT_ONCE) {
        blocks.push(candidate);
        break;
      }
      opened += cost;
      block = candidate;
      shown(block);
    }
    block.getBoundingClientRect();
  };
  next();
})();
