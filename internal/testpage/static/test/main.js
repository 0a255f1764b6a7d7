import { ItemPage } from "./item.js";
import { listenToKeys } from "./keyboard.js";
import { Notice } from "./notice.js";
import { isPlain } from "./plain.js";
import { Queue } from "./queue.js";
import { Sender } from "./sender.js";
import { Tabs } from "./tabs.js";

// Everything here is comfort: without it the pages are links and forms, and the test can be
// done from beginning to end.
const { base, key, over } = document.getElementById("skript").dataset;
const queue = new Queue(key);
const tabs = new Tabs(key);

if (over === undefined) {
  tabs.hear((message) => {
    if (message.over) location.reload();
  });
  const question = document.querySelector("form[data-title]");
  if (question && !isPlain()) new ItemPage(base, queue, tabs);
  else catchUp();
} else {
  queue.clear();
  tabs.tell({ over: true });
}

// A page out of the browser's memory may be older than the test is by now.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// catchUp sends what an earlier visit left behind. Nothing is handed in before the server has it
// all, however long that takes: what comes later would be lost.
function catchUp() {
  const handIn = document.querySelector("form[data-last]");
  let notice = null; // once somebody waits to hand in
  const sender = new Sender(`${base}/antworten`, queue, {
    sending: () => notice?.sending(),
    saved: () => {},
    done: () => notice && handIn.submit(),
    failed: () => notice?.say("waiting"),
    refused: () => location.reload(),
  });
  for (const form of document.querySelectorAll("form")) {
    if (form.querySelector("fieldset")) listenToKeys(form);
  }
  handIn?.addEventListener("submit", (event) => {
    if (queue.all().length === 0) return;
    event.preventDefault();
    notice ??= new Notice(handIn.querySelector("[role=status]"));
    notice.sending();
    sender.flush();
  });
  sender.flush();
}
