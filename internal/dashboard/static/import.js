// The progress of an import moves by itself. A screen reader hears of it at each
// quarter, not at each look; the page that comes at the end says in its title how it went.
const bar = document.querySelector("progress[data-state]");
const text = document.getElementById("stand");
const said = document.getElementById("gesagt");

const quarter = () => Math.floor((4 * bar.value) / bar.max);

async function look() {
  try {
    const answer = await fetch(bar.dataset.state, { headers: { accept: "application/json" } });
    if (answer.redirected || answer.ok && !answer.headers.get("content-type").startsWith("application/json")) {
      said.className = "small"; // logged out: there is nothing to wait for
      said.textContent = bar.dataset.lost;
      return;
    }
    if (!answer.ok) throw new Error(String(answer.status));
    const state = await answer.json();
    const before = quarter();
    if (bar.position >= 0) bar.value = state.done; // else nobody knows how far that is
    text.textContent = state.text;
    if (quarter() > before) said.textContent = state.text;
    if (!state.running) {
      location.reload();
      return;
    }
    setTimeout(look, 1000);
  } catch {
    setTimeout(look, 5000); // away for a moment: the next look tells
  }
}

if (bar) setTimeout(look, 700);
