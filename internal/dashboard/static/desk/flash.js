// A message that stays goes without the page being loaded again, which would lose
// what is typed on it. Without a script the button leads back to the page.
export function dismissals(root) {
  for (const form of root.querySelectorAll("form[data-dismiss]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" });
      } catch {
        form.submit();
        return;
      }
      form.closest(".flash").remove();
      root.querySelector("main").focus();
    });
  }
}
