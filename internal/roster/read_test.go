package roster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"typus"
)

// list is what every encoding must bring out alike.
const list = "Name;E-Mail;Kennung\r\nJürgen Öztürk;juergen@example.com;crm-1\r\n\"Groß; Anna \"\"Änni\"\"\";anna@example.com;\r\n"

var wantList = []typus.ImportRow{
	{N: 2, Name: "Jürgen Öztürk", Email: "juergen@example.com", ExternalID: "crm-1"},
	{N: 3, Name: `Groß; Anna "Änni"`, Email: "anna@example.com"},
}

func readList(t *testing.T, body []byte) ([]typus.ImportRow, Table) {
	t.Helper()
	file, fault := Read(body, How{})
	if fault != "" {
		t.Fatalf("the file is refused: %s", fault)
	}
	c, sure := file.Guess()
	if !sure {
		t.Fatalf("nobody is sure of the columns %v", c)
	}
	return file.People(c), file
}

func TestAListIsReadInEveryEncodingAndWithEveryDelimiter(t *testing.T) {
	encode := func(e encoding.Encoding, text string) []byte {
		body, err := e.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	for _, delimiter := range []string{";", ",", "\t", "|"} {
		text := strings.ReplaceAll(strings.ReplaceAll(list, "Groß;", "Groß|"), ";", delimiter)
		text = strings.ReplaceAll(text, "Groß|", "Groß;")
		for name, body := range map[string][]byte{
			"UTF-8":                    []byte(text),
			"UTF-8 with a mark":        []byte("\ufeff" + text),
			"Windows-1252":             encode(charmap.Windows1252, text),
			"Mac Roman":                encode(charmap.Macintosh, text),
			"DOS":                      encode(charmap.CodePage850, text),
			"1252 with a false mark":   append([]byte("\ufeff"), encode(charmap.Windows1252, text)...),
			"UTF-16 LE with a mark":    encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), text),
			"UTF-16 BE with a mark":    encode(unicode.UTF16(unicode.BigEndian, unicode.UseBOM), text),
			"UTF-16 LE without a mark": encode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), text),
			"UTF-16 BE without a mark": encode(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), text),
			"line feeds only":          []byte(strings.ReplaceAll(text, "\r\n", "\n")),
			"carriage returns only":    []byte(strings.ReplaceAll(text, "\r\n", "\r")),
			"no end of the last line":  []byte(strings.TrimRight(text, "\r\n")),
		} {
			t.Run(fmt.Sprintf("%q %s", delimiter, name), func(t *testing.T) {
				rows, _ := readList(t, body)
				if fmt.Sprint(rows) != fmt.Sprint(wantList) {
					t.Errorf("got  %v\nwant %v", rows, wantList)
				}
			})
		}
	}
	if rows, _ := readList(t, []byte("sep=,\r\n"+strings.ReplaceAll("Name;E-Mail\r\nKim;kim@example.com", ";", ","))); len(rows) != 1 || rows[0].N != 3 || rows[0].Name != "Kim" {
		t.Errorf("with a line that names the delimiter: %v", rows)
	}
}

func TestMistakesInALineStayInThatLine(t *testing.T) {
	const file = "Name;E-Mail\n" +
		"\"Anna;anna@example.com\n" + // 2: never closed
		"\"Bea\";bea@example.com\n" + // 3
		"Cem;cem@example.com;zu viel\n" + // 4
		"Dora\n" + // 5: columns are missing
		"\"Emil\nZwei\";emil@example.com\n" + // 6: a line break within
		"\n;\n" + // 8, 9: blank
		"F\"ritz\";fritz@example.com\n" + // 10: quotes within an unquoted cell
		"\"Gu \"st\" av\";gustav@example.com\n" + // 11: quotes that were not doubled
		"=HYPERLINK(1);hostile@example.com" // 12
	rows, read := readList(t, []byte(file))
	want := []typus.ImportRow{
		{N: 2, Name: `"Anna`, Email: "anna@example.com", Reasons: []string{"quote_open"}},
		{N: 3, Name: "Bea", Email: "bea@example.com"},
		{N: 4, Name: "Cem", Email: "cem@example.com", Reasons: []string{"columns_more"}},
		{N: 5, Name: "Dora"},
		{N: 6, Name: "Emil Zwei", Email: "emil@example.com"},
		{N: 10, Name: `F"ritz"`, Email: "fritz@example.com"},
		{N: 11, Name: `Gu "st" av`, Email: "gustav@example.com"},
		{N: 12, Name: "=HYPERLINK(1)", Email: "hostile@example.com"},
	}
	if fmt.Sprintf("%+v", rows) != fmt.Sprintf("%+v", want) || read.Blank != 2 {
		t.Errorf("got  %+v\nwant %+v\nblank %d", rows, want, read.Blank)
	}
}

func TestAQuotationMarkThatIsNeverClosedCostsOneRow(t *testing.T) {
	var file strings.Builder
	file.WriteString("Name,E-Mail\n\"offen,a@example.com\n")
	for i := range 2000 {
		fmt.Fprintf(&file, "Kim %d,kim%d@example.com\n", i, i)
	}
	rows, _ := readList(t, []byte(file.String()))
	if len(rows) != 2001 || rows[0].Reasons == nil || rows[2000].Email != "kim1999@example.com" || rows[2000].Reasons != nil {
		t.Errorf("%d rows, the first %+v, the last %+v", len(rows), rows[0], rows[len(rows)-1])
	}
}

