package roster

import "testing"

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
