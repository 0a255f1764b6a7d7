package instrument

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// ownCopy is a copy of the directory of our current version that a test may change.
func ownCopy(t *testing.T) fstest.MapFS {
	t.Helper()
	return copyOf(t, currentVersion)
}

func copyOf(t *testing.T, version string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	err := fs.WalkDir(ownFiles(version), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(ownFiles(version), name)
		m[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// edited is our own directory with the first occurrence of old in a file replaced.
func edited(t *testing.T, file, old, new string) fstest.MapFS {
	t.Helper()
	return editedIn(t, ownCopy(t), file, old, new)
}

func editedIn(t *testing.T, m fstest.MapFS, file, old, new string) fstest.MapFS {
	t.Helper()
	text := string(m[file].Data)
	if !strings.Contains(text, old) {
		t.Fatalf("%s does not contain %q", file, old)
	}
	m[file] = &fstest.MapFile{Data: []byte(strings.Replace(text, old, new, 1))}
	return m
}
