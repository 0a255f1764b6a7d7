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
//	go test ./internal/instrument -run TestAReleasedVersionIsUnchanged -freeze
//
// A version that was released is never frozen again; give the changed one a new number
// and directory.
var freeze = flag.Bool("freeze", false, "write the RELEASE file of a version that has none")

// releasedHashes are the versions that were ever released. A line is added, none is ever
// changed.
var releasedHashes = map[string]string{
	"1.0.0": "sha256:9b34ae132df5ba425cc56a73521d5242eb1e6c4e5a0465fb232d104e6d962c8b",
	"2.0.0": "sha256:723129c41872658b90b64049c5ff69b84eaba50444406a780bee8ae40d4310ac",
}

func ownDir(version string) string { return ownID + "/" + version }

func TestAReleasedVersionIsUnchanged(t *testing.T) {
	for version, hash := range releasedHashes {
		f := newFaults()
		read, _ := f.readAll(os.DirFS(ownDir(version)))
		if len(f.list) > 0 {
			t.Fatal(refused(f.list))
		}
		if *freeze && read.release == "" {
			if err := os.WriteFile(ownDir(version)+"/"+releaseFile, []byte(read.hash+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if read.release != read.hash || hash != read.hash {
			t.Errorf("the files of %s hash to %s, RELEASE says %q, it was released as %s: a released version must not change", version, read.hash, read.release, hash)
		}
	}
}

func TestTheEmbeddedFilesAreTheFilesOnDisk(t *testing.T) {
	for version := range releasedHashes {
		disk, err := Load(os.DirFS(ownDir(version)))
		if err != nil {
			t.Fatal(err)
		}
		in, ok := Released(ownID + "@" + version)
		if !ok || disk.Hash() != in.Hash() || in.Ref() != ownID+"@"+version {
			t.Errorf("%s: disk %s, embedded %v", version, disk.Hash(), in)
		}
		if len(in.Warnings()) > 0 {
			t.Errorf("our own instrument %s has warnings: %v", version, in.Warnings())
		}
	}
	for _, ref := range []string{"", "salespersona", "salespersona@0.9.0", "another@1.0.0", "salespersona@1.0.0@1"} {
		if in, ok := Released(ref); ok {
			t.Errorf("%q is %s", ref, in.Ref())
		}
	}
}

func TestTheHashIgnoresLayoutNormsAndReportTextsOnly(t *testing.T) {
	before := hashOf(t, ownFiles(currentVersion))
	for name, tc := range map[string]struct {
		file, old, new string
		same           bool
	}{
		"a comment":     {"instrument.yaml", "schema:", "# a comment\nschema:", true},
		"a number form": {"instrument.yaml", "inc_notice: 1.45", "inc_notice: 1.450", true},
		"a norm":        {"norms/theoretical-2026-11-28.yaml", "mu: 69", "mu: 70", true},
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
