// After the first visit the whole book can be read without a network. `?offline=off` in an address removes the copy and
// asks for none until `?offline=on`.
addEventListener("load", async () => {
  if (!("serviceWorker" in navigator) || !/^https?:$/.test(location.protocol)) return;
  const wish = new URLSearchParams(location.search).get("offline");
  if (wish) localStorage.setItem("workbook-offline", wish);
  if (localStorage.getItem("workbook-offline") === "off") {
    const workers = await navigator.serviceWorker.getRegistrations();
    await Promise.all(workers.map((worker) => worker.unregister()));
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith("workbook-")).map((name) => caches.delete(name)));
  } else if (!navigator.connection?.saveData) {
    const root = new URL(document.documentElement.dataset.content_root ?? ".", location.href);
    navigator.serviceWorker.register(new URL("service-worker.js", root));
  }
});
