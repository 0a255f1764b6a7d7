package pdf

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	evidence "github.com/go-json-experiment/json"

	"typus/internal/instrument"
	"typus/internal/report"
)

var (
	mu         sync.Mutex
	catalogues = map[string]map[string]string{}
	allVectors []known
)

// catalogue are the texts of the pages in a language, which the dashboard brings.
func catalogue(t testing.TB, lang string) map[string]string {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if all := catalogues[lang]; all != nil {
		return all
	}
	names, err := filepath.Glob("../dashboard/locales/*." + lang + ".json")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no texts in %q: %v", lang, err)
	}
	all := map[string]string{}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var some map[string]any
		if err := json.Unmarshal(body, &some); err != nil {
			t.Fatal(err)
		}
		for key, value := range some {
			if text, plain := value.(string); plain {
				all[key] = text
			}
		}
	}
	catalogues[lang] = all
	return all
}

// frame is what a file has around what it says, in a language. A text that is not there,
// or lacks a value, is a fault of the test.
func frame(t testing.TB, lang string) Frame {
	texts := catalogue(t, lang)
	say := func(key string, pairs ...any) string {
		text, known := texts[key]
		for i := 0; i < len(pairs); i += 2 {
			text = strings.ReplaceAll(text, fmt.Sprintf("{{.%s}}", pairs[i]), fmt.Sprint(pairs[i+1]))
		}
		if !known || strings.Contains(text, "{{") {
			t.Errorf("the text %q says %q", key, text)
		}
		return text
	}
	return Frame{
		Language: lang, Say: say, Made: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC), Short: say("pdf.short"), Foot: "Muster GmbH",
		Page: func(page, of int) string { return say("pdf.page", "Page", page, "Of", of) }, Twin: say("pdf.twin"), Moment: func(at time.Time) string { return at.Format(time.DateTime) }, Unprinted: say("pdf.missing"),
	}
}

// known are answers whose results an independent scorer has confirmed, by the name that
// they have in the tests of the instrument.
type known struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Answers []*int `json:"answers"`
	RTMS    []int  `json:"rt_ms"`
	GapsMS  []int  `json:"gaps_ms"`

	in *instrument.Instrument
}

// vectors are the known answers of both versions.
func vectors(t testing.TB) []known {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if allVectors != nil {
		return slices.Clone(allVectors)
	}
	var all []known
	for _, version := range [][2]string{{"1.0.0", "golden_vectors.json"}, {"2.0.0", "golden_vectors_2.json"}} {
		data, err := os.ReadFile("../instrument/testdata/" + version[1])
		if err != nil {
			t.Fatal(err)
		}
		var g struct {
			Vectors []known `json:"vectors"`
		}
		if err := json.Unmarshal(data, &g); err != nil {
			t.Fatal(err)
		}
		in, released := instrument.Released("salespersona@" + version[0])
		if !released {
			t.Fatalf("there is no version %s", version[0])
		}
		for _, k := range g.Vectors {
			k.in, k.Name = in, version[0]+" "+k.Name
			all = append(all, k)
		}
	}
	allVectors = all
	return slices.Clone(all)
}

func (k known) stored(t testing.TB) report.Stored {
	t.Helper()
	s := k.in.NewSheet()
	for i, a := range k.Answers {
		if a != nil {
			s.Answers[i].Value = *a
		}
		s.Answers[i].ActiveMS = k.RTMS[i]
	}
	if len(k.GapsMS) > 0 {
		s.MaxPauseMS = slices.Max(k.GapsMS)
	}
	result, err := k.in.Score(s, k.Role)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := k.in.RoleSnapshot(k.Role)
	if err != nil {
		t.Fatal(err)
	}
	read, err := report.Read(kept, snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// reportOf is the report of known answers on paper.
func reportOf(t testing.TB, k known, lang string) Report {
	s := k.stored(t)
	return Report{
		Frame: frame(t, lang), Report: report.Of(k.in, s, lang), Name: "Jana Öztürk",
		Facts:   []string{k.in.RoleName(lang, k.Role), strings.ReplaceAll(catalogue(t, lang)["pdf.completed"], "{{.Date}}", "02.03.2026")},
		Address: "https://typus.example.com/dashboard/kandidat/7", Guide: report.GuideOf(k.in, s.Role, lang), FollowUps: report.FollowUps(k.in, s, lang),
		Elsewhere: catalogue(t, lang)["pdf.earlier"],
	}
}

func guideOf(k known, name, lang string) Guide {
	role, _ := k.in.Role(k.Role)
	return Guide{
		Name: name, Facts: []string{k.in.RoleName(lang, k.Role)}, Role: k.in.RoleName(lang, k.Role), Address: "https://typus.example.com/dashboard/kandidat/7/leitfaden",
		Guide: report.GuideOf(k.in, role, lang),
	}
}
