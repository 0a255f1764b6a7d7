package roster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Reading says how a file was read and which column is what, so that it can be read the
// same way again.
type Reading struct {
	How     How
	Columns Columns
	Ours    bool // Typus wrote the file
}

// String writes it as a text that Reread reads, without anything of the file.
func (r Reading) String() string {
	parts := []string{string(r.How.Encoding), strconv.Itoa(int(r.How.Delimiter)), strconv.Itoa(r.How.Heading), strconv.FormatBool(r.Columns.Turned), strconv.FormatBool(r.Ours)}
	var at []string
	for col, n := range r.Columns.At {
		at = append(at, fmt.Sprintf("%s=%d", col, n))
	}
	slices.Sort(at)
	return strings.Join(append(parts, at...), " ")
}

// Reread reads what String wrote; false for any other text.
func Reread(text string) (Reading, bool) {
	part := strings.Fields(text)
	if len(part) < 5 {
		return Reading{}, false
	}
	delimiter, err1 := strconv.ParseUint(part[1], 10, 8)
	heading, err2 := strconv.Atoi(part[2])
	turned, err3 := strconv.ParseBool(part[3])
	ours, err4 := strconv.ParseBool(part[4])
	r := Reading{How{Encoding(part[0]), byte(delimiter), heading}, Columns{map[Column]int{}, turned}, ours}
	for _, p := range part[5:] {
		col, n, _ := strings.Cut(p, "=")
		at, err := strconv.Atoi(n)
		if err != nil || at < 0 {
			return Reading{}, false
		}
		r.Columns.At[Column(col)] = at
	}
	return r, errors.Join(err1, err2, err3, err4) == nil
}
