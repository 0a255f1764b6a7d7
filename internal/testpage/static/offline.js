// The page that stands in for one of the test without a connection: under the address of that
// one, so the link is in the address bar. It says what waits in this browser for that link.
const again = () => location.reload();
document.getElementById("erneut").addEventListener("click", again);
addEventListener("online", again);

const line = document.getElementById("wartet");
const count = await waiting();
let text = "unknown";
if (count !== null) text = ["none", "one"][count] ?? "many";
line.hidden = false;
line.textContent = line.dataset[text].replace("{n}", count);

// waiting counts the answers that the queue of the test would send (test/queue.js), null where
// the browser does not tell.
async function waiting() {
  try {
    const prefix = `typus.${await key(location.pathname.split("/")[2])}.`;
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix) && isAnswer(name, Number(name.slice(prefix.length)))).length;
  } catch {
    return null;
  }
}

function isAnswer(name, n) {
  try {
    const entry = JSON.parse(localStorage.getItem(name));
    return entry?.n === n && Array.isArray(entry.was);
  } catch {
    return false; // nobody of us wrote that
  }
}

// key names a test in the storage, as the server does (storageKey in visit.go): a hash of the
// link, never the link.
async function key(token) {
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`typus storage ${token}`));
  return [...new Uint8Array(sum, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
