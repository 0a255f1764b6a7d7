package instrument

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"typus"
)

// brokenFile is our own instrument with one change, and all faults that the loader must
// name; "…" stands for more.
type brokenFile struct {
	name, file, old, new string
	want                 []string
}

func TestEveryRuleOfTheFormatIsHeld(t *testing.T) {
	checkBroken(t, currentVersion, brokenFiles())
	checkBroken(t, "1.0.0", brokenTable())
}

func checkBroken(t *testing.T, version string, cases []brokenFile) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			m := editedIn(t, copyOf(t, version), tc.file, tc.old, tc.new)
			delete(m, "RELEASE")
			got := faultsOf(t, m)
			if n := len(tc.want) - 1; tc.want[n] == "…" && len(got) > n {
				got = append(got[:n:n], "…")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (-want +got)\n%s", diff)
			}
		})
	}
}

func TestAllFaultsOfAllFilesAreNamedAtOnce(t *testing.T) {
	m := edited(t, definitionFile, "scale: achievement_drive, keyed: plus", "scale: achievement_drive, keyed: up")
	m[definitionFile].Data = bytes.Replace(m[definitionFile].Data, []byte("version: 2.0.0"), []byte("version: 2.0.0\ncolour: blue"), 1)
	m[rolePath].Data = bytes.Replace(m[rolePath].Data, []byte("w: 0.17"), []byte("w: 0.27"), 1)
	m[normPath].Data = bytes.Replace(m[normPath].Data, []byte("sigma: 16"), []byte("sigma: -16"), 1)
	m[germanFile].Data = bytes.Replace(m[germanFile].Data, []byte("  at01:"), []byte("  at02:"), 1)
	delete(m, "report/en.yaml")
	delete(m, releaseFile)
	want := []string{
		"instrument.yaml:colour: is not a field of the format",
		"instrument.yaml:items[0].keyed: must be plus or minus",
		"instrument.yaml:pairs[0]: synonyms must be keyed alike",
		"norms/theoretical-2026-11-28.yaml:values.achievement_drive.sigma: must be above 0",
		"roles/hunter@1.yaml:role.zones: the weights sum to 1.1, not 1",
		"texts/de.yaml:items.at01: is missing",
		"texts/de.yaml:items.at02: is not an item",
		"report/en.yaml: is missing",
	}
	if diff := cmp.Diff(want, faultsOf(t, m)); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
}

