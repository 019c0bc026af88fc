/* Quizzes: makes buttons of the choices of a question and answers them on the page (see book/_ext/quizzes.py).
   Without this file a quiz is a list and an answer that opens. */
(() => {
  for (const question of document.querySelectorAll(".quiz-question")) {
    const right = [...question.classList].find((name) => name.startsWith("quiz-right-")).at(-1);
    const feedback = document.createElement("div");
    feedback.className = "quiz-feedback";
    feedback.setAttribute("role", "status");
    feedback.setAttribute("aria-live", "polite");
    const list = question.querySelector(".quiz-choices");
    list.setAttribute("role", "list");
    const buttons = [...list.children].map((item, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      const content = item.children.length === 1 && item.firstElementChild.tagName === "P" ? item.firstElementChild : item;
      button.append(...content.childNodes);
      item.replaceChildren(button);
      button.addEventListener("click", () => choose("abcde"[index]));
      return button;
    });
    list.after(feedback);

    function choose(letter) {
      question.dataset.first ??= letter === right ? "right" : "wrong";
      buttons.forEach((button, index) => {
        const chosen = "abcde"[index] === letter;
        button.setAttribute("aria-pressed", String(chosen));
        button.classList.toggle("quiz-chosen-right", chosen && letter === right);
        button.classList.toggle("quiz-chosen-wrong", chosen && letter !== right);
      });
      const verdict = document.createElement("strong");
      verdict.textContent = letter === right ? `✓ (${letter}) is right. ` : `✗ (${letter}) is not right. `;
      const why = [...question.querySelectorAll(`.quiz-answer .quiz-why-${letter}`)].map((part) => part.cloneNode(true));
      why.forEach((part) => part.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id")));
      if (letter === right) {
        why[0]?.querySelector("strong")?.remove(); // the letter, which the verdict has already
      }
      feedback.replaceChildren(verdict, ...why.flatMap((part) => [part, " "]));
      document.dispatchEvent(new Event("quiz-answered"));
    }
  }

  // The score of all questions of the page. What counts is the first answer to each.
  for (const board of document.querySelectorAll(".quiz-score")) {
    const enough = Number([...board.classList].find((name) => name.startsWith("quiz-enough-")).split("-").at(-1));
    const [many, fewer] = board.querySelectorAll("li");
    const score = document.createElement("p");
    score.setAttribute("role", "status");
    score.setAttribute("aria-live", "polite");
    board.prepend(score);
    document.addEventListener("quiz-answered", () => {
      const questions = [...document.querySelectorAll(".quiz-question")];
      const count = (first) => questions.filter((question) => question.dataset.first === first).length;
      const right = count("right");
      const left = questions.length - right - count("wrong");
      score.textContent = `${right} right at the first try${left ? `, ${left} to go.` : ` of ${questions.length}.`}`;
      many.hidden = left === 0 && right < enough;
      fewer.hidden = left === 0 && right >= enough;
    });
  }
})();
