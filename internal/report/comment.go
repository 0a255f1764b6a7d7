package report

import (
	"time"

	"typus"
)

// Comment is a version of what a candidate says about their result, in words.
type Comment struct {
	Text      string // as it was written: lines of text
	Confirmed string // how it is known to be the candidate's
	By        string // the e-mail of the user who entered it, "" where the candidate did
	At        time.Time
	Reads     []typus.CommentRead
}

// CommentOf puts a version into the words of a language, or of German if we do not have
// that language.
func CommentOf(c typus.Comment, lang string) Comment {
	said := Comment{Text: c.Text, Confirmed: ConfirmationName(c.Confirmed, lang), By: c.Author, At: c.CreatedAt, Reads: c.Reads}
	if c.Confirmed.Own() {
		said.By = ""
	}
	return said
}

// ConfirmationName is a confirmation in words.
func ConfirmationName(c typus.Confirmation, lang string) string {
	return words()[languageOf(lang)].Decision.Draft[c]
}
