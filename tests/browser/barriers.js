// What axe-core calls serious or critical: the rule, and the first places that break it.
// The thousands of boxes of drawn formulas are left out; a screen reader skips them for the MathML beside them.
async () => {
  const page = { exclude: [["mjx-math"]] };
  const { violations } = await axe.run(page, { resultTypes: ["violations"], preload: false });
  return violations
    .filter((rule) => ["serious", "critical"].includes(rule.impact))
    .map((rule) => `${rule.id}: ${rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
};