func TestWhatIsNoListIsRefusedInWords(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		want Fault
	}{
		"nothing":          {nil, Empty},
		"blank lines":      {[]byte("\r\n;;\r\n \r\n"), Empty},
		"an Excel file":    {[]byte("PK\x03\x04rest"), Excel},
		"an old Excel one": {[]byte("\xd0\xcf\x11\xe0rest"), Excel},
		"a picture":        {[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), Binary},
		"too large":        {[]byte(strings.Repeat("a", MaxBytes+1)), TooLarge},
		"too many rows":    {[]byte("Name;E-Mail\n" + strings.Repeat("a;b\n", 10001)), TooManyPeople},
		"a huge line":      {[]byte(strings.Repeat(";", MaxBytes-1) + "x"), TooManyColumns},
	} {
		if _, fault := Read(c.body, How{}); fault != c.want {
			t.Errorf("%s: %q, want %q", name, fault, c.want)
		}
	}
	if _, fault := Read([]byte("Name;E-Mail\n"+strings.Repeat("a;b\n", 10000)), How{}); fault != "" {
		t.Errorf("10,000 people are refused: %s", fault)
	}
	if file, fault := Read([]byte("Name;E-Mail\n"+strings.Repeat("x", 4<<20)+";a@example.com"), How{}); fault != "" || len(file.Records) != 2 {
		t.Errorf("a huge cell: %q", fault)
	}
}

func TestColumnsAreKnownByTheirHeadings(t *testing.T) {
	for heading, want := range map[string]struct {
		at   string
		sure bool
	}{
		"Name;E-Mail":                            {"email=1 name=0", true},
		"E-MAIL;Full Name;Language;External ID":  {"email=0 external_id=3 language=2 name=1", true},
		"Vorname;Nachname;E-Mail-Adresse":        {"email=2 first_name=0 last_name=1", true},
		"Name;Vorname;Mail":                      {"email=2 first_name=1 last_name=0", true},
		"Wer;eMail":                              {"email=1", false},
		"Name;E-Mail;E-Mail":                     {"email=1 name=0", false},
		"Name;Telefon":                           {"name=0", false},
		"Kim Beispiel;kim@example.com;Vertrieb":  {"email=1 name=0", false},
		"first_name;last_name;email_address;ref": {"email=2 external_id=3 first_name=0 last_name=1", true},
	} {
		file, fault := Read([]byte(heading+"\n"), How{})
		if fault != "" {
			t.Fatal(fault)
		}
		c, sure := file.Guess()
		var at []string
		for col, n := range c.At {
			at = append(at, fmt.Sprint(col, "=", n))
		}
		slices.Sort(at)
		if strings.Join(at, " ") != want.at || sure != want.sure {
			t.Errorf("%s: %v %t, want %s %t", heading, at, sure, want.at, want.sure)
		}
	}
}

func TestLanguagesAreReadAsPeopleWriteThem(t *testing.T) {
	for typed, want := range map[string]string{"": "", "de": "de", "Deutsch": "de", "de-AT": "de", "de_DE": "de", "EN": "en", "english": "en", "Englisch": "en", "fr": "fr", "Dänisch": "Dänisch"} {
		if got := languageCode(typed); got != want {
			t.Errorf("%q is %q, want %q", typed, got, want)
		}
	}
}

// Whatever a file holds, it is read or refused; it neither breaks nor hangs.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{list, "\"", "\"\"", "a\r\rb", "sep=;\n", "\xff\xfe", "\xfe\xffa", "\"a\n\"b\n\"c", ";;;\n;;"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		file, fault := Read(body, How{})
		if fault != "" {
			return
		}
		c, _ := file.Guess()
		last := 0
		for _, r := range file.People(c) {
			if r.N <= last {
				t.Fatalf("line %d comes after line %d", r.N, last)
			}
			last = r.N
		}
	})
}

// Without a bound each of these would keep a processor busy for hours, or fill the
// memory. An eighth of what may be uploaded tells one pass from many.
func TestAListMadeToKeepUsBusyIsReadInOnePass(t *testing.T) {
	for name, piece := range map[string]string{
		"marks that are never closed": `""x,`,
		"marks before one that fails": `""x,""y,`,
		"marks within lines":          strings.Repeat(`""x;`, 1000) + "\n",
		"line ends":                   "\n",
		"carriage returns":            "\r",
		"delimiters":                  ";",
		"marks":                       `"`,
		"cells":                       "x\n",
	} {
		const size = MaxBytes / 8
		body := strings.Repeat(piece, size/len(piece))
		for _, end := range []string{"", "\n\"b\";c"} {
			Read([]byte(body[:size-len(end)-len(piece)]+end), How{})
		}
		s := splitter{text: body, delimiter: ',', line: 1}
		for s.at < len(s.text) {
			s.record()
		}
		if s.vain > (maxVain+1)*len(body) {
			t.Errorf("%s: looked through %d bytes in vain", name, s.vain)
		}
	}
}

func TestOfALongListOnlyTheRowsThatMayBeAreKept(t *testing.T) {
	if _, fault := Read([]byte(strings.Repeat("a;b\n", 1<<20)), How{}); fault != TooManyPeople {
		t.Errorf("the fault is %q", fault)
	}
	file, fault := Read([]byte("Name;E-Mail\n"+strings.Repeat("\n", 1<<20)+"Kim;kim@example.com\n"), How{})
	if fault != "" || file.Blank != 1<<20 || len(file.Records) != 2 {
		t.Errorf("%d records, %d blank lines, fault %q", len(file.Records), file.Blank, fault)
	}
}
