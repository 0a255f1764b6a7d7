package dashboard

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/assess"
	"typus/internal/roster"
)

// The parameters of how a file is read, in addresses and forms; "" is guessed.
const (
	paramEncoding  = "zeichensatz"
	paramDelimiter = "trennzeichen"
	paramHeading   = "ueberschrift"
)

// noHeading is paramHeading of a file without headings.
const noHeading = "keine"

// howTyped is how somebody wants a file to be read.
func howTyped(values url.Values) roster.How {
	how := roster.How{Encoding: roster.Encoding(values.Get(paramEncoding)), Heading: int(numberOr(values.Get(paramHeading), 0))}
	if !slices.Contains(roster.Encodings(), how.Encoding) {
		how.Encoding = ""
	}
	if n := numberOr(values.Get(paramDelimiter), 0); n > 0 && n < 0x80 && n != '\n' && n != '\r' && n != '"' {
		how.Delimiter = byte(n)
	}
	if values.Get(paramHeading) == noHeading {
		how.Heading = roster.NoHeading
	}
	return how
}

// howParams is the reverse of howTyped.
func howParams(how roster.How) url.Values {
	q := url.Values{}
	if how.Encoding != "" {
		q.Set(paramEncoding, string(how.Encoding))
	}
	if how.Delimiter != 0 {
		q.Set(paramDelimiter, strconv.Itoa(int(how.Delimiter)))
	}
	if how.Heading != 0 {
		q.Set(paramHeading, headingValue(how.Heading))
	}
	return q
}

func headingValue(line int) string {
	if line == roster.NoHeading {
		return noHeading
	}
	return strconv.Itoa(line)
}

// listOf is what was read of a file, with what each column means.
func listOf(t roster.Table, c roster.Columns) assess.List {
	return assess.List{
		Rows: t.People(c), Blank: t.Blank, LeftOut: t.LeftOut(c),
		Reading: roster.Reading{How: t.How, Columns: c, Ours: t.Ours}.String(),
	}
}

// importFile reads the file of an import, as somebody says or has said before, and proposes
// what its columns mean. It reports false, and reads the file as it would be guessed, if it
// cannot be read so. NotFound once the file is no longer kept.
func (f *face) importFile(v *visit, i typus.Import, how roster.How) (roster.Table, roster.Columns, bool, error) {
	body, err := f.Store.ImportSource(v.Context(), v.Reader, i.ID)
	if err != nil {
		return roster.Table{}, roster.Columns{}, false, err
	}
	before, known := roster.Reread(i.Reading)
	t, fault := roster.Read(body, how)
	if known && how == (roster.How{}) && t.How != before.How {
		t, fault = roster.Read(body, before.How)
	}
	sound := fault == ""
	if !sound {
		if t, fault = roster.Read(body, roster.How{}); fault != "" {
			return t, roster.Columns{}, false, typus.Errorf(typus.Internal, "a file that could be read before cannot be read: %s", fault)
		}
	}
	if known && t.How == before.How {
		return t, before.Columns, sound, nil
	}
	c, _ := t.Guess()
	return t, c, sound, nil
}

// encodingNames and delimiterNames are text keys.
var encodingNames = map[roster.Encoding]string{
	roster.UTF8: "import.read.utf8", roster.UTF16LE: "import.read.utf16le", roster.UTF16BE: "import.read.utf16be",
	roster.Windows1252: "import.read.windows1252", roster.Windows1250: "import.read.windows1250", roster.MacRoman: "import.read.macRoman", roster.CP850: "import.read.cp850",
}

var delimiterNames = map[byte]string{';': "import.read.semicolon", ',': "import.read.comma", '\t': "import.read.tab", '|': "import.read.bar"}

// delimiterName is what stands between the cells, in words.
func (f *face) delimiterName(v *visit, delimiter byte) string {
	if key := delimiterNames[delimiter]; key != "" {
		return f.say(v, key)
	}
	return f.say(v, "import.read.otherSign", "Sign", string(rune(delimiter)))
}

// readField asks how a file is read, and says why it was guessed so.
type readField struct {
	*field
	Why string
}

