// The keys of a question. They work only while the focus is inside it, where letters and digits
// have no other use (WCAG 2.1.4): a digit chooses, Enter goes on. Arrows are the browser's own.
// Nothing goes on by itself, as arrows choose too.
export function listenToKeys(form) {
  const question = form.querySelector("fieldset");
  question.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.key === "Enter" && event.target.tagName !== "INPUT") {
      event.preventDefault(); // on an answer the browser does the same by itself
      form.requestSubmit(form.querySelector("button"));
    }
    const answer = /^[1-9]$/.test(event.key) && question.querySelector(`input[value="${event.key}"]`);
    if (!answer) return;
    event.preventDefault();
    answer.focus();
    answer.click();
  });
}
