package dashboard

import (
	"slices"
	"strings"
)

// A form that replaces what is stored says what it showed when it was opened. If something
// else is stored by then, an old tab would undo it unseen: the form is shown again instead,
// with what was typed and what is stored. That is asked inside the transaction that stores it,
// so that of two who save at once the second is told. A form that comes back because something
// is wrong in it says what it showed before: nobody has seen what is stored since.
const seenName = "gesehen" // the field that holds a hash of it

// seen names what fields show.
func seen(fields ...*field) string {
	var b strings.Builder
	for _, fd := range fields {
		b.WriteString(fd.Name + "\n" + fd.stored() + "\x00")
	}
	return hashOf(b.String())[:16]
}

// stored is what a field shows before anything was typed, as a form would send it.
func (fd *field) stored() string {
	switch {
	case fd.Type == "file":
		return fd.Kept
	case fd.Type == "checkbox" && fd.Checked:
		return "1"
	case fd.Type == "checkbox":
		return ""
	}
	var chosen []string
	for _, o := range fd.Options {
		if o.Chosen {
			chosen = append(chosen, o.Value)
		}
	}
	if len(fd.Options) > 0 && (fd.Many || len(chosen) > 0) {
		return strings.Join(chosen, " ")
	}
	return fd.Value
}

// differs reports whether something else was typed, or sent as a file, than is stored.
func (fd *field) differs(v *visit) bool {
	if fd.Type == "file" {
		_, body, err := uploaded(v, fd.Name)
		if err == nil && len(body) == 0 { // then nothing is replaced
			return fd.Kept != "" && fd.Drops != "" && v.PostFormValue(fd.Drops) != ""
		}
		return err != nil || hashOf(string(body)) != fd.Kept
	}
	typed := strings.ReplaceAll(v.PostFormValue(fd.Name), "\r\n", "\n")
	if fd.Many {
		typed = strings.Join(v.PostForm[fd.Name], " ")
	}
	return strings.TrimSpace(typed) != strings.TrimSpace(fd.stored())
}

// overtaken reports whether something else is stored than the form showed, and would be
// replaced. The fields show what is stored, read under the lock of whoever replaces it. A form
// that does not say what it showed is taken at its word.
func overtaken(v *visit, fields ...*field) bool {
	showed := v.PostFormValue(seenName)
	return showed != "" && showed != seen(fields...) && slices.ContainsFunc(fields, func(fd *field) bool { return fd.differs(v) })
}

// compare fills in what was typed beside what is stored. Sent again, the form replaces it.
func (f *face) compare(fr *frame, v *visit, fields ...*field) {
	for _, fd := range fields {
		if fd.differs(v) {
			fd.Fault = f.say(v, "form.storedNow", "Value", f.quoted(v, fd))
		}
	}
	fill(v, fields...)
	fr.Switch.None, fr.Alert = true, f.say(v, "form.overtaken")
	f.sum(fr, v, fields...)
}

// maxQuoted is how much of what is stored is quoted, in code points.
const maxQuoted = 600

// quoted is what is stored in a field, in words.
func (f *face) quoted(v *visit, fd *field) string {
	said := []rune(fd.stored())
	var chosen []string
	for _, o := range fd.Options {
		if o.Chosen {
			chosen = append(chosen, o.Label)
		}
	}
	if len(chosen) > 0 {
		said = []rune(strings.Join(chosen, " · "))
	}
	switch {
	case fd.Type == "file" && fd.Kept != "":
		return f.say(v, "form.file")
	case fd.Type == "date":
		return f.dayInWords(v, fd.Value)
	case fd.Type == "checkbox" && fd.Checked:
		return f.say(v, "form.on")
	case fd.Type == "checkbox":
		return f.say(v, "form.off")
	case len(said) == 0:
		return f.say(v, "form.nothing")
	case len(said) > maxQuoted:
		return string(said[:maxQuoted]) + "…"
	}
	return string(said)
}
