package main

import (
	"runtime/debug"
	"testing"
)

func TestAVersionNamesItsCommitAndDate(t *testing.T) {
	commit := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.time", Value: "2026-11-30T09:00:00Z"},
	}
	changed := append(commit[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	unchanged := append(commit[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "false"})
	for want, c := range map[string]struct {
		version  string
		settings []debug.BuildSetting
		unknown  bool
	}{
		"v0.1.0, commit 0123456789ab of 2026-11-30T09:00:00Z":                               {"v0.1.0", unchanged, false},
		"v0.1.1-0.20261130+dirty, commit 0123456789ab of 2026-11-30T09:00:00Z with changes": {"v0.1.1-0.20261130+dirty", changed, false},
		"devel, commit 0123456789ab of 2026-11-30T09:00:00Z":                                {"(devel)", commit, false},
		"devel":   {"", nil, false},
		"v0.1.0":  {"v0.1.0", nil, false},
		"unknown": {"", nil, true},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := built(info, !c.unknown).String(); got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}
