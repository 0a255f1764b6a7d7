// The account's zone; undefined on pages of no account, whose times in UTC become the reader's.
const home = document.documentElement.dataset.zone;

// Times come in the account's zone, with its name. Where the reader's clocks show the same, the
// name is left out.
export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-day])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime()) || elsewhere(at)) continue;
    time.title = time.textContent;
    time.textContent = home ? time.textContent.replace(/\u00a0\S+$/, "") : written(at);
  }
}

// moment is a time in the account's zone, with its name where the reader's clocks differ.
export function moment(at) {
  return elsewhere(at) ? `${written(at, zone())}\u00a0${nameOf(at)}` : written(at);
}

// zoneFields tell a form in which zone its reader is.
export function zoneFields(root) {
  for (const field of root.querySelectorAll("input[data-zone-here]")) field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

// zone is the account's; "UTC" if this browser does not know it.
function zone() {
  try {
    Intl.DateTimeFormat("en", { timeZone: home });
    return home;
  } catch {
    return "UTC";
  }
}

// elsewhere reports whether the reader's clocks differ from the account's, or may.
function elsewhere(at) {
  return home && (zone() !== home || written(at) !== written(at, home));
}

function written(at, timeZone) {
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short", timeZone }).format(at);
}

// nameOf is the zone as typus.ZoneName says it.
function nameOf(at) {
  const said = (timeZoneName) => new Intl.DateTimeFormat(language(), { timeZone: zone(), timeZoneName }).formatToParts(at).at(-1).value;
  const short = said("short");
  return /^([MOW]ES?Z|[CEW]ES?T|GMT|UTC)$/.test(short) ? short : said("shortOffset").replace("GMT", "UTC").replace("-", "−");
}

function language() {
  const { lang } = document.documentElement;
  return lang === "en" ? "en-GB" : lang;
}
