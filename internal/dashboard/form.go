package dashboard

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/page"
)

// field is one field of a form: how it is labelled, what was typed, and what is wrong
// with it.
type field struct {
	Name         string
	Label        string // text key
	Of           string // what it is about, where several fields have one label
	Hint         string // text key, "" for none
	Type         string // of the input: text, email, password, number, date, file; "" is text
	Value        string
	Lang         string // of what is typed, "" for the page's
	Fault        string // in the reader's language, "" if nothing is wrong
	Autocomplete string // WCAG 1.3.5
	InputMode    string
	Accept       string // of a file: media types and extensions
	Min, Max     string
	Optional     bool
	Depends      bool // needed only with another choice, as the hint says
	First        bool // has the focus when the page opens
	Options      []option
	Many         bool   // of the options several may be chosen
	Checked      bool   // of a checkbox
	Kept         string // of a file: the hash of what is stored, "" for nothing
	Drops        string // of a file: name of the checkbox that takes away what is stored, "" for none
	Rows         int    // of a textarea
}

// option is one choice of a select or of a group of radio buttons.
type option struct {
	Value, Label, Hint string // Label and Hint are texts, not keys
	Chosen             bool
}

// fill puts what was typed into fields. Passwords and files are never sent back.
func fill(v *visit, fields ...*field) {
	for _, fd := range fields {
		typed := v.PostFormValue(fd.Name)
		switch fd.Type {
		case "password", "file":
			continue
		case "checkbox":
			fd.Checked = typed != ""
		}
		fd.Value = typed
		for i := range fd.Options {
			fd.Options[i].Chosen = fd.Options[i].Value == typed || fd.Many && slices.Contains(v.PostForm[fd.Name], fd.Options[i].Value)
		}
	}
}

// chose reports whether an option is chosen.
func (fd *field) chose(value string) bool {
	return slices.ContainsFunc(fd.Options, func(o option) bool { return o.Chosen && o.Value == value })
}

// offers reports whether an option is to be chosen from.
func (fd *field) offers(value string) bool {
	return slices.ContainsFunc(fd.Options, func(o option) bool { return o.Value == value })
}

// faultKeys are the texts for the faults that steps report, by field and code, or by
// code alone if the pair is not listed.
var faultKeys = map[string]string{
	typus.CodeRequired:                          "fault.required",
	typus.CodeTooLong:                           "fault.tooLong",
	typus.CodeInvalid:                           "fault.invalid",
	"name " + typus.CodeInvalid:                 "fault.invisible",
	"note " + typus.CodeInvalid:                 "fault.invisible",
	"tag " + typus.CodeInvalid:                  "fault.invisible",
	"external_id " + typus.CodeInvalid:          "fault.invisible",
	"description " + typus.CodeInvalid:          "fault.invisible",
	"welcome_de " + typus.CodeInvalid:           "fault.invisible",
	"welcome_en " + typus.CodeInvalid:           "fault.invisible",
	"email " + typus.CodeInvalid:                "fault.email",
	"email " + assess.CodeWithheld:              "blind.address",
	"email " + typus.CodeRequired:               "fault.email",
	"contact_email " + typus.CodeInvalid:        "fault.email",
	"invite_days " + typus.CodeInvalid:          "account.fault.days",
	"shelf_months " + typus.CodeInvalid:         "account.fault.shelf",
	"zone " + typus.CodeInvalid:                 "account.fault.zone",
	"keep_answers_days " + typus.CodeInvalid:    "account.fault.keepAnswers",
	"keep_finished_days " + typus.CodeInvalid:   "account.fault.keep",
	"keep_undecided_days " + typus.CodeInvalid:  "account.fault.keep",
	"keep_unfinished_days " + typus.CodeInvalid: "account.fault.keep",
	"until " + typus.CodeInvalid:                "keep.fault.until",
	"reason " + typus.CodeInvalid:               "fault.invisible",
	"accent " + typus.CodeInvalid:               "account.fault.accent",
	"logo " + typus.CodeInvalid:                 "account.fault.logoType",
	"logo " + typus.CodeTooLong:                 "account.fault.logoSize",
	"notify_emails " + typus.CodeInvalid:        "account.fault.emails",
	"notify_emails " + typus.CodeTooLong:        "account.fault.emailCount",

	"stage " + typus.CodeRequired:     "decision.fault.stage",
	"stage " + typus.CodeInvalid:      "decision.fault.stage",
	"comment " + typus.CodeRequired:   "comment.fault.required",
	"comment " + typus.CodeTooLong:    "comment.fault.long",
	"comment " + typus.CodeInvalid:    "fault.invisible",
	"confirmed " + typus.CodeRequired: "comment.fault.confirmed",
	"confirmed " + typus.CodeInvalid:  "comment.fault.confirmed",
	"reasons " + typus.CodeRequired:   "decision.fault.reasons",
	"sources " + typus.CodeRequired:   "decision.fault.sources",
	"reasons " + assess.CodeMisplaced: "decision.fault.misplaced",
	"sources " + assess.CodeMisplaced: "decision.fault.misplaced",
	"sources " + assess.CodeExcluded:  "decision.fault.excluded",
	"sources " + assess.CodeNoResult:  "decision.fault.noResult",
	"sources " + assess.CodeTestAlone: "decision.fault.testAlone",

	"scope " + typus.CodeInvalid:    "apikeys.fault.scope",
	"position " + typus.CodeInvalid: "apikeys.fault.position",

	"header_name " + typus.CodeInvalid:   "webhooks.header.fault.name",
	"header_value " + typus.CodeInvalid:  "webhooks.header.fault.value",
	"header_value " + accounts.CodeMoved: "webhooks.header.fault.moved",

	"most " + typus.CodeInvalid: "link.fault.most",
	"ends " + typus.CodeInvalid: "link.fault.ends",

	"core " + accounts.CodeCount:        "core.fault.count",
	"ref " + accounts.CodeTaken:         "position.fault.refTaken",
	accounts.CodeBelowFinished:          "keep.fault.belowFinished",
	accounts.CodeNoFinished:             "keep.fault.noFinished",
	"client_name " + typus.CodeRequired: "position.fault.client",
	"client_de " + typus.CodeRequired:   "position.fault.clientWords",
	accounts.CodeTwice:                  "core.fault.twice",

	"subject " + typus.CodeUnknownPlaceholder: "letters.fault.subjectLink",
	typus.CodeMissingLink:                     "letters.fault.missingLink",
}

