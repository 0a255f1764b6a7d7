// The service worker of the test. It answers nothing as long as the server can be reached, and
// then one page of ours instead of the browser's error; see the decision 0079. The server puts
// two lines before this: `version`, and `kept`, the addresses of that page in each language and
// of what it needs. None of them knows a person, a link or an answer, and nothing else is kept.
const cacheName = `typus-offline-${version}`;
const languageCache = "typus-language"; // of each test, as its last page was

addEventListener("install", (event) => {
  skipWaiting(); // what mends a fault of its predecessor waits for no tab to close
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(kept)));
});

addEventListener("activate", (event) => event.waitUntil(dropPredecessors()));

// A request that is not answered here is made as if there were no worker: all forms, all that
// scripts send, all of other paths. An answer of the server passes whatever its status is.
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate" && pathname.startsWith("/t/")) {
    event.respondWith(fetch(event.request).catch(() => offlinePage(pathname.split("/")[2])));
  } else if (kept.includes(pathname)) { // the style sheet and the script
    event.respondWith(fetch(event.request).catch(() => keptFile(pathname)));
  }
});

async function dropPredecessors() {
  for (const name of await caches.keys()) {
    if (name.startsWith("typus-offline-") && name !== cacheName) await caches.delete(name);
  }
}

async function offlinePage(token) {
  const last = await caches.match(`/t/offline?key=${await key(token)}`, { cacheName: languageCache });
  const lang = (await last?.text()) ?? navigator.language;
  return keptFile(`/t/offline?lang=${lang.startsWith("de") ? "de" : "en"}`);
}

// keptFile is the browser's own error where it has thrown ours away.
async function keptFile(address) {
  return (await caches.match(address, { cacheName })) ?? Response.error();
}

// key names a test as the server does (storageKey in visit.go): a hash of the link, never the link.
async function key(token) {
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`typus storage ${token}`));
  return [...new Uint8Array(sum, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
