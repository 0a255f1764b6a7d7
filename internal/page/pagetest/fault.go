package pagetest

import "strings"

// inside are words about how a server is built, in lower case.
var inside = []string{"sql", "table", "database", "closed", "statement", "typus/internal", ".go", "goroutine", "panic", "login_failures", "1.2"}

// Leaks are the words in the page of a fault that say how the server is built. What
// the page names is left out: letters that stand in an address or in the id of a request
// by chance are no words.
func Leaks(body string, names ...string) []string {
	for _, name := range names {
		if name != "" {
			body = strings.ReplaceAll(body, name, "")
		}
	}
	body = strings.ToLower(body)
	var found []string
	for _, word := range inside {
		if strings.Contains(body, word) {
			found = append(found, word)
		}
	}
	return found
}
