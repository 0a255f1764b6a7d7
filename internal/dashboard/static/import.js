// The progress of an import moves by itself; without a script the page is asked
// for again every other second.
const bar = document.querySelector("progress[data-state]");
const text = document.getElementById("stand");

async function look() {
  try {
    const answer = await fetch(bar.dataset.state, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    const state = await answer.json();
    bar.value = state.done;
    text.textContent = state.text;
    if (!state.running) {
      location.reload();
      return;
    }
    setTimeout(look, 1000);
  } catch {
    // Away for a moment, or logged out: the next look tells.
    setTimeout(look, 5000);
  }
}

if (bar) setTimeout(look, 700);
