// The service worker, which stands in with a page of ours when the test is loaded again without
// a connection. It is there from the first item to the end of the test.
const workerAddress = "/t/worker.js";
const workerScope = "/t/";

export async function registerWorker(key) {
  try {
    await navigator.serviceWorker.register(workerScript(), { scope: workerScope });
    // In which language it stands in for this test. The key is a hash of the link, never the link.
    const cache = await caches.open("typus-language");
    await cache.put(`/t/offline?key=${key}`, new Response(document.documentElement.lang));
  } catch {
    // A browser without, a private window, a closed storage: then its own page stands in.
  }
}

// workerScript is the address for browsers that take no string for it. The policy makes this one
// only, and each page makes the policy once.
function workerScript() {
  if (!("trustedTypes" in window)) return workerAddress;
  return trustedTypes.createPolicy("typus-worker", {
    createScriptURL(address) {
      if (address !== workerAddress) throw new TypeError("no address of the worker");
      return address;
    },
  }).createScriptURL(workerAddress);
}

// dismissWorker leaves nothing of it in the browser.
export async function dismissWorker() {
  try {
    const registration = await navigator.serviceWorker.getRegistration(workerScope);
    await registration?.unregister();
    for (const name of await caches.keys()) if (name.startsWith("typus-")) await caches.delete(name);
  } catch {
    // Then there was none.
  }
}
