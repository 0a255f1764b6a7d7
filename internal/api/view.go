package api

import (
	"strconv"
	"time"

	"typus"
)

// The views have the members of the API description in its order; every member is
// always there, null or [] without a value (our choice where the API description shows
// nothing).

// invitationView is API description 2.1.
type invitationView struct {
	OK             bool       `json:"ok"`
	InviteURL      string     `json:"invite_url"`
	CandidateToken string     `json:"candidate_token"`
	ExternalID     *string    `json:"external_id"`
	Extra          *extraView `json:"extra,omitzero"`
}

// listView is the answer of API description 4.2.
type listView struct {
	Candidates []candidateView `json:"candidates"`
}

// candidateView is API description 2.2.
type candidateView struct {
	ID          int64       `json:"id"`
	ExternalID  *string     `json:"external_id"`
	Name        string      `json:"name"`
	Email       string      `json:"email"`
	Status      string      `json:"status"`
	CreatedAt   string      `json:"created_at"`
	CompletedAt *string     `json:"completed_at"`
	Scores      *scoresView `json:"scores"`
	Extra       *extraView  `json:"extra,omitzero"`
}

// scoresView is API description 2.3. The webhook has another form of it (API
// description 2.4).
type scoresView struct {
	Overall         int             `json:"overall"`
	Fit             fitView         `json:"fit"`
	Archetype       archetypeView   `json:"archetype"`
	DimensionScores []dimensionView `json:"dimension_scores"`
	Warnings        []warningView   `json:"warnings"`
}

type fitView struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

type archetypeView struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

type dimensionView struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Score int    `json:"score"`
}

type warningView struct {
	Key      string `json:"key"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// extraView is what include=extra adds (our addition, never there unasked).
type extraView struct {
	ID          int64   `json:"id"`
	InviteURL   string  `json:"invite_url"`
	ReportURL   string  `json:"report_url"`
	Language    string  `json:"language"`
	RoleProfile string  `json:"role_profile"`
	StartedAt   *string `json:"started_at"`
	ExpiresAt   string  `json:"expires_at"`
	CancelledAt *string `json:"cancelled_at"`
	Mail        string  `json:"mail"`
}

func viewCandidate(c typus.Candidate) candidateView {
	return candidateView{
		ID: c.ID, ExternalID: orNull(c.ExternalID), Name: c.Name, Email: c.Email, Status: string(c.Status),
		CreatedAt: timestamp(c.CreatedAt), CompletedAt: timestampOrNull(c.CompletedAt), Scores: viewScores(c.Scores),
	}
}

func viewScores(s *typus.Scores) *scoresView {
	if s == nil {
		return nil
	}
	v := &scoresView{
		Overall: s.Overall, Fit: fitView(s.Fit), Archetype: archetypeView{s.Archetype.Key, s.Archetype.Name},
		DimensionScores: make([]dimensionView, len(s.Dimensions)), Warnings: make([]warningView, len(s.Warnings)),
	}
	for i, d := range s.Dimensions {
		v.DimensionScores[i] = dimensionView(d)
	}
	for i, w := range s.Warnings {
		v.Warnings[i] = warningView{w.Key, string(w.Severity), w.Message}
	}
	return v
}

func (a *api) viewExtra(c typus.Candidate, link string, mail typus.LetterState) *extraView {
	return &extraView{
		ID: c.ID, InviteURL: link, ReportURL: a.baseURL + "/dashboard/kandidat/" + strconv.FormatInt(c.ID, 10),
		Language: c.Language, RoleProfile: c.RoleProfile,
		StartedAt: timestampOrNull(c.StartedAt), ExpiresAt: timestamp(c.ExpiresAt), CancelledAt: timestampOrNull(c.CancelledAt),
		Mail: viewMail(mail),
	}
}

// viewMail is the state of the newest invitation letter; one being handed over
// still counts as queued, and one of which nobody knows whether it arrived as held:
// it waits for a person to decide (our choice; "sent" would promise an arrival, and
// "failed" would make clients invite again).
func viewMail(s typus.LetterState) string {
	switch s {
	case "":
		return "none"
	case typus.LetterSending:
		return string(typus.LetterQueued)
	case typus.LetterUncertain:
		return string(typus.LetterHeld)
	}
	return string(s)
}

// timestamp is the REST form of a time (API description 2.2): UTC, whole seconds, Z.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func timestampOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(timestamp(t))
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (a *api) candidateURL(id int64) string {
	return a.baseURL + "/api/v1/candidates/" + strconv.FormatInt(id, 10)
}
