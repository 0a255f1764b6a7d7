package dashboard

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"typus"
)

// detail says in words what a line of the audit log is about. A line in the form of an
// earlier version, or of an action that has no words here, is shown as it is stored.
func (f *face) detail(v *visit, e typus.AuditEntry) string {
	said := ""
	switch area, _, _ := strings.Cut(string(e.Action), "."); {
	case e.Detail == "":
	case e.Action == typus.AuditCommentRead:
		return "" // the id of a version, which no page names
	case area == "user", e.Action == typus.AuditLetterTried:
		said = f.userDetail(v, e.Detail)
	case e.Action == typus.AuditAccountChanged:
		said = f.changesInWords(v, e.Detail)
	case e.Action == typus.AuditKeyLost:
		said = f.anewInWords(v, e.Detail)
	case area == "import":
		said = f.importInWords(v, e.Detail)
	case area == "letter", area == "letter_template":
		said = f.letterInWords(v, e.Detail)
	case area == "webhook":
		if number, host, two := strings.Cut(e.Detail, " "); two {
			said = f.say(v, "audit.detail.webhook", "Number", number, "Host", host)
		}
	case area == "retention":
		said = f.peopleInWords(v, e.Detail)
	case area == "key":
		said = f.keyInWords(v, e.Detail)
	case e.Action == typus.AuditCandidatesExported:
		if people, results, two := strings.Cut(e.Detail, " "); two {
			said = f.say(v, "audit.detail.exported", "People", people, "Results", results)
		}
	case area == "position":
		said = f.positionInWords(v, e.Action, e.Detail)
	case e.Action == typus.AuditRoleExpertsAsked:
		if key, people, two := strings.Cut(e.Detail, " "); two {
			said = f.say(v, "roles.audit.people", "Name", f.roleName(v, key), "People", people)
		}
	case e.Action == typus.AuditRoleExpertsClosed, e.Action == typus.AuditRoleExpertsErased, e.Action == typus.AuditRoleArchived, e.Action == typus.AuditRoleOffered:
		said = f.roleName(v, e.Detail)
	case e.Action == typus.AuditRoleSigned:
		said = f.signedInWords(v, e.Detail)
	case e.Action == typus.AuditCandidateExtended, e.Action == typus.AuditCandidateKept:
		said = f.say(v, "audit.detail.until", "Day", f.dayInWords(v, e.Detail))
	case e.Action == typus.AuditCandidateCorrected:
		said = f.correctedInWords(v, e.Detail)
	}
	if said == "" {
		return e.Detail
	}
	return said
}

// positionInWords says which position a line is about, by its number: whoever reads the log
// may not be told its name. The default one has none.
func (f *face) positionInWords(v *visit, action typus.AuditAction, detail string) string {
	number, rest, _ := strings.Cut(detail, " ")
	number, numbered := strings.CutPrefix(number, "#")
	if !numbered {
		rest = detail
	}
	said := rest
	switch {
	case rest == "":
	case action == typus.AuditPositionCore:
		said = f.coreInWords(v, rest)
	case action == typus.AuditPublicLinkOn, action == typus.AuditPublicLinkChanged:
		said = f.publicTermsInWords(v, rest)
	case action == typus.AuditPositionChanged:
		said = f.changesInWords(v, rest)
	case action == typus.AuditPositionClosed && rest == "cancel":
		said = f.say(v, "position.audit.cancelled")
	case action == typus.AuditPositionClosed:
		said = f.say(v, "position.audit.kept")
	}
	if !numbered {
		return said
	}
	return strings.TrimSuffix(f.say(v, "position.audit.number", "Number", number)+": "+said, ": ")
}

// keyInWords says which key a line is about, and of a new one what it may do: lines of before
// say only which. A position has its number, as in positionInWords.
func (f *face) keyInWords(v *visit, detail string) string {
	fingerprint, terms, _ := strings.Cut(detail, " ")
	said := f.say(v, "audit.detail.key", "Fingerprint", fingerprint)
	scope, number, limited := strings.Cut(terms, " #")
	if words, known := scopeWords[typus.KeyScope(scope)]; known {
		said += ", " + f.say(v, "apikeys.may") + ": " + f.say(v, words.label)
	}
	if limited {
		said += ", " + f.say(v, "position.audit.number", "Number", number)
	}
	return said
}

// publicTermsInWords says how many a public link lets in, and until when.
func (f *face) publicTermsInWords(v *visit, terms string) string {
	most, ends, bounded := strings.Cut(terms, " ")
	if !bounded {
		return f.say(v, "link.audit.most", "Most", most)
	}
	return f.say(v, "link.audit.terms", "Most", most, "Date", f.dayInWords(v, ends))
}

// userDetail says an address with its role, or a change of one of them. The
// address comes first and is left alone.
func (f *face) userDetail(v *visit, detail string) string {
	role := func(word string) string {
		if key := roleNames[typus.UserRole(word)]; key != "" {
			return f.say(v, key)
		}
		return ""
	}
	last := strings.LastIndexByte(detail, ' ')
	now := role(detail[last+1:])
	if last < 0 || now == "" {
		return detail // one address became another
	}
	address := detail[:last]
	if before, changed := strings.CutSuffix(address, " →"); changed {
		if i := strings.LastIndexByte(before, ' '); i >= 0 && role(before[i+1:]) != "" {
			return f.say(v, "audit.detail.role", "Email", before[:i], "Was", role(before[i+1:]), "Now", now)
		}
	}
	return f.say(v, "audit.detail.user", "Email", address, "Role", now)
}

