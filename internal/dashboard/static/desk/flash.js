// A message that stays goes without the page being loaded again, which would lose
// what is typed on it. Without a script the button leads back to the page.
export function dismissals(root) {
  for (const form of root.querySelectorAll("form[data-dismiss]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!await dismissed(form)) {
        form.submit(); // the page that comes says what is wrong
        return;
      }
      form.closest(".flash").remove();
      root.querySelector("main").focus();
    });
  }
}

// dismissed sends the form and says whether that worked: the answer is then the way
// back to the page, and any other is a refusal or a fault.
async function dismissed(form) {
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" });
    return answer.type === "opaqueredirect";
  } catch {
    return false;
  }
}
