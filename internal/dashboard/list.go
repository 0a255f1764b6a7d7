package dashboard

import (
	"net/url"
	"strconv"
)

// chip is one choice among few, with its address.
type chip struct {
	Label   string // text key
	Count   string // "" for none
	Path    string
	Current bool
}

// position is the id in an address from which a page of a list goes on. It is 0, for
// the first page, if there is none or it is not valid.
func position(v *visit, name string) int64 {
	return numberOr(v.URL.Query().Get(name), 0)
}

// listPath is the address of a list with its parameters.
func listPath(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// numberOr reads a positive number, or returns other.
func numberOr(text string, other int64) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return other
	}
	return n
}
