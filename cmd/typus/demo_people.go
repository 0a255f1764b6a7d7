package main

import "strings"

// fate is what became of somebody who was invited.
type fate int

const (
	waits    fate = iota // has not begun
	finishes             // handed in
	begins               // answered some and paused
	runsOut              // the link ran out, unopened or half-way
	refuses              // does not want to take part
	withdrawn
)

// turn is what else came of an invitation, to some.
type turn int

const (
	_          turn = iota
	asksAgain       // for another link, now that this one has run out
	extended        // by Nina: its end was near
	unreminded      // wants no reminders
	reminded        // by Lars, beside the reminders that go out by themselves
)

// guest is somebody whom the demo's account has invited.
type guest struct {
	day    int // working days ago
	by     string
	fate   fate
	opened bool // answered some before the link ran out
	turn   turn
	tags   string // separated by commas
	notes  []remark
	typo   bool // the address had a slip in it, which is mended later
	lost   bool // no letter reaches the address
	slow   bool // the mail server there asks to come again
	talks  bool // is interviewed without prior knowledge, rated by two people and decided
	slips  bool // misses the line that asks for a certain answer
	races  bool // answers faster than anybody reads
	field  bool // applies for the position in field sales
}

// remark is what somebody of the team wrote about a guest.
type remark struct{ by, text string }

// Who invites.
const (
	byAPI    = ""
	byPetra  = "petra"
	byLars   = "lars"
	byNina   = "nina"
	byImport = "import" // Nina's list from a fair
)

// guests are the people of the demo, in the order in which they were invited.
var guests = []guest{
	{day: 26, fate: runsOut, opened: true},
	{day: 26, fate: finishes, field: true, tags: "Außendienst"},
	{day: 26, fate: finishes},
	{day: 25, fate: runsOut, field: true, opened: true},
	{day: 25, by: byPetra, fate: finishes, tags: "Innendienst", notes: []remark{
		{byPetra, "Empfehlung aus dem Team von Lars. Kündigungsfrist drei Monate."},
	}},
	{day: 25, fate: runsOut, turn: asksAgain},
	{day: 24, fate: finishes},
	{day: 24, fate: runsOut},
	{day: 24, fate: runsOut},
	{day: 23, by: byNina, fate: runsOut, opened: true},
	{day: 23, fate: finishes, field: true, tags: "Außendienst"},
	{day: 23, fate: runsOut},
	{day: 23, fate: runsOut, field: true, opened: true},
	{day: 21, fate: finishes, field: true, tags: "Außendienst, zweites Gespräch", notes: []remark{
		{byNina, "Gespräch war lebendig. Schildert Kaltakquise sehr konkret, auch einen Fall, der schiefging."},
		{byPetra, "Zweites Gespräch mit Lars vereinbart. Bitte auf Einarbeitung und Gebiet eingehen."},
	}},
	{day: 21, by: byNina, fate: finishes, races: true},
	{day: 20, fate: finishes, tags: "Innendienst"},
	{day: 20, by: byPetra, fate: finishes},
	{day: 19, fate: finishes},
	{day: 19, fate: refuses},
	{day: 18, fate: finishes, field: true, tags: "Außendienst"},
	{day: 17, by: byImport, fate: finishes},
	{day: 17, by: byImport, fate: begins},
	{day: 17, by: byImport, fate: finishes, notes: []remark{
		{byNina, "Am Stand lange gesprochen. Kennt unsere Branche aus dem Einkauf."},
	}},
	{day: 17, by: byImport, fate: waits, turn: extended},
	{day: 17, by: byImport, fate: finishes},
	{day: 17, by: byImport, fate: refuses},
	{day: 17, by: byImport, fate: finishes, tags: "Rückruf"},
	{day: 17, by: byImport, fate: begins},
	{day: 17, by: byImport, fate: finishes},
	{day: 17, by: byImport, fate: waits},
	{day: 14, fate: finishes, tags: "Innendienst"},
	{day: 14, fate: begins, field: true},
	{day: 13, by: byPetra, fate: finishes, talks: true, tags: "Außendienst, zweites Gespräch", notes: []remark{
		{byLars, "Fragt gut nach und fasst zusammen. Im zweiten Gespräch über Preisverhandlungen sprechen."},
	}},
	{day: 13, fate: withdrawn},
	{day: 12, fate: waits, field: true},
	{day: 12, fate: waits, turn: unreminded},
	{day: 11, by: byNina, fate: finishes, typo: true},
	{day: 11, fate: begins, field: true},
	{day: 10, fate: waits},
	{day: 10, fate: waits},
	{day: 9, fate: begins, field: true},
	{day: 8, by: byNina, fate: waits},
	{day: 8, fate: waits},
	{day: 7, fate: waits, turn: reminded},
	{day: 7, fate: finishes, field: true, slips: true, tags: "Außendienst"},
	{day: 6, by: byPetra, fate: begins},
	{day: 5, by: byPetra, fate: withdrawn, slow: true},
	{day: 5, fate: finishes, tags: "Innendienst"},
	{day: 5, fate: waits},
	{day: 4, by: byNina, fate: finishes, tags: "Rückruf"},
	{day: 4, fate: waits},
	{day: 3, fate: finishes, field: true, tags: "Außendienst"},
	{day: 3, fate: waits, field: true},
	{day: 3, by: byPetra, fate: waits, lost: true},
	{day: 2, fate: begins, field: true},
	{day: 2, fate: finishes, field: true, notes: []remark{
		{byPetra, "Bewirbt sich für Süd. Gehaltswunsch liegt im Rahmen."},
	}},
	{day: 2, by: byNina, fate: waits},
	{day: 1, fate: finishes, tags: "Innendienst"},
	{day: 1, by: byPetra, fate: waits},
	{day: 0, fate: waits, slow: true},
}

var (
	demoFirst = []string{
		"Jana", "Mehmet", "Lena", "Paweł", "Sofia", "Jonas", "Fatima", "David", "Klára", "Tomás", "Greta", "Noah",
		"Emine", "Lukas", "Ingrid", "Björn", "Chiara", "Maximilian", "Hannah", "Oleksandr", "Zoë", "Kofi", "Annika", "Matteo",
	}
	demoLast = []string{
		"Öztürk", "Müller", "Nowak", "Weiß", "Fernández", "Schneider", "Okafor", "Lindqvist", "Bauer", "Kovács",
		"von Hohenstein-Bergmann", "Rossi", "Petrova", "Schmidt-Lüders", "Yıldız", "Brandt", "Nguyen", "Hoffmann", "Krause", "Løvstad",
	}
	demoHosts = []string{"example.com", "example.org", "example.net"}
	inASCII   = strings.NewReplacer(
		"Ö", "Oe", "ö", "oe", "ü", "ue", "ß", "ss", "á", "a", "ł", "l", "ë", "e", "ı", "i", "ø", "o", " ", "-",
	)
)

// fictitious names a person who does not exist; no two are alike.
func fictitious(n int) (string, string) {
	first, last := demoFirst[n%len(demoFirst)], demoLast[(7*n+n/len(demoFirst))%len(demoLast)]
	return first + " " + last, strings.ToLower(inASCII.Replace(first)+"."+inASCII.Replace(last)) + "@" + demoHosts[n%len(demoHosts)]
}