// blame shows an error of kind Invalid in the form: each fault at the field of its
// name, other faults above the form. The first faulty field gets the focus. It reports
// false for an error of any other kind, which the form cannot show.
func (f *face) blame(fr *frame, v *visit, err error, fields ...*field) bool {
	invalid, ok := errors.AsType[*typus.Error](err)
	if !ok || invalid.Kind != typus.Invalid {
		return false
	}
	for _, fault := range invalid.Fields {
		said := f.faultText(v, fault)
		placed := false
		for _, fd := range fields {
			if fd.Name == fault.Name && fd.Fault == "" {
				fd.Fault, placed = said, true
			}
		}
		if !placed {
			fr.Alert = said
		}
	}
	if len(invalid.Fields) == 0 {
		fr.Alert = f.say(v, "fault.form")
	}
	f.sum(fr, v, fields...)
	return true
}

// alert shows above a form what is wrong with it as a whole. The focus goes there and
// not to a field.
func (fr *frame) alert(said string, fields ...*field) {
	fr.Fault, fr.Alert = true, said
	for _, fd := range fields {
		fd.First = false
	}
}

// sum puts the faults of a form above it and the focus on the first.
func (f *face) sum(fr *frame, v *visit, fields ...*field) {
	fr.Fault = true
	for _, fd := range fields {
		fd.First = false
		if fd.Fault != "" {
			fd.First = len(fr.Faults) == 0
			fr.Faults = append(fr.Faults, fd)
		}
	}
	if fr.Alert == "" {
		fr.Alert = f.say(v, "fault.form")
	}
}

func (f *face) faultText(v *visit, fault typus.Field) string {
	key := cmp.Or(faultKeys[fault.Name+" "+fault.Code], roleFaultKey(fault))
	if key == "" && fault.Code == typus.CodeInvalid && unseen(v.PostForm, fault.Name) {
		key = "fault.invisible"
	}
	if key == "" {
		key = faultKeys[fault.Code]
	}
	if key == "" {
		key = "fault.invalid"
	}
	return f.say(v, key)
}

// unseen reports whether a field was sent with a character that nobody sees; where the
// form names it otherwise than the step, whether any field was.
func unseen(sent url.Values, name string) bool {
	list := sent[name]
	if !sent.Has(name) {
		list = slices.Concat(slices.Collect(maps.Values(sent))...)
	}
	return slices.ContainsFunc(list, func(text string) bool {
		_, unsafe := typus.UnsafeRune(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(text))
		return unsafe
	})
}

// languageField asks for the language of a test; "" leaves it to the account and
// to the candidate's browser.
func (f *face) languageField(v *visit) *field {
	names := map[string]string{"de": f.say(v, "invite.german"), "en": f.say(v, "invite.english")}
	return &field{Name: "language", Label: "invite.language", Hint: "invite.languageHint", Options: []option{
		{Value: "", Label: f.say(v, "invite.anyLanguage"), Chosen: true}, {Value: "de", Label: names["de"]}, {Value: "en", Label: names["en"]},
	}}
}

// roleField asks for a role profile: one of the account's own that is offered, or one of
// the test.
func (f *face) roleField(v *visit, chosen string) *field {
	fd := &field{Name: "role_profile", Label: "invite.role", Hint: "invite.roleHint"}
	for _, p := range f.ownRoles(v) {
		if p.Offered() || p.Key() == chosen {
			fd.Options = append(fd.Options, option{Value: p.Key(), Label: f.say(v, "roles.ownName", "Name", p.Name), Chosen: p.Key() == chosen})
		}
	}
	for _, r := range f.Instrument.Roles() {
		fd.Options = append(fd.Options, option{Value: r.Key, Label: f.Instrument.RoleName(v.lang, r.Key), Chosen: r.Key == chosen})
	}
	if chosen != "" && !fd.chose(chosen) { // it is not known for now; nothing else is to be chosen in its place
		fd.Options = append(fd.Options, option{Value: chosen, Label: chosen, Chosen: true})
	}
	return fd
}

func (f *face) languageOptions(v *visit, chosen string) []option {
	var options []option
	for _, lang := range page.Languages() {
		options = append(options, option{Value: lang, Label: f.say(v, languageNames[lang]), Chosen: lang == chosen})
	}
	return options
}

// knownLanguage is lang if there are pages in it, "" otherwise.
func knownLanguage(lang string) string {
	if page.Speaks(lang) {
		return lang
	}
	return ""
}

// number is the number that was typed, empty if nothing was typed, and -1 for anything
// that is no number.
func number(v *visit, name string, empty int) int {
	typed := strings.TrimSpace(v.PostFormValue(name))
	if typed == "" {
		return empty
	}
	n, err := strconv.Atoi(typed)
	if err != nil {
		return -1
	}
	return n
}
