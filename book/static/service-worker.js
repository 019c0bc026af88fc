// Keeps the whole book for readers without a network. The build fills in what VERSION and FILES stand for
// (book/_ext/metadata.py) and puts this file at the root of the site; offline.js registers it.
// The way out: open any page with `?offline=off`, which removes the copy and this worker.
const VERSION = "VERSION";
const FILES = ["FILES"];
const CACHE = `workbook-${VERSION}`;
const AT_ONCE = 8; // requests: a phone's connection stays free for the reader

async function keepAll() {
  const cache = await caches.open(CACHE);
  const left = [...FILES];
  const keepSome = async () => {
    for (let file = left.pop(); file; file = left.pop()) {
      if (!(await cache.match(file))) await cache.add(file);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, keepSome));
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("workbook-") && name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

// What the copy has, since a version's files never change; else the network.
async function answer(request) {
  const kept = await caches.match(request, { ignoreSearch: true, cacheName: CACHE });
  return kept ?? fetch(request);
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(keepAll());
});
self.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
self.addEventListener("fetch", (event) => {
  const own = new URL(event.request.url).origin === self.location.origin;
  if (event.request.method === "GET" && own) event.respondWith(answer(event.request));
});
