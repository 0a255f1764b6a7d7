package main

import (
	"context"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/report"
	"typus/internal/store"
)

// demoInterviewer is who logs in to the demo's dashboard to interview, and does nothing else.
const demoInterviewer = "iris.herbst@example.com"

// heard is what somebody of the demo's team noted in an interview and how they rated it.
type heard struct {
	mark int
	note string
}

// What the two interviewers heard, by the keys of the guide's questions; 0 is "not asked".
var (
	irisHeard = map[string]heard{
		"co2": {5, "Hat einen Kunden drei Abläufe zeigen lassen, bevor ein Angebot hinausging."},
		"so1": {4, "Liste im Kalender, freitags durchgesehen. Beispiel aus der letzten Woche."},
		"lo2": {3, "Ursachen zuerst beim Markt gesucht, auf Nachfrage auch bei sich."},
		"in2": {4, "Liefertermin nicht zu halten; hat am selben Tag angerufen."},
		"ad1": {4, "Zehn Erstgespräche im Monat, selbst gezählt."},
		"ad2": {3, ""},
		"ap1": {4, ""},
		"ap2": {0, "Keine Zeit mehr."},
	}
	ninaHeard = map[string]heard{
		"co2": {4, "Genaues Beispiel aus dem letzten Jahr."},
		"so1": {4, ""},
		"lo2": {4, "Fragt Verlorenes seitdem nach. Zwei Beispiele."},
		"in2": {4, ""},
		"ad1": {3, "Ziel war eher das des Teams."},
		"ad2": {2, "Hat die Aufgabe abgegeben."},
		"ap1": {4, "Preisgespräch: nachgefragt statt nachgegeben."},
		"ap2": {3, ""},
	}
)

// interview plans that two people interview a candidate, rate on their own, before they see
// the result, and that the team decides.
func (m *month) interview(c typus.Candidate) {
	talk := office(m.at.Add(18*hour), 3)
	m.plan(talk.Add(75*time.Minute), func(ctx context.Context) error { return m.rate(ctx, c, irisHeard, m.iris) })
	m.plan(talk.Add(2*hour), func(ctx context.Context) error { return m.rate(ctx, c, ninaHeard, m.nina) })
	m.plan(talk.Add(3*hour), func(ctx context.Context) error {
		return m.steps.NoteView(ctx, store.WholeAccount(m.account), c.ID, m.petra)
	})
	m.plan(office(talk.Add(21*hour), 9), func(ctx context.Context) error {
		m.decided = c.ID
		return m.steps.Decide(ctx, store.WholeAccount(m.account), typus.Decision{
			CandidateID: c.ID, Stage: typus.StageOffer,
			Text: "Zwei Gespräche und die Arbeitsprobe überzeugen. Der Test war Anlass für Fragen, nicht Grund der Entscheidung.",
		}, 0, m.petra)
	})
	m.plan(office(talk.Add(22*hour), 11), func(ctx context.Context) error { return m.blindly(ctx, false) })
}

// rate saves what somebody heard.
func (m *month) rate(ctx context.Context, c typus.Candidate, said map[string]heard, by typus.Actor) error {
	role, _ := m.test.Role(c.RoleProfile)
	var list []store.Rating
	for _, q := range report.GuideOf(m.test, role, "de").Questions() {
		list = append(list, store.Rating{Question: q.Key, Mark: new(said[q.Key].mark), Note: said[q.Key].note})
	}
	reader := store.WholeAccount(m.account)
	reader.UserID = by.UserID
	return m.steps.Rate(ctx, reader, c.ID, assess.Ratings{List: list}, by)
}

// blindly switches interviews without prior knowledge on or off.
func (m *month) blindly(ctx context.Context, on bool) error {
	m.blind = on
	return m.accounts.SetBlind(ctx, store.WholeAccount(m.account), 0, m.petra, func(typus.Position) (accounts.Blind, bool) {
		return accounts.Blind{On: on}, true
	})
}
