// Gives each piece of code a button that copies it. Without this script, or where
// the browser has no clipboard (plain http), it is selected by hand.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button.copy")) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.closest("figure").querySelector("code").textContent);
      button.textContent = button.dataset.done;
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
}
