// A button that copies what its data-copy says. It is hidden in the document,
// since without a script it could do nothing. What came of it is said once, beside it;
// where it did not work, it can be read there, too.
export function copyButtons(root) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("button[data-copy]")) {
    const label = button.firstElementChild;
    const before = label.textContent;
    const said = document.createElement("span");
    said.className = "unseen";
    said.setAttribute("role", "status");
    button.after(said);
    button.hidden = false;
    let timer;
    button.addEventListener("click", async () => {
      clearTimeout(timer);
      said.textContent = "";
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        said.className = "unseen";
        said.textContent = label.textContent = button.dataset.done;
        timer = setTimeout(() => {
          label.textContent = before;
          said.textContent = "";
        }, 2000);
      } catch {
        said.className = "small";
        said.textContent = button.dataset.failed;
      }
    });
  }
}
