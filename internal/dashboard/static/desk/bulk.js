// Choosing many candidates: one box for the whole page, and how many are chosen.
// Without a script the boxes and the buttons below them do the same work.
export function bulkForms(root) {
  for (const form of root.querySelectorAll("form[data-bulk]")) {
    const boxes = [...form.querySelectorAll('input[name="id"]')];
    const count = form.querySelector(".bulk-count");
    // The bar comes and goes, and what is said in a part that just came is not heard.
    const said = form.querySelector('[role="status"]');
    const all = document.createElement("input");
    all.type = "checkbox";
    const label = document.createElement("label");
    label.className = "pick-all";
    label.append(all, " ", form.dataset.all);
    form.querySelector(".list-tools").prepend(label);

    const show = () => {
      const chosen = boxes.filter((box) => box.checked).length;
      all.checked = chosen === boxes.length;
      all.indeterminate = chosen > 0 && chosen < boxes.length;
      count.textContent = form.dataset.many.replace("#", String(chosen));
      if (chosen > 0 || said.textContent !== "") said.textContent = count.textContent;
    };
    // Enter on a box presses the first button of a form: this one, which without a script
    // shows the list again, so that it is none of those that do something.
    form.querySelector(".by-enter").addEventListener("click", (e) => e.preventDefault());
    all.addEventListener("change", () => {
      for (const box of boxes) box.checked = all.checked;
      show();
    });
    form.addEventListener("change", show);
    window.addEventListener("pageshow", show);
    show();
  }
}
