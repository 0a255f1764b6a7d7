// Whoever leaves a page with something typed that is not saved is asked first, by the browser
// in its own words. Sending the form is no leaving, and a look in another tab saves nothing.
// A fault in a form says that it was sent and not saved; with data-unsaved="typed" it stands
// in what is stored.
export function unsavedForms(root) {
  for (const form of root.querySelectorAll("form[data-unsaved]")) {
    const shown = values(form);
    let sent = false;
    form.addEventListener("submit", (event) => { sent = event.submitter?.formTarget !== "_blank"; });
    window.addEventListener("pageshow", () => { sent = false; });
    window.addEventListener("beforeunload", (event) => {
      if (navigator.userActivation?.hasBeenActive === false) return; // browsers ask nobody who has done nothing yet
      if (!sent && (form.dataset.unsaved !== "typed" && form.querySelector('[aria-invalid="true"]') || values(form) !== shown)) event.preventDefault();
    });
  }
}

// values is what a form would send, as one text; of a file its name and size.
function values(form) {
  return JSON.stringify([...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value : [value.name, value.size]]));
}
