// A receiver written the way receivers commonly are: it parses the body,
// serialises it again, and checks both signatures on the result.
// Input: one JSON array of {body, secret, id, timestamp, seed, standard}.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const hmac = (key, text, form) => createHmac("sha256", key).update(text).digest(form);

for (const [i, d] of JSON.parse(readFileSync(0, "utf8")).entries()) {
  const again = JSON.stringify(JSON.parse(d.body));
  const raw = Buffer.from(d.body, "utf8");
  const key = Buffer.from(d.secret.replace(/^whsec_/, ""), "base64");
  const faults = {
    bytes: Buffer.from(again, "utf8").equals(raw),
    seed: "sha256=" + hmac(d.secret, again, "hex") === d.seed,
    standard: "v1," + hmac(key, `${d.id}.${d.timestamp}.${again}`, "base64") === d.standard,
  };
  for (const [what, ok] of Object.entries(faults)) {
    if (!ok) console.log(`body ${i}: ${what} differ: ${d.body} / ${again}`);
  }
}
console.log("checked");
