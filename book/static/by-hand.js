/* Questions by hand: takes a typed answer and says whether it is right (see book/_ext/folds.py).
   The rules are those of autograder/course/by_hand.py. Without this file the hint and the solution open by themselves. */
const byHand = {
  parts(text) {
    const plain = text.replace(/[−–]/g, "-").replace(/∞/g, "inf").replace(/[()[\]{}]/g, " ").replace(/\s*\/\s*/g, "/");
    return plain.split(/[\s,;]+/).filter(Boolean);
  },

  number(part) {
    if (!/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:\/\d+\.?\d*)?|inf)$/i.test(part)) {
      return NaN;
    }
    const [above, below] = part.toLowerCase().replace("inf", "Infinity").split("/");
    if (below !== undefined && Number(below) === 0) {
      return NaN;
    }
    return below === undefined ? Number(above) : Number(above) / Number(below);
  },

  /* "7,087,872" as "7087872": where one number is asked for, commas before three digits separate thousands. */
  withoutThousands(text) {
    return /^[+−–-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?$/.test(text.trim()) ? text.replace(/,/g, "") : text;
  },

  close(typed, wanted, tolerance) {
    return typed === wanted || Math.abs(typed - wanted) <= tolerance;
  },

  /* {right, text, miss}: what to say to an answer. */
  judge(asked, text) {
    const expected = asked.answer.map(byHand.number);
    const count = expected.length;
    const given = byHand.parts(count === 1 ? byHand.withoutThousands(text) : text);
    if (!given.length) {
      return { right: false, text: "Type your answer first: numbers or fractions, separated by commas.", miss: false };
    }
    const unread = given.find((part) => Number.isNaN(byHand.number(part)));
    if (unread !== undefined) {
      return { right: false, text: `'${unread}' is not a number. Type numbers such as 0.25, 1/4 or -3.`, miss: false };
    }
    if (given.length !== count) {
      const numbers = count === 1 ? "1 number" : `${count} numbers`;
      return { right: false, text: `The question asks for ${numbers}; you typed ${given.length}.`, miss: false };
    }
    const right = given.filter((part, place) =>
      byHand.close(byHand.number(part), expected[place], asked.tolerance),
    ).length;
    if (right === count) {
      return { right: true, text: "Right.", miss: false };
    }
    return { right: false, text: count === 1 ? "Not yet." : `Not yet: ${right} of ${count} are right.`, miss: true };
  },
};

(() => {
  // A block gets its form just before it is laid out (scrolling.js), and not before: a browser that fills in forms lays
  // out all blocks that have one when the page has been read. Later, it would move all that follows.
  const boxesIn = (block) => [...(block.matches(".by-hand") ? [block] : []), ...block.querySelectorAll(".by-hand")];
  document.addEventListener("laid-out", (event) => boxesIn(event.target).forEach(addForm));
  addEventListener("load", () => document.querySelectorAll(".by-hand:not(:has(form))").forEach(addForm));

  function addForm(box) {
    const asked = JSON.parse(box.dataset.byHand);
    const [hint, solution] = [box.querySelector(".by-hand-hint"), box.querySelector(".by-hand-solution")];
    const form = document.createElement("form");
    form.className = "by-hand-form";
    const field = document.createElement("input");
    field.type = "text";
    field.autocomplete = "off";
    field.id = `${box.id}-field`;
    const label = document.createElement("label");
    label.htmlFor = field.id;
    label.textContent = "Your answer";
    const button = document.createElement("button");
    button.type = "submit";
    button.textContent = "Check";
    const said = document.createElement("p");
    said.className = "by-hand-said";
    said.setAttribute("role", "status");
    said.setAttribute("aria-live", "polite");
    form.append(label, field, button);
    hint.before(form, said);
    hint.hidden = true; // until the second miss
    let misses = 0;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const reply = byHand.judge(asked, field.value);
      misses += reply.miss;
      const helps = reply.miss && misses > 1;
      said.textContent = `${reply.right ? "✓" : "✗"} ${reply.text}${helps ? " A hint is open below." : ""}`;
      said.classList.toggle("by-hand-right", reply.right);
      if (helps) {
        hint.hidden = false;
        hint.open = true;
      }
      if (reply.right) {
        solution.open = true; // it gives the reason
      }
    });
  }
})();
