// The parts of the map whose chapters were read are lit. What was read stands in this browser (localStorage), where the
// list of pages keeps it; whoever changes it says so with the event "progress-changed".
(() => {
  const pageOf = (address) => new URL(address, location.href).pathname.split("/").at(-1).replace(/\.html$/, "");

  function marks() {
    try {
      return JSON.parse(localStorage.getItem("workbook-marks")) ?? {};
    } catch {
      return {}; // no storage, or not ours: then nothing is lit
    }
  }

  function light() {
    const all = marks();
    for (const part of document.querySelectorAll(".course-drawing a.unit")) {
      const read = all[pageOf(part.href.baseVal)]?.read === true;
      part.classList.toggle("read", read);
      const words = part.querySelector("title").textContent;
      part.setAttribute("aria-label", read ? `${words}, read` : words);
    }
  }

  light();
  document.addEventListener("progress-changed", light);
  addEventListener("storage", light); // another tab
  addEventListener("pageshow", (event) => event.persisted && light()); // back from a chapter
})();