// peopleInWords says how many people a turn of the retention was about.
func (f *face) peopleInWords(v *visit, detail string) string {
	n, err := strconv.Atoi(detail)
	if err != nil {
		return ""
	}
	return f.sayCount(v, "audit.detail.people", n)
}

// settingNames are the words for what people set for their account, as the audit
// log names it.
var settingNames = map[string]string{
	"name": "account.name", "plan": "credits.plan", "contact_email": "account.contact", "language": "account.language", "zone": "account.zone", "host": "account.host", "letters_a_day": "account.lettersADay", "max_people": "account.maxPeople", "role_profile": "account.role",
	"invite_days": "account.days", "reminders": "account.reminders", "keep_finished_days": "account.keepFinished",
	"keep_unfinished_days": "account.keepUnfinished", "accent": "account.colour", "welcome_de": "audit.setting.welcomeDE",
	"welcome_en": "audit.setting.welcomeEN", "notify": "account.notifyTitle", "notify_emails": "account.notifyEmails", "notice": "notice.title",
	"decides_elsewhere": "decision.elsewhere", "shelf_months": "account.shelf",
	"keep_from_decision": "keep.fromDecision", "keep_undecided_days": "keep.undecided", "keep_answers_days": "account.keepAnswers",
	"position_name": "position.audit.name", "position_ref": "position.audit.ref", "client": "position.audit.client",
	"position_notice": "notice.title", "position_logo": "account.logoFile",
}

// changesInWords says which settings of an account were changed. The account's name may
// contain the separator, so a part that names no setting belongs to the part before it.
func (f *face) changesInWords(v *visit, detail string) string {
	var parts []string
	for part := range strings.SplitSeq(detail, ", ") {
		name, _, _ := strings.Cut(part, " ")
		if settingNames[name] == "" && len(parts) > 0 {
			parts[len(parts)-1] += ", " + part
			continue
		}
		parts = append(parts, part)
	}
	for i, part := range parts {
		name, change, valued := strings.Cut(part, " ")
		label := f.say(v, settingNames[name])
		was, now, two := strings.Cut(change, " → ")
		switch {
		case settingNames[name] == "":
		case !valued:
			parts[i] = label
		case two:
			parts[i] = label + ": " + f.settingInWords(v, name, was) + " → " + f.settingInWords(v, name, now)
		}
	}
	return strings.Join(parts, "; ")
}

// settingInWords says a value of a setting.
func (f *face) settingInWords(v *visit, name, value string) string {
	key := map[string]string{
		"language de": "letters.german", "language en": "letters.english",
		"notify now": "account.notifyNow", "notify daily": "account.notifyDaily", "notify off": "account.notifyOff",
		"decides_elsewhere true": "form.on", "decides_elsewhere false": "form.off",
		"plan starter": "credits.starter", "plan business": "credits.business",
		"accent none": "audit.setting.none", "host none": "audit.setting.none", "keep_finished_days 0": "audit.setting.none", "keep_unfinished_days 0": "audit.setting.none",
		"keep_undecided_days 0": "audit.setting.none", "keep_from_decision true": "form.on", "keep_from_decision false": "form.off",
	}[name+" "+value]
	switch {
	case value == "account": // of a position
		return f.say(v, "position.audit.asAccount")
	case key != "":
		return f.say(v, key)
	case name == "role_profile":
		return f.roleName(v, value)
	}
	return value
}

// importInWords says what became of a list.
func (f *face) importInWords(v *visit, detail string) string {
	var number, rows, valid, done, failed int64
	n, _ := fmt.Sscanf(detail, "%d rows=%d valid=%d done=%d failed=%d", &number, &rows, &valid, &done, &failed)
	switch {
	case n >= 4:
		return f.say(v, "audit.detail.list", "Number", number, "Rows", rows, "Valid", valid, "Invited", done-failed)
	case n == 1 && fmt.Sprint(number) == detail:
		return f.say(v, "audit.detail.import", "Number", number)
	}
	return ""
}

// letterInWords names a letter, with its language if there is one.
func (f *face) letterInWords(v *visit, detail string) string {
	kind, language, _ := strings.Cut(detail, " ")
	key := letterKindNames[typus.LetterKind(kind)]
	if key == "" {
		return ""
	}
	said := f.say(v, key)
	switch language {
	case "de":
		said += ", " + f.say(v, "letters.german")
	case "en":
		said += ", " + f.say(v, "letters.english")
	}
	return said
}

// dayOf is the day of a stored time as the account's people see it.
func (f *face) dayOf(v *visit, at time.Time) string {
	return f.dayInWords(v, v.Account.DayOf(at))
}

// dayInWords is a day of the log as the reader's language writes it.
func (f *face) dayInWords(v *visit, day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	said, err := f.pages.Day(v.lang, at)
	if err != nil {
		return day
	}
	return said
}

// correctedInWords says what of a person was corrected.
func (f *face) correctedInWords(v *visit, detail string) string {
	var what []string
	for w := range strings.SplitSeq(detail, ", ") {
		switch w {
		case "name":
			what = append(what, f.say(v, "candidate.correct.name"))
		case "email":
			what = append(what, f.say(v, "candidate.correct.email"))
		}
	}
	return strings.Join(what, ", ")
}

// anewInWords says what was made anew after a key was lost; "" for what no version has noted.
func (f *face) anewInWords(v *visit, what string) string {
	if key := madeAnew[what]; key != "" {
		return f.say(v, key)
	}
	return ""
}

var madeAnew = map[string]string{
	"links": "audit.keyLost.links", "webhooks": "audit.keyLost.webhooks", "factors": "audit.keyLost.factors",
	"letters": "audit.keyLost.letters", "sender": "audit.keyLost.sender",
}
