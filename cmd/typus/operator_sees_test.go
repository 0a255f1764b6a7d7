package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"typus/internal/assess"
)

// What a command prints about the people of accounts, and of candidates above all.
const (
	printsNothing = ""
	printsTeam    = "addresses of users, which the operator gives or has to know"
	printsAccount = "names of accounts, which the operator has given or has to know"
)

// printed says of every command what it prints about people. A new command needs a line. None
// prints who a candidate is or what came of their test unless its line says so.
var printed = map[string]string{
	"account create": printsNothing, "account list": printsAccount, "account set": printsAccount, "account delete": printsNothing,
	"account sender": "the address in whose name letters go out",
	"user create":    printsTeam, "user list": printsTeam, "user link": printsTeam,
	"key create": printsNothing, "key list": printsNothing, "key revoke": printsNothing,
	"webhook create": printsNothing, "webhook list": printsNothing, "webhook delete": printsNothing, "webhook replay": printsNothing,
	"webhook test": "what the receiver answers to a made-up person", "webhook check": "deliveries about made-up people", "webhook verify": "nothing but what it is given",
	"listen":           "what happens in a test world, where nobody is real",
	"candidate finish": "the overall figure of made-up answers",
	"export":           "everything about one person, which is what it is for: it writes a file, and the account's log says so",
	"credits show":     "notes of whoever booked", "credits add": "notes of whoever booked", "usage": printsAccount,
	"bounce": printsNothing, "backup": printsNothing, "restore": printsNothing, "erasures export": printsNothing, "erasures apply": printsNothing,
	"rescore": "figures of a result that was changed, by its number; else a count",
	"health":  printsNothing, "doctor": printsNothing, "version": printsNothing, "migrate": printsNothing, "serve": printsNothing,
	"demo": "people who do not exist",

	"account suspend": "the reason that the operator has given", "account resume": printsNothing,
	"account export": "everything of an account, which is what it is for: it writes a sealed file", "account import": printsAccount,
	"secret lost": printsNothing, "secret rotate": printsNothing, "secret status": printsNothing,
}

func TestEveryCommandSaysWhatItPrintsAboutPeople(t *testing.T) {
	var walk func(c *cobra.Command, name string)
	walk = func(c *cobra.Command, name string) {
		for _, child := range c.Commands() {
			walk(child, strings.TrimSpace(name+" "+child.Name()))
		}
		if len(c.Commands()) > 0 || name == "help" {
			return
		}
		if _, said := printed[name]; !said {
			t.Errorf("what does typus %s print about people? Say so in printed, and in /docs/kunden if it is about candidates", name)
		}
	}
	walk(newApp(nil, nil, discard(), discard()).command(), "")
}

// Who runs a server sees by its commands neither who a candidate is nor what came of the test.
func TestCommandsOfTheOperatorShowNoCandidate(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		account := must[id](t, environ, "account", "create", "--name", "Muster GmbH").ID
		acc := "--account=" + itoa(account)
		s := beside(t, environ)
		out, _, err := s.steps.Invite(t.Context(), account, assess.Invitation{Name: "Kim Kanarien", Email: "kanarien@example.com", ExternalID: "crm-kanarien", SendEmail: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		must[id](t, environ, "candidate", "finish", acc, "--id", itoa(out.Candidate.ID))
		done, err := s.store.Candidate(t.Context(), account, out.Candidate.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.store.Close(); err != nil {
			t.Error(err)
		}
		dir := t.TempDir()
		for _, args := range []string{
			"account list", "account set {acc} --plan business", "account sender {acc}", "user list {acc}", "key list {acc}", "webhook list {acc}", "credits show {acc}",
			"usage --month 2026-11", "usage --month 2026-11 --csv", "rescore --verify", "erasures export {dir}", "doctor", "version", "migrate", "account delete {acc} --confirm Muster",
			"user link {acc} --email nobody@example.com", "credits add {acc} --amount 5 --note Rechnung", "key create {acc} --name CRM", "backup {dir}.db",
		} {
			for _, form := range []string{"", "--json"} {
				if form != "" && strings.Contains(args, "--csv") {
					continue
				}
				line := strings.NewReplacer("{acc}", acc, "{dir}", filepath.Join(dir, "x"+form)).Replace(args + " " + form)
				_, said, errOut := command(t, environ, strings.Fields(line)...)
				for _, word := range []string{"kanarien", done.Scores.Persona.Name, done.Scores.Persona.Key, done.Scores.Fit.Label, out.Token} {
					if word == "" {
						t.Fatal("there is no result to be found")
					}
					if all := strings.ToLower(said + errOut); strings.Contains(all, strings.ToLower(word)) {
						t.Errorf("typus %s says %q: %s", line, word, all)
					}
				}
			}
		}
	})
}
