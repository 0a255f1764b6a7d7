package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"typus/internal/instrument"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and date, and the version of the test",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b, test := built(debug.ReadBuildInfo()), instrument.Own()
			return a.print(struct {
				build
				Instrument string `json:"instrument"`
				Hash       string `json:"instrument_hash"`
			}{b, test.Ref(), test.Hash()}, fmt.Sprintf("typus %s, instrument %s", b, test.Ref()))
		},
	}
}

// build is what Go writes into a program that it builds in a checkout: nothing is stamped by
// hand, so a version cannot name another commit than that of its source. Commit and Date are
// empty where it was built elsewhere, or by go run.
type build struct {
	Version string `json:"version"`          // the tag of the commit, or a pseudo-version after the last one
	Commit  string `json:"commit,omitzero"`  // the whole hash
	Date    string `json:"date,omitzero"`    // of the commit, RFC 3339 in UTC
	Changed bool   `json:"changed,omitzero"` // the checkout had changes that no commit has
}

func built(info *debug.BuildInfo, known bool) build {
	if !known {
		return build{Version: "unknown"}
	}
	b := build{Version: info.Main.Version}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	return b
}

func (b build) String() string {
	said := b.Version
	if b.Commit != "" {
		said += ", commit " + b.Commit[:min(12, len(b.Commit))] + " of " + b.Date
	}
	if b.Changed {
		said += " with changes"
	}
	return said
}

// version is what a server says of itself.
func version() string {
	return built(debug.ReadBuildInfo()).Version
}
