// Boxes that scroll take the focus, so that the keyboard can scroll them; others do not. (In the page all do.)
// The style sheet leaves the sections of a long page out until they come into view (custom.css); here they follow, one
// after the other, while the browser has nothing else to do.
(() => {
  const BOXES = "pre, .output, .cell_output, .pst-scrollable-table-container, div.math, mjx-container[display=true]";
  const scrolls = (box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
  const watch = new ResizeObserver((entries) => {
    const boxes = entries.map((entry) => entry.target);
    const scrolling = boxes.map(scrolls); // all questions first: an answer after a change costs a layout
    boxes.forEach((box, i) => (scrolling[i] ? box.setAttribute("tabindex", 0) : box.removeAttribute("tabindex")));
  });
  for (const box of document.querySelectorAll(`.bd-article :is(${BOXES})`)) watch.observe(box);

  const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 0 })));
  const sections = [...document.querySelectorAll(".bd-article section section")];
  const some = (deadline) => {
    do {
      const section = sections.shift();
      if (!section) return;
      section.style.contentVisibility = "visible";
      section.getBoundingClientRect(); // laid out now, so that the time that is left is known
    } while (deadline.timeRemaining() > 25);
    whenIdle(some);
  };
  whenIdle(some);
})();
