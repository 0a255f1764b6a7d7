// A button that copies what its data-copy says. It is hidden in the document,
// since without a script it could do nothing.
export function copyButtons(root) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("button[data-copy]")) {
    const label = button.textContent;
    button.hidden = false;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        button.textContent = button.dataset.done;
        setTimeout(() => { button.textContent = label; }, 2000);
      } catch {
        // The browser did not allow it; the text stands beside the button.
      }
    });
  }
}
