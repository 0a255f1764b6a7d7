package testpage

import (
	"typus"
	"typus/internal/notice"
	"typus/internal/page"
)

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
