package dashboard

import (
	"net/http"
	"time"

	"typus"
)

// The letters that an account may write itself, by their name in an address.
var letterSlugs = []struct {
	slug, name string // name is a text key
	kind       typus.LetterKind
}{
	{"einladung", "letters.kind.invitation", typus.LetterInvitation},
	{"erinnerung", "letters.kind.reminder", typus.LetterReminder},
	{"eingang", "letters.kind.receipt", typus.LetterReceipt},
}

// lettersView leads to the texts of the letters and to the log, and offers a letter to
// oneself.
type lettersView struct {
	frame
	Texts    []letterText
	Sender   typus.Sender // zero: the server's address
	Address  string       // where the trial goes
	Dialogue []string     // what the mail server said to a trial that failed
	Reason   string
}

// letterText is one letter in one language.
type letterText struct {
	Name, Language string // text keys
	Path           string
	Own            bool
	By             string
	At             time.Time
}

// Template names the page.
func (lettersView) Template() string { return "letters" }

func (f *face) letters(v *visit) error {
	view, err := f.lettersView(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) lettersView(v *visit) (lettersView, error) {
	view := lettersView{frame: f.settingsFrame(v, sectionLetters), Address: v.User.Email}
	view.Crumbs = []crumb{{Label: "shell.messages", Path: messagesPath}}
	own, err := f.Store.LetterTemplates(v.Context(), v.Account.ID)
	if err != nil {
		return view, err
	}
	if view.Sender, _, err = f.Store.Sender(v.Context(), v.Account.ID); err != nil {
		return view, err
	}
	for _, l := range letterSlugs {
		for _, lang := range []struct{ code, name string }{{"de", "letters.german"}, {"en", "letters.english"}} {
			text := letterText{Name: l.name, Language: lang.name, Path: lettersPath + "/text/" + l.slug + "/" + lang.code}
			for _, t := range own {
				if t.Kind == l.kind && t.Language == lang.code {
					text.Own, text.By, text.At = true, t.ChangedBy, t.ChangedAt
				}
			}
			view.Texts = append(view.Texts, text)
		}
	}
	return view, nil
}
