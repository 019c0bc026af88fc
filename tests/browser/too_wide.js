// Elements of the article whose right edge is off the screen although nothing around them scrolls.
() => {
  const scrolls = (e) => ["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX);
  const insideScrolling = (e) => {
    for (let parent = e.parentElement; parent; parent = parent.parentElement) if (scrolls(parent)) return true;
    return false;
  };
  return [...document.querySelectorAll(".bd-article *")]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !insideScrolling(e))
    .slice(0, 5)
    .map((e) => e.outerHTML.slice(0, 120));
};
