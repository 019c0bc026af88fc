// What scrolls sideways can be scrolled with the keyboard: it takes the focus while it is wider than its place.
(() => {
  const PARTS = ".cell_output, .pst-scrollable-table-container, div.math, mjx-container[display=true]";
  const update = () => {
    for (const part of document.querySelectorAll(`.bd-article :is(${PARTS})`)) {
      const scrolls = part.scrollWidth > part.clientWidth && part.clientWidth > 0;
      if (scrolls) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    }
  };
  addEventListener("load", update);
  addEventListener("resize", update);
})();
