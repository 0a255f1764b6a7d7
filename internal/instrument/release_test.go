package instrument

import (
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// freeze writes RELEASE of a version that has none yet:
//
//	go test ./internal/instrument -run TestTheReleasedVersionIsUnchanged -freeze
//
// A version that was released is never frozen again; give the changed one a new number and directory.
var freeze = flag.Bool("freeze", false, "write the RELEASE file of a version that has none")

const ownDir = "salespersona/1.0.0"

func TestTheReleasedVersionIsUnchanged(t *testing.T) {
	f := newFaults()
	read, _ := f.readAll(os.DirFS(ownDir))
	if len(f.list) > 0 {
		t.Fatal(refused(f.list))
	}
	if *freeze && read.release == "" {
		if err := os.WriteFile(ownDir+"/"+releaseFile, []byte(read.hash+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if read.release != read.hash {
		t.Errorf("the files hash to %s, RELEASE says %q: a released version must not change", read.hash, read.release)
	}
}

func TestTheEmbeddedFilesAreTheFilesOnDisk(t *testing.T) {
	disk, err := Load(os.DirFS(ownDir))
	if err != nil {
		t.Fatal(err)
	}
	if disk.Hash() != Own().Hash() {
		t.Errorf("disk %s, embedded %s", disk.Hash(), Own().Hash())
	}
	if len(Own().Warnings()) > 0 {
		t.Errorf("our own instrument has warnings: %v", Own().Warnings())
	}
}

func TestTheHashIgnoresLayoutNormsAndReportTextsOnly(t *testing.T) {
	before := hashOf(t, ownFiles())
	for name, tc := range map[string]struct {
		file, old, new string
		same           bool
	}{
		"a comment":     {"instrument.yaml", "schema:", "# a comment\nschema:", true},
		"a number form": {"instrument.yaml", "inc_notice: 1.45", "inc_notice: 1.450", true},
		"a norm":        {"norms/theoretical-2026-11.yaml", "mu: 69", "mu: 70", true},
		"a report text": {"report/de.yaml", "Türöffner", "Türoeffner", true},
		"a threshold":   {"instrument.yaml", "inc_notice: 1.45", "inc_notice: 1.46", false},
		"an item text":  {"texts/de.yaml", "ad01: ", "ad01: Also ", false},
	} {
		t.Run(name, func(t *testing.T) {
			after := hashOf(t, edited(t, tc.file, tc.old, tc.new))
			if (after == before) != tc.same {
				t.Errorf("before %s, after %s", before, after)
			}
		})
	}
}

func hashOf(t *testing.T, fsys fs.FS) string {
	t.Helper()
	f := newFaults()
	read, ok := f.readAll(fsys)
	if !ok || !strings.HasPrefix(read.hash, "sha256:") {
		t.Fatalf("no hash: %v", f.list)
	}
	return read.hash
}
