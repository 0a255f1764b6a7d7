package roster

import (
	"strings"
	"testing"
)

// An identifier that a spreadsheet would write anew when it saves the table gets an
// apostrophe, which is taken away when the file is read again; others stay as they are.
func TestAnIdentifierStaysTextToASpreadsheet(t *testing.T) {
	for id, want := range map[string]string{
		"004711": "'004711", "6486200000000000123": "'6486200000000000123", "123456789012": "'123456789012", "12E5": "'12E5", "1-2": "'1-2", "3/4": "'3/4", "2026-11-27": "'2026-11-27",
		"12:30": "'12:30", "1.2.3": "'1.2.3", "10 %": "'10 %", "Mar1": "'Mar1", "1 Dez": "'1 Dez", "TRUE": "'TRUE", "wahr": "'wahr", "'0815": "''0815",
		"4711": "4711", "12345678901": "12345678901", "crm-1001": "crm-1001", "A-1": "A-1", "": "", "0": "0", "O'Brien": "O'Brien", "maria": "maria", "may": "may",
	} {
		got := Text(id)
		if got != want {
			t.Errorf("%q becomes %q, want %q", id, got, want)
		}
		if back := unguarded(Harmless(got)); back != id {
			t.Errorf("%q comes back as %q", id, back)
		}
	}
	for _, cell := range []string{"=1+1", "'=1", "-2", "\tx", "@x", "Kim", "'kim'", "＝1"} {
		if back := unguarded(Harmless(cell)); back != cell {
			t.Errorf("%q comes back as %q", cell, back)
		}
	}
}

func TestATableIsWrittenForTheSpreadsheetsOfALanguage(t *testing.T) {
	for lang, want := range map[string]string{"de": "\ufeffa;\"b;c\";\"d,e\"\r\n", "en": "\ufeffa,\"b;c\",\"d,e\"\r\n"} {
		var out strings.Builder
		w := NewWriter(&out, lang)
		w.Row("a", "b;c", "d,e")
		if err := w.Flush(); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", lang, out.String(), err)
		}
	}
}

func TestNoCellIsTakenForAFormula(t *testing.T) {
	for cell, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-2+3": "'-2+3", "@SUM(1)": "'@SUM(1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\tx": "'\tx",
		`"=1"`: `'"=1"`, " =1": "' =1", "'=1": "''=1", "＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠x": "'＠x", `=HYPERLINK("x")`: `'=HYPERLINK("x")`,
		"Kim": "Kim", "a=b": "a=b", "kim@example.com": "kim@example.com", "": "", "O'Brien": "O'Brien", "1-2": "1-2",
	} {
		if got := Harmless(cell); got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
}
