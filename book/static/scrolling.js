// Boxes that scroll take the focus, so that the keyboard can scroll them; others do not. (In the page all do.)
// The style sheet leaves the blocks of a long page out until they come into view (custom.css); here they follow, some
// at a time, so that the first screen and a reader's clicks need not wait for all of them.
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
  const AT_ONCE = 800; // elements, and characters by ten: on a phone most of these tasks take less than 50 ms
  const blocks = [...document.querySelectorAll(".bd-article section section > :not(section)")].reverse();
  const size = (block) => block.getElementsByTagName("*").length + block.textContent.length / 10;
  // From the first to the last: what is laid out already stays where it is, above all that follows.
  const next = () => {
    if (!blocks.length) return;
    const pause = new Image(); // the page counts as loaded when its pictures are, so when all blocks are laid out
    pause.addEventListener("load", next);
    pause.src = PIXEL;
    let block;
    for (let count = 0; blocks.length && (!count || count + size(blocks.at(-1)) <= AT_ONCE); count += size(block)) {
      block = blocks.pop();
      block.dispatchEvent(new Event("laid-out", { bubbles: true })); // for what still has to be put into it
      block.style.contentVisibility = "visible";
    }
    block.getBoundingClientRect();
  };
  next();
})();
