import { ItemPage } from "./item.js";
import { listenToKeys } from "./keyboard.js";
import { Notice } from "./notice.js";
import { Onward } from "./onward.js";
import { isPlain } from "./plain.js";
import { Queue } from "./queue.js";
import { Sender } from "./sender.js";
import { Tabs } from "./tabs.js";
import { Unsaid } from "./unsaid.js";
import { dismissWorker, registerWorker } from "./worker.js";

// Everything here is comfort: without it the pages are links and forms, and the test can be
// done from beginning to end.
const { base, key, over } = document.getElementById("skript").dataset;
const queue = new Queue(key);
const tabs = new Tabs(key);
const unsaid = new Unsaid(key);
const onward = new Onward(key);

if (over === undefined) {
  tabs.hear((message) => {
    if (message.over) location.reload();
  });
  const question = document.querySelector("form[data-title]");
  if (question && !isPlain()) {
    new ItemPage(base, queue, tabs, unsaid, onward);
    registerWorker(key);
  } else {
    catchUp();
  }
} else {
  queue.clear();
  onward.turn(false);
  unsaid.take();
  tabs.tell({ over: true });
  dismissWorker();
}

// A page out of the browser's memory may be older than the test is by now.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// catchUp sends what an earlier visit left behind. Nothing is handed in before the server has it
// all, however long that takes: what comes later would be lost. Nor before somebody could read
// that other answers count than were chosen here.
function catchUp() {
  const handIn = document.querySelector("form[data-last]");
  const line = document.querySelector(".saved");
  const notice = line && new Notice(line);
  let waits = false; // somebody, to hand in
  const tell = (outdated) => {
    if (outdated.length === 0) return;
    if (notice) notice.say(waits ? "held" : "outdated", outdated);
    else unsaid.keep(outdated);
    waits = false;
  };
  const sender = new Sender(`${base}/antworten`, queue, {
    sending: (count) => waits && notice.sending(count),
    saved: (values, count, outdated) => tell(outdated),
    done: () => waits && handIn.submit(),
    failed: () => waits && notice.say("waiting"),
    refused: () => location.reload(),
  });
  for (const form of document.querySelectorAll("form")) {
    if (!form.querySelector("fieldset")) continue;
    listenToKeys(form);
    onward.listen(form, () => true, () => form.requestSubmit(form.querySelector("button")));
  }
  if (isPlain()) onward.withdraw();
  else onward.offer();
  handIn?.addEventListener("submit", (event) => {
    if (queue.all().length === 0) return;
    event.preventDefault();
    waits = true;
    notice.sending(queue.all().length);
    sender.flush();
  });
  tell(unsaid.take());
  sender.flush();
}