func TestFilesThatAreMissingOrTooManyAreNamed(t *testing.T) {
	copyTo := func(from, to string) func(fstest.MapFS) {
		return func(m fstest.MapFS) { m[to] = m[from] }
	}
	for name, tc := range map[string]struct {
		change func(fstest.MapFS)
		want   []string
	}{
		"no definition":      {func(m fstest.MapFS) { delete(m, definitionFile) }, []string{"instrument.yaml: cannot be read: open instrument.yaml: file does not exist"}},
		"no English texts":   {func(m fstest.MapFS) { delete(m, "texts/en.yaml") }, []string{"texts/en.yaml: is missing"}},
		"no German report":   {func(m fstest.MapFS) { delete(m, reportPath) }, []string{"report/de.yaml: is missing"}},
		"another language":   {copyTo(germanFile, "texts/fr.yaml"), []string{"texts/fr.yaml: is not one of the languages"}},
		"another report":     {copyTo(reportPath, "report/fr.yaml"), []string{"report/fr.yaml: is not one of the languages"}},
		"two norms":          {copyTo(normPath, "norms/other.yaml"), []string{"norms: must hold one norm, the one in force", "norms/other.yaml:norm.id: must be the name of the file"}},
		"two of one role":    {copyTo(rolePath, "roles/hunter@2.yaml"), []string{"roles/hunter@2.yaml:role: key@version must be the name of the file", "roles/hunter@2.yaml:role.key: has two versions; keep the one in force"}},
		"an empty file":      {func(m fstest.MapFS) { m[rolePath].Data = []byte("# nothing\n") }, []string{"roles/hunter@1.yaml: must hold exactly one document"}},
		"a file far too big": {func(m fstest.MapFS) { m[rolePath].Data = make([]byte, maxFile+1) }, []string{"roles/hunter@1.yaml: cannot be read: larger than 1048576 bytes"}},
		"a changed release":  {func(m fstest.MapFS) { m[releaseFile] = &fstest.MapFile{Data: []byte("sha256:00\n")} }, []string{"RELEASE: holds another hash than " + Own().Hash() + ": a released version must not change; make a new version"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := ownCopy(t)
			delete(m, releaseFile)
			tc.change(m)
			if diff := cmp.Diff(tc.want, faultsOf(t, m)); diff != "" {
				t.Errorf("faults (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPartsThatNeedAnotherPartSaySo(t *testing.T) {
	m := ownCopy(t)
	delete(m, releaseFile)
	delete(m, normPath)
	got := faultsOf(t, m)
	for _, want := range []string{"instrument.yaml:scoring.outputs[2]: z needs a norm", "instrument.yaml:typology: needs a norm", "roles/hunter@1.yaml:role: needs a norm"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	bare := peerYAML(t, "ipip-neo-pi-r-50")
	bare = bare[:strings.Index(bare, "scoring:")]
	norms := "norm: {id: n, kind: theoretical, instrument: ipip-neo-pi-r-50@1, language: any, n: 0}\nvalues:\n"
	for _, domain := range []string{"O", "C", "E", "A", "N"} {
		norms += "  " + domain + ": {mu: 50, sigma: 16, rel: 0.8}\n"
	}
	m = fstest.MapFS{definitionFile: {Data: []byte(bare)}, "norms/n.yaml": {Data: []byte(norms)},
		"roles/r@1.yaml": {Data: []byte("role: {key: r, version: 1, below: 2, zones: {O: {w: 1, lo: 50, hi: 100, above: 0}, C: {w: 0, lo: 50, hi: 100, above: 0}, " +
			"E: {w: 0, lo: 50, hi: 100, above: 0}, A: {w: 0, lo: 50, hi: 100, above: 0}, N: {w: 0, lo: 50, hi: 100, above: 0}}}")}}
	want := []string{"instrument.yaml:scoring: is missing", "instrument.yaml:fit: is missing"}
	if diff := cmp.Diff(want, faultsOf(t, m)); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
}

func TestAForeignInstrumentIsWarnedWhereOurOwnIsRefused(t *testing.T) {
	in := foreign(t, "{a: ap02, b: ap07, kind: antonym}", "{a: ap03, b: ap04, kind: antonym}")
	want := []typus.Field{
		{Name: "instrument.yaml:pairs[13]", Code: typus.CodeInvalid, Msg: "ap03 and ap04 are 7 positions apart; 15 are needed"},
		{Name: "RELEASE", Code: typus.CodeInvalid, Msg: "is missing: the version is not frozen"},
	}
	if diff := cmp.Diff(want, in.Warnings()); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	near := foreign(t, "shape: [0, 0, 0, 0, 0, 0, 0, 0]", "shape: [0, -1, -1, 0, -1, 0, 2, 1]")
	if first := near.Warnings()[0]; first.Name != "instrument.yaml:typology.types[11].shape" || !strings.Contains(first.Msg, "1.4 are advised") {
		t.Errorf("%+v", near.Warnings())
	}
}

func TestADimensionOfAnotherInstrumentNeedsFourItems(t *testing.T) {
	text := peerYAML(t, "ipip-neo-120")
	from := strings.Index(text, ", scale: N1,")
	m := fstest.MapFS{definitionFile: {Data: []byte(text[:from] + ", scale: N2," + text[from+len(", scale: N1,"):])}}
	if diff := cmp.Diff([]string{"instrument.yaml:scales[1]: N1 has 3 items; a dimension needs 4"}, faultsOf(t, m)); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
}

// faultsOf loads a directory that must be refused.
func faultsOf(t *testing.T, m fstest.MapFS) []string {
	t.Helper()
	_, err := Load(m)
	var refusal *typus.Error
	if !errors.As(err, &refusal) || refusal.Kind != typus.Invalid {
		t.Fatalf("not refused as invalid: %v", err)
	}
	var list []string
	for _, f := range refusal.Fields {
		line := f.Name + ": " + f.Msg
		if !strings.Contains(refusal.Msg, line) {
			t.Errorf("the message does not say %q", line)
		}
		list = append(list, line)
	}
	return list
}

func brokenFiles() []brokenFile {
	return slices.Concat(brokenForm(), brokenHead(), brokenItems(), brokenOrder(), brokenPairs(), brokenScoring(),
		brokenNorms(), brokenRoles(), brokenTexts(), brokenRules(), brokenDraws())
}
