// What axe-core calls serious or critical: the rule, and the first places that break it. At the first call all rules
// look at the whole page. At the next, which finds the page on another screen, they look at what was not shown before,
// and those whose answer depends on what is shown look at everything again.
// Thousands of elements are taken out before, with which it would take ten times as long: the boxes of drawn formulas,
// which a screen reader skips for the MathML beside them, and those of words in code: all of them where no colours are
// looked at, else all but the first word of each kind.
async (skipped) => {
  const GRAVE = ["serious", "critical"];
  const DEPENDS = /-name$|^label|-alt$|^scrollable-region-focusable$|^aria-hidden-focus$|^nested-interactive$/;
  const colours = !skipped.includes("color-contrast");
  document.querySelectorAll("mjx-math").forEach((formula) => formula.replaceChildren());
  const kinds = new Set();
  for (const word of document.querySelectorAll(".highlight pre span:not(:has(*))")) {
    const kind = word.className;
    if (colours && !kinds.has(kind)) kinds.add(kind);
    else word.replaceWith(word.textContent);
  }
  const rules = axe._audit.rules
    .filter((rule) => rule.enabled && !rule.tags.some((tag) => axe._audit.tagExclude.includes(tag)))
    .filter((rule) => GRAVE.includes(rule.impact) && !skipped.includes(rule.id))
    .map((rule) => rule.id);
  const run = async (where, values) => {
    const options = { runOnly: { type: "rule", values }, resultTypes: ["violations"], preload: false };
    return (await axe.run(where, options)).violations;
  };
  const shown = [...document.body.querySelectorAll("*")].filter((one) => one.checkVisibility());
  const before = window.shownBefore;
  window.shownBefore = new Set(shown);
  let violations = [];
  if (!before || colours) {
    violations = await run(document, rules);
  } else {
    const fresh = shown.filter((one) => !before.has(one) && before.has(one.parentElement));
    violations = await run(document, rules.filter((rule) => DEPENDS.test(rule)));
    if (fresh.length) violations.push(...(await run({ include: fresh }, rules)));
  }
  const places = (rule) => rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ");
  return violations.map((rule) => `${rule.id}: ${places(rule)}`);
};
