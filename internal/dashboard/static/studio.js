// The preview of the look follows what is typed. Without it, the button shows it.
const studio = document.querySelector("[data-studio]");
const form = studio.querySelector("form");
const { accent, logo, entfernen: gone } = form.elements;
const words = form.elements[`welcome_${document.documentElement.lang}`];

form.querySelector("[data-preview]").hidden = true;

// A colour comes as a style sheet: the server knows which shade is legible.
function colour() {
  const hex = /^\s*#?([0-9a-f]{3}|[0-9a-f]{6})\s*$/i.exec(accent.value)?.[1].toLowerCase() ?? "";
  const chosen = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
  let sheet = document.getElementById("studio-farbe");
  studio.querySelector("[data-checks]").hidden = !chosen;
  if (!chosen) {
    sheet?.remove();
    return;
  }
  if (!sheet) {
    sheet = document.createElement("link");
    Object.assign(sheet, { id: "studio-farbe", rel: "stylesheet" });
    document.head.append(sheet);
  }
  const address = `/dashboard/farbe/${chosen}`;
  if (sheet.getAttribute("href") !== `${address}.css`) sheet.href = `${address}.css`;
  picker.value = `#${chosen}`;
  checks(`${address}.json`);
}

let asked = "";

async function checks(address) {
  if (asked === address) return;
  asked = address;
  try {
    const answer = await fetch(address);
    const said = await answer.json();
    if (asked !== address) return; // another colour was typed since
    for (const line of studio.querySelectorAll("[data-check]")) line.textContent = said[line.dataset.check];
  } catch {
    asked = ""; // the old words stay; saving says it anew
  }
}

function welcome() {
  const lines = words.value.split(/[\r\n]+/).filter(Boolean);
  for (const card of studio.querySelectorAll("[data-welcome]")) {
    card.hidden = lines.length === 0;
    card.querySelector("[data-words]").replaceChildren(...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
  }
}

// A picture is drawn, because the page loads none from elsewhere than the server.
async function picture() {
  const file = logo.files[0];
  const drawn = file && !gone?.checked ? await createImageBitmap(file).catch(() => null) : null;
  for (const place of studio.querySelectorAll("[data-logo]")) {
    place.querySelector("canvas")?.remove();
    const stored = place.querySelector("img");
    if (stored) stored.hidden = Boolean(drawn);
    if (drawn) {
      const canvas = Object.assign(document.createElement("canvas"), { width: drawn.width, height: drawn.height });
      canvas.getContext("2d").drawImage(drawn, 0, 0);
      place.append(canvas);
    }
    place.hidden = Boolean(gone?.checked) || !(drawn || stored);
    place.nextElementSibling.hidden = !place.hidden;
  }
}

const picker = Object.assign(document.createElement("input"), { type: "color", value: accent.value || "#0f5c4d" });
picker.className = "studio-pick";
picker.setAttribute("aria-label", studio.dataset.pick);
picker.addEventListener("input", () => {
  accent.value = picker.value;
  colour();
});
accent.after(picker);
accent.addEventListener("input", colour);
words.addEventListener("input", welcome);
logo.addEventListener("change", picture);
gone?.addEventListener("change", picture);
