// What helps on every page of the dashboard; each works without it too.
import { bulkForms } from "./bulk.js";
import { copyButtons } from "./copy.js";
import { drafts } from "./drafts.js";
import { dismissals } from "./flash.js";
import { formDrafts } from "./forms.js";
import { localTimes, zoneFields } from "./times.js";
import { tidyDrafts } from "./kept.js";
import { menus } from "./menus.js";
import { onceForms } from "./once.js";
import { unsavedForms } from "./unsaved.js";

bulkForms(document);
copyButtons(document);
dismissals(document);
tidyDrafts(document);
drafts(document);
formDrafts(document);
localTimes(document);
menus(document);
onceForms(document);
unsavedForms(document);
zoneFields(document);
