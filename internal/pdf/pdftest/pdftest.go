// Package pdftest reads PDF files as other programs do.
package pdftest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Text is what a file says, page after page, in the order in which it was written. It is
// what a program that reads aloud has to go by, as the files have no tags.
func Text(t testing.TB, file []byte) []string {
	t.Helper()
	read := exec.Command(tool(t, "pdftotext", "poppler-utils"), "-raw", "-enc", "UTF-8", "-", "-")
	read.Stdin = bytes.NewReader(file)
	text, err := read.Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\f"), "\f")
}

// Words is the text of all pages with its white space collapsed.
func Words(t testing.TB, file []byte) string {
	t.Helper()
	return strings.Join(strings.Fields(strings.Join(Text(t, file), " ")), " ")
}

// Facts are what a file says of itself, such as "Title: …".
func Facts(t testing.TB, file []byte) string {
	t.Helper()
	read := exec.Command(tool(t, "pdfinfo", "poppler-utils"), "-isodates", "-")
	read.Stdin = bytes.NewReader(file)
	facts, err := read.Output()
	if err != nil {
		t.Fatalf("pdfinfo: %v", err)
	}
	return string(facts)
}

// Check fails unless qpdf finds nothing wrong with a file.
func Check(t testing.TB, file []byte) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "checked.pdf")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool(t, "qpdf", "qpdf"), "--check", name).CombinedOutput(); err != nil {
		t.Errorf("qpdf: %v: %s", err, out)
	}
}

func tool(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("no %s on the PATH: install %s", name, debian)
	}
	t.Skipf("no %s on the PATH: install %s to run this test", name, debian)
	return ""
}
