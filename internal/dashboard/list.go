package dashboard

import "net/url"

// chip is one choice among few, with its address.
type chip struct {
	Label   string // text key
	Count   string // "" for none
	Path    string
	Current bool
}

// listPath is the address of a list with its parameters.
func listPath(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
