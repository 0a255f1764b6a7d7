// Times come in the account's zone, with its name. Where the reader's clocks show the same, they
// are shown without it. Pages of no account have times in UTC, which become the reader's.
export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-day])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime()) || elsewhere(at)) continue;
    time.title = time.textContent;
    time.textContent = written(at);
  }
}

// moment is a time in the account's zone, with its name where the reader's clocks differ.
export function moment(at) {
  return elsewhere(at) ? `${written(at, zone())} ${nameOf(at)}` : written(at);
}

// zoneFields tell a form in which zone its reader is.
export function zoneFields(root) {
  for (const field of root.querySelectorAll("input[data-zone-here]")) field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

function zone() {
  const { zone } = document.documentElement.dataset;
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
    return zone;
  } catch {
    return "UTC"; // this browser does not know the zone
  }
}

// elsewhere reports whether the reader's clocks differ from the account's.
function elsewhere(at) {
  return document.documentElement.dataset.zone !== undefined && written(at) !== written(at, zone());
}

function written(at, timeZone) {
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short", timeZone }).format(at);
}

function nameOf(at) {
  const parts = new Intl.DateTimeFormat(language(), { timeZone: zone(), timeZoneName: "short" }).formatToParts(at);
  return parts.find((part) => part.type === "timeZoneName").value;
}

function language() {
  const { lang } = document.documentElement;
  return lang === "en" ? "en-GB" : lang;
}
