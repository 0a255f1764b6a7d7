package page

import "strings"

// Ahead is a label as it stands ahead of what is said of its field: its first sentence, with a
// colon unless it asks something.
func Ahead(label string) string {
	first, _, _ := strings.Cut(label, ". ")
	first = strings.TrimRight(first, ".: ")
	if strings.HasSuffix(first, "?") {
		return first
	}
	return first + ":"
}
