// Boxes that scroll take the focus, so that the keyboard can scroll them; others do not. (In the page all do.)
// The style sheet leaves the sections of a long page out until they come into view (custom.css); here they follow, one
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
  const sections = [...document.querySelectorAll(".bd-article section section")];
  // From the last to the first: nothing on the screen moves when something below it changes its height.
  const next = () => {
    const section = sections.pop();
    if (!section) return;
    const pause = new Image(); // the page counts as loaded when its pictures are, so when all sections are laid out
    pause.addEventListener("load", next);
    pause.src = PIXEL;
    section.style.contentVisibility = "visible";
    section.getBoundingClientRect();
  };
  next();
})();
