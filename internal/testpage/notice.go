package testpage

import (
	"typus"
	"typus/internal/notice"
	"typus/internal/page"
)

// terms are a notice on a page. Its sections are folded, each behind its heading, or open where
// they are to be read once more.
type terms struct {
	notice.Notice
	Open bool
}

// Terms is the notice as the page shows it.
func (v startView) Terms() terms { return terms{v.Notice, v.Changed} }

// Terms is the notice as the page shows it.
func (v earlierView) Terms() terms { return terms{v.Notice, v.Changed} }

// Terms is the notice as the page shows it.
func (v enrolView) Terms() terms { return terms{Notice: v.Notice} }

// acknowledged finds the notice of a version in any language. It reports false for an
// unknown version, because nobody can acknowledge a text that is not ours.
func acknowledged(version string, account typus.Account) (notice.Notice, bool) {
	for _, lang := range page.Languages() {
		if n := notice.For(lang, account); n.Version == version {
			return n, true
		}
	}
	return notice.Notice{}, false
}
