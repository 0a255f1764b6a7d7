// What helps on every page of the dashboard; each works without it too.
import { copyButtons } from "./copy.js";
import { localTimes } from "./times.js";
import { menus } from "./menus.js";

copyButtons(document);
localTimes(document);
menus(document);
