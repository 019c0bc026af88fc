// What axe-core calls serious or critical: the rule, and the first places that break it.
// The thousands of boxes of drawn formulas are left out; a screen reader skips them for the MathML beside them.
async (skipped) => {
  const page = { exclude: [["mjx-math"]] };
  const rules = Object.fromEntries(skipped.map((rule) => [rule, { enabled: false }]));
  const { violations } = await axe.run(page, { rules, resultTypes: ["violations"], preload: false });
  return violations
    .filter((rule) => ["serious", "critical"].includes(rule.impact))
    .map((rule) => `${rule.id}: ${rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
};
