// Times come in UTC and are shown in the reader's zone.
export function localTimes(root) {
  const lang = document.documentElement.lang;
  const moment = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { dateStyle: "medium", timeStyle: "short" });
  for (const time of root.querySelectorAll("time[datetime]:not([data-day])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = time.textContent;
    time.textContent = moment.format(at);
  }
}
