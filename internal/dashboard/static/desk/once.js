// A form that makes something is sent once: a second click would take the answer
// away, and with it a secret that is shown this once. Whoever waits in vain can send
// it again; the server knows it then.
export function onceForms(root) {
  for (const field of root.querySelectorAll('input[name="formular"]')) {
    let sent = false;
    const free = () => { sent = false; };
    field.form.addEventListener("submit", (event) => {
      if (event.submitter?.hasAttribute("formaction")) return;
      if (sent) event.preventDefault();
      sent = true;
      setTimeout(free, 5000);
    });
    window.addEventListener("pageshow", free);
  }
}
