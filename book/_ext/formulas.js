// Draws formulas with MathJax and no browser: a JSON list of [TeX, display] comes in, {css, drawn} goes out.
// Usage: node formulas.js FOLDER_OF_MATHJAX ADDRESS_OF_ITS_FONTS
const fs = require("fs");
const path = require("path");

const [folder, fontURL] = process.argv.slice(2);
global.MathJax = {
  loader: {
    paths: { mathjax: folder },
    require,
    load: ["adaptors/liteDOM", "input/tex-full", "output/chtml"],
  },
  chtml: { fontURL, adaptiveCSS: true },
  startup: { typeset: false },
};
require(path.join(folder, "startup.js"));
MathJax.startup.promise.then(() => {
  const adaptor = MathJax.startup.adaptor;
  const drawn = JSON.parse(fs.readFileSync(0, "utf8")).map(([tex, display]) => ({
    html: adaptor.outerHTML(MathJax.tex2chtml(tex, { display })),
    mathml: MathJax.tex2mml(tex, { display }).replace(/>\s+</g, "><"),
  }));
  process.stdout.write(JSON.stringify({ css: adaptor.textContent(MathJax.chtmlStylesheet()), drawn }));
});
