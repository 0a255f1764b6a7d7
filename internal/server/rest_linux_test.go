package server

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestTheProgramsOwnPagesAreForgotten(t *testing.T) {
	before := ofTheProgram(t)
	forgetProgram()
	if after := ofTheProgram(t); after > before/2 {
		t.Errorf("%d KB of the program's file are in memory, and were %d", after, before)
	}
}

// ofTheProgram is how much of the program's file is in memory, in KB.
func ofTheProgram(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(status), "RssFile:")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		t.Skip("this system does not say what lies in memory")
	}
	kb, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb
}

func TestOnlyWhatWasNeverWrittenIsForgotten(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	entry := func(where, may, file, anonymous string) string {
		return where + " " + may + " 00000000 fe:00 1234       " + file + "\nRss: 100 kB\nPrivate_Dirty: 8 kB\nAnonymous: " + anonymous + " kB\nVmFlags: rd mr mw me\n"
	}
	smaps := filepath.Join(t.TempDir(), "smaps")
	text := entry("00400000-00500000", "r-xp", program, "0") +
		entry("00500000-00600000", "r--p", program, "4") +
		entry("00600000-00700000", "r--p", program, "0") +
		entry("00700000-00800000", "rw-p", program, "0") +
		entry("00800000-00900000", "r-xp", "/usr/lib/other.so", "0") +
		entry("c000000000-c000100000", "rw-p", "", "0")
	if err := os.WriteFile(smaps, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []part{{0x400000, 0x500000}, {0x600000, 0x700000}}
	if got := unchanged(smaps); !slices.Equal(got, want) {
		t.Errorf("forgotten are %x, want %x", got, want)
	}
	if got := unchanged(filepath.Join(t.TempDir(), "none")); len(got) != 0 {
		t.Errorf("without a map %x are forgotten", got)
	}
}
