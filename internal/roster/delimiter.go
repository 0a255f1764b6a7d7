package roster

import "strings"

// Delimiters are what may stand between cells, the likely ones first. A file that names
// another one in its line "sep=" is read with that.
func Delimiters() []byte { return []byte{';', ',', '\t', '|'} }

// separator returns a text without the line "sep=;" that some programs begin with, the
// line in which the rest begins, and what it names; 0 for nothing.
func separator(text string) (string, int, byte) {
	end := strings.IndexAny(text, "\r\n")
	if end < 0 || end > len(`"sep=;"`) {
		return text, 1, 0
	}
	line := strings.Trim(text[:end], `"`)
	if len(line) != len("sep=;") || !strings.EqualFold(line[:4], "sep=") || line[4] >= 0x80 {
		return text, 1, 0
	}
	rest := text[end:]
	if strings.HasPrefix(rest, "\r\n") {
		rest = rest[1:]
	}
	return rest[1:], 2, line[4]
}

// delimiterOf finds what stands between the cells, and says why.
func delimiterOf(text string) (byte, Why) {
	head := text[:min(len(text), 64<<10)]
	if end := strings.LastIndexAny(head, "\r\n"); end > 0 && len(head) < len(text) {
		head = head[:end]
	}
	best := fit{}
	delimiter := byte(';')
	for _, d := range Delimiters() {
		if f := fits(head, d); f.score() > best.score() {
			best, delimiter = f, d
		}
	}
	return delimiter, best.why()
}

// fit says how well a delimiter explains the beginning of a file.
type fit struct {
	known     int // headings that we know, in the record that has most of them
	addresses int // cells that are an address
	alike     int // records of two cells or more, with as many as the one before
	cuts      int // records with two cells or more
}

// score is 0 for what cuts nothing. Headings say most, then addresses.
func (f fit) score() int {
	if f.cuts == 0 {
		return 0
	}
	return 1_000_000*f.known + 1000*f.addresses + f.alike + 1
}

func (f fit) why() Why {
	switch {
	case f.cuts == 0:
		return ByNothing
	case f.known > 1:
		return ByHeadings
	case f.addresses > 0:
		return ByAddresses
	}
	return ByAlike
}

func fits(head string, delimiter byte) fit {
	var f fit
	n, width := 0, 0
	for rec := range records(head, delimiter, 1) {
		if n++; n > 100 {
			break
		}
		if n <= maxAbove {
			f.known = max(f.known, known(rec.Cells))
		}
		for _, cell := range rec.Cells {
			if isAddress(cell) {
				f.addresses++
			}
		}
		if len(rec.Cells) > 1 {
			f.cuts++
		}
		if len(rec.Cells) > 1 && len(rec.Cells) == width {
			f.alike++
		}
		width = len(rec.Cells)
	}
	return f
}

// isAddress reports whether a cell is an e-mail address and nothing else.
func isAddress(cell string) bool {
	local, domain, ok := strings.Cut(strings.TrimSpace(cell), "@")
	return ok && local != "" && strings.Contains(domain, ".") && !strings.ContainsAny(local+domain, " \t;,|\"<>()@")
}
