// Text of the article whose contrast with what is painted behind it is below 4.5 (WCAG 2, level AA).
// Left out: formulas, drawings, and symbols that repeat what a word says.
() => {
  const SKIPPED = "svg, mjx-container, script, style, .headerlink, [aria-hidden=true], .visually-hidden";
  const parse = (colour) => {
    const numbers = colour.match(/[\d.]+/g).map(Number);
    return { rgb: numbers.slice(0, 3), alpha: numbers[3] ?? 1 };
  };
  const over = (colour, under) => colour.rgb.map((v, i) => v * colour.alpha + under[i] * (1 - colour.alpha));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      layers.unshift(parse(getComputedStyle(e).backgroundColor));
      if (layers[0].alpha === 1) break;
    }
    return layers.reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const contrast = (element) => {
    const paper = behind(element);
    const ink = over(parse(getComputedStyle(element).color), paper);
    const [lighter, darker] = [luminance(ink), luminance(paper)].sort((a, b) => b - a);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const texts = document.createTreeWalker(document.querySelector(".bd-article"), NodeFilter.SHOW_TEXT);
  const found = new Set();
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || element.closest(SKIPPED) || !element.checkVisibility()) continue;
    if (contrast(element) < 4.5) found.add(text.data.trim().slice(0, 40));
  }
  return [...found].slice(0, 5);
};
