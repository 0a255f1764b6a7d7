// Whether an item's page stays as the server made it: a list of answers and a button.
//
// Something between the browser and the server may let pages pass but no request of a script.
// Who is stuck because of that and loads the page again gets it plain; as soon as a request
// arrives after all, the next page is not.
const mark = "typus.plain";
const enough = 5; // failures in a row
const long = 60_000; // from the first to the last of them

export function isPlain() {
  const able = "timeout" in AbortSignal && "requestSubmit" in HTMLFormElement.prototype;
  try {
    return !able || sessionStorage.getItem(mark) !== null;
  } catch {
    return !able;
  }
}

// noteFailures is told how many requests in a row have failed, 0 when one arrived, and how many
// milliseconds ago the first of them did. Without the time a loose contact would do.
export function noteFailures(count, ms) {
  try {
    if (count === 0) sessionStorage.removeItem(mark);
    else if (count >= enough && ms >= long) sessionStorage.setItem(mark, "");
  } catch {
    // Then the page cannot be told.
  }
}
