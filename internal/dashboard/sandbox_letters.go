package dashboard

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"typus/internal/sandbox"
)

const (
	sandboxLettersPath = worldPath + "/postfach"
	sandboxForwardPath = sandboxLettersPath + "/verschicken"
)

// sandboxLettersView are the letters of a test world, which nobody got.
type sandboxLettersView struct {
	frame
	Rows  []sandboxLetterRow
	Older string // the address of the next page, "" on the last
	Later bool   // this is not the first page
	Sends bool   // letters to people of the account leave the world
	Admin bool   // the visitor may change that
}

// Template names the page.
func (sandboxLettersView) Template() string { return "sandbox_letters" }

// sandboxLetterRow is one letter in the list.
type sandboxLetterRow struct {
	Path        string
	Kind        string // text key
	To, Subject string
	At          time.Time
}

// sandboxLetters lists the letters of the world, newest first.
func (f *face) sandboxLetters(v *visit) error {
	before := position(v, "vor")
	letters, err := f.Sandbox.Letters(v.Context(), v.Account.ID, before, lettersPerPage+1)
	if err != nil {
		return err
	}
	if len(letters) == 0 && before != 0 { // whatever stood on this page is gone
		return f.goOn(v, sandboxLettersPath)
	}
	view := sandboxLettersView{frame: f.sandboxFrame(v), Later: before > 0, Sends: v.Account.ForwardsLetters, Admin: v.may(admin)}
	if len(letters) > lettersPerPage {
		letters = letters[:lettersPerPage]
		view.Older = sandboxLettersPath + "?vor=" + strconv.FormatInt(letters[lettersPerPage-1].ID, 10)
	}
	for _, l := range letters {
		view.Rows = append(view.Rows, sandboxLetterRow{sandboxLetterPath(l.ID), letterKindNames[l.Kind], l.To, l.Subject, v.Account.MachineTime(l.CreatedAt)})
	}
	return f.render(v, http.StatusOK, view)
}

// forwardLetters says whether the world's letters to people of the account are sent, too.
func (f *face) forwardLetters(v *visit) error {
	on := v.PostFormValue("an") != ""
	if err := f.Sandbox.SetForward(v.Context(), v.Account.ID, on, v.actor()); err != nil {
		return err
	}
	if on {
		return f.done(v, sandboxLettersPath, f.say(v, "sandbox.letters.isOn"))
	}
	return f.done(v, sandboxLettersPath, f.say(v, "sandbox.letters.isOff"))
}

// sandboxLetterPath is the page of a letter of a test world.
func sandboxLetterPath(id int64) string {
	return sandboxLettersPath + "/" + strconv.FormatInt(id, 10)
}

// sandboxLetterView is one letter as its reader would get it.
type sandboxLetterView struct {
	frame
	Letter sandbox.Letter
	Kind   string    // text key
	At     time.Time // when it was written, by the machine's clock
	HTML   string    // the address of what mail programs show, "" where there is only text
	Parts  []letterPart
}

// Template names the page.
func (sandboxLetterView) Template() string { return "sandbox_letter" }

// sandboxLetter shows a letter of the world.
func (f *face) sandboxLetter(v *visit) error {
	l, err := f.letterInPath(v)
	if err != nil {
		return err
	}
	view := sandboxLetterView{
		frame: f.sandboxFrame(v), Letter: l, Kind: letterKindNames[l.Kind], At: v.Account.MachineTime(l.CreatedAt), Parts: letterParts(l.Text, f.BaseURL),
	}
	view.Crumbs = append(view.Crumbs, crumb{Label: "sandbox.letters", Path: sandboxLettersPath})
	if l.HTML != "" {
		view.HTML = sandboxLetterPath(l.ID) + "/html"
	}
	return f.render(v, http.StatusOK, view)
}

// sandboxLetterHTML shows a letter of the world as mail programs do.
func (f *face) sandboxLetterHTML(v *visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	html, err := f.Sandbox.LetterPage(v.Context(), v.Account.ID, id)
	if err != nil {
		return err
	}
	return showHTML(v, html)
}

// letterInPath is the letter that the address names. NotFound.
func (f *face) letterInPath(v *visit) (sandbox.Letter, error) {
	id, err := pathID(v)
	if err != nil {
		return sandbox.Letter{}, err
	}
	return f.Sandbox.Letter(v.Context(), v.Account.ID, id)
}

// letterPart is a piece of a letter's text; Path is where it leads if it is a link of ours.
type letterPart struct{ Text, Path string }

// letterParts are the pieces of a text, so that its links to us can be followed.
func letterParts(text, base string) []letterPart {
	var parts []letterPart
	said := ""
	for {
		before, after, found := strings.Cut(text, base+"/")
		if said += before; !found {
			return append(parts, letterPart{Text: said})
		}
		path := after
		if end := strings.IndexFunc(after, endsLink); end >= 0 {
			path = after[:end]
		}
		if text = after[len(path):]; path == "" { // the address of our first page alone
			said += base + "/"
			continue
		}
		parts = append(parts, letterPart{Text: said}, letterPart{base + "/" + path, "/" + path})
		said = ""
	}
}

// endsLink reports whether a character in a text is behind a link.
func endsLink(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`<>"`, r) }
