package roster

import (
	"regexp"
	"strings"
)

// Harmless keeps a spreadsheet from reading a cell as a formula (CWE-1236): what
// begins like one, also behind quotes and spaces and in full width, gets an
// apostrophe in front.
func Harmless(cell string) string {
	if strings.HasPrefix(cell, "\t") || strings.HasPrefix(cell, "\r") {
		return "'" + cell
	}
	begins := strings.TrimLeft(cell, "\"'` \t\r\n\u00a0\u3000\ufeff\u200b＂＇“”„‚‘’«»")
	for _, sign := range []string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(begins, sign) {
			return "'" + cell
		}
	}
	return cell
}

// counts are what a spreadsheet takes for a number that it shows in another way than it
// was written, for a day, a time or a share: 00815, 6486200000000000123, 12E5, 1-2, 3/4,
// Mar 1, TRUE. A number of up to eleven digits stays as it is.
var counts = regexp.MustCompile(`(?i)^(0\d.*|\d{12,}|\d[\d.,]*e[+-]?\d+|\d+([./:, -]\d+)+|\d+ *%|\d+[ .-]*` + months + `([ .-]*\d+)?|` + months + `[ .-]*\d+|true|false|wahr|falsch)$`)

const months = `(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]{0,6}`

// Text keeps a spreadsheet from taking an identifier for a number or a day and writing it
// anew when it saves the table, by an apostrophe in front. What Harmless changes stays as
// it is; Writer does the same to it.
func Text(id string) string {
	if counts.MatchString(strings.TrimLeft(id, "'")) && Harmless(id) == id {
		return "'" + id
	}
	return id
}

// unguarded takes the apostrophe away that Harmless or Text has put before a cell.
func unguarded(cell string) string {
	rest, ok := strings.CutPrefix(cell, "'")
	if ok && (Harmless(rest) != rest || Text(rest) != rest) {
		return rest
	}
	return cell
}