// readFields are the questions, with how the file is read now.
func (f *face) readFields(v *visit, t roster.Table) []readField {
	encoding := &field{Name: paramEncoding, Label: "import.read.encoding"}
	for _, e := range roster.Encodings() {
		encoding.Options = append(encoding.Options, option{Value: string(e), Label: f.say(v, encodingNames[e]), Chosen: e == t.How.Encoding})
	}
	delimiter := &field{Name: paramDelimiter, Label: "import.read.delimiter"}
	signs := roster.Delimiters()
	if !slices.Contains(signs, t.How.Delimiter) {
		signs = append(signs, t.How.Delimiter)
	}
	for _, d := range signs {
		delimiter.Options = append(delimiter.Options, option{Value: strconv.Itoa(int(d)), Label: f.delimiterName(v, d), Chosen: d == t.How.Delimiter})
	}
	return []readField{
		{encoding, f.whyEncoding(v, t.Why)}, {delimiter, f.why(v, "delimiter", t.Why.Delimiter)},
		{f.headingField(v, t), f.why(v, "heading", t.Why.Heading)},
	}
}

// The first headingLines of a file may be chosen as its headings, and up to maxHeadings one
// that is chosen already.
const (
	headingLines = 12
	maxHeadings  = 40
)

func (f *face) headingField(v *visit, t roster.Table) *field {
	fd := &field{Name: paramHeading, Label: "import.read.heading"}
	for n, rec := range t.Records[:min(len(t.Records), maxHeadings)] {
		chosen := rec.Line == t.How.Heading
		if n < headingLines || chosen {
			label := f.say(v, "import.read.line", "Line", rec.Line, "Cells", lineInWords(rec.Cells))
			fd.Options = append(fd.Options, option{Value: strconv.Itoa(rec.Line), Label: label, Chosen: chosen})
		}
	}
	fd.Options = append(fd.Options, option{Value: noHeading, Label: f.say(v, "import.read.noHeading"), Chosen: t.How.Heading == roster.NoHeading})
	return fd
}

// lineInWords is the beginning of a line of the file.
func lineInWords(cells []string) string {
	var words []string
	for _, cell := range cells[:min(len(cells), sampleWidth)] {
		if cell = roster.Short(cell); cell != "" {
			words = append(words, cell)
		}
	}
	return roster.Short(strings.Join(words, " · "))
}

func (f *face) whyEncoding(v *visit, why roster.Guessed) string {
	if why.Example == "" && (why.Encoding == roster.ByLetters || why.Encoding == roster.ByFalseMark) {
		return f.say(v, "import.why.encoding.unsure")
	}
	return f.say(v, whyKeys["encoding "+why.Encoding], "Example", why.Example)
}

func (f *face) why(v *visit, what string, why roster.Why) string {
	return f.say(v, whyKeys[roster.Why(what+" ")+why])
}

// whyKeys are the texts of the reasons, by what was guessed.
var whyKeys = map[roster.Why]string{
	"encoding " + roster.Chosen: "import.why.chosen", "delimiter " + roster.Chosen: "import.why.chosen", "heading " + roster.Chosen: "import.why.chosen",
	"encoding " + roster.ByMark: "import.why.encoding.mark", "encoding " + roster.ByZeros: "import.why.encoding.zeros", "encoding " + roster.ByASCII: "import.why.encoding.ascii",
	"encoding " + roster.ByValid: "import.why.encoding.valid", "encoding " + roster.ByMost: "import.why.encoding.most", "encoding " + roster.ByLetters: "import.why.encoding.letters",
	"encoding " + roster.ByFalseMark:  "import.why.encoding.falseMark",
	"delimiter " + roster.BySeparator: "import.why.delimiter.separator", "delimiter " + roster.ByHeadings: "import.why.delimiter.headings",
	"delimiter " + roster.ByAddresses: "import.why.delimiter.addresses", "delimiter " + roster.ByAlike: "import.why.delimiter.alike", "delimiter " + roster.ByNothing: "import.why.delimiter.nothing",
	"heading " + roster.ByHeadings: "import.why.heading.headings", "heading " + roster.ByPeople: "import.why.heading.people",
	"heading " + roster.ByFirst: "import.why.heading.first", "heading " + roster.ByPerson: "import.why.heading.person",
}

// readInWords says in the preview how the file was read, "" where nobody knows.
func (f *face) readInWords(v *visit, i typus.Import) (string, bool) {
	r, known := roster.Reread(i.Reading)
	if !known {
		return "", false
	}
	key, line := "import.read.said", r.How.Heading
	if line == roster.NoHeading {
		key = "import.read.saidWithout"
	}
	return f.say(v, key, "Encoding", f.say(v, encodingNames[r.How.Encoding]), "Delimiter", f.delimiterName(v, r.How.Delimiter), "Line", line), r.Ours
}
