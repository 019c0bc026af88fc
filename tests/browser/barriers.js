// What axe-core calls serious or critical: the rule, and the first places that break it.
// Thousands of elements are taken out before, with which it would take ten times as long: the boxes of drawn formulas,
// which a screen reader skips for the MathML beside them, and where no colours are looked at, those of words in code.
async (skipped) => {
  document.querySelectorAll("mjx-math").forEach((formula) => formula.replaceChildren());
  if (skipped.includes("color-contrast")) {
    document.querySelectorAll(".highlight pre").forEach((code) => (code.textContent = code.textContent));
  }
  const rules = Object.fromEntries(skipped.map((rule) => [rule, { enabled: false }]));
  const { violations } = await axe.run(document, { rules, resultTypes: ["violations"], preload: false });
  return violations
    .filter((rule) => ["serious", "critical"].includes(rule.impact))
    .map((rule) => `${rule.id}: ${rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
};
