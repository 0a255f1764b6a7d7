package api

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"typus"
	"typus/internal/store"
)

// The views have the members of the API description in its order. Every member is
// always there; without a value it is null or [] (our choice where the API description
// shows nothing).

// invitationView is API description 2.1.
type invitationView struct {
	OK             bool       `json:"ok"`
	InviteURL      string     `json:"invite_url"`
	CandidateToken string     `json:"candidate_token"`
	ExternalID     *string    `json:"external_id"`
	Extra          *extraView `json:"extra,omitzero"`
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
	caveatsView
	Position   *positionView `json:"position"`             // null for the account's default one
	AnsweredAt *string       `json:"answered_at,omitzero"` // only where earlier answers were taken over
}

// positionView is what a candidate was invited for.
type positionView struct {
	ID        int64   `json:"id"`
	Reference *string `json:"reference"`
	Name      string  `json:"name"`
}

// viewPosition is the position of a candidate, out of those that were read.
func viewPosition(c typus.Candidate, positions map[int64]typus.Position) *positionView {
	p, named := positions[c.PositionID]
	if !named || p.Standard {
		return nil
	}
	return &positionView{ID: p.ID, Reference: orNull(p.Ref), Name: p.Name}
}

// view is JSON that is being written. Candidates are what flows at rate: they are
// appended member by member, in half the time of the library, which a test holds this to.
type view struct {
	b   []byte
	err error // the first fault: a text that is not UTF-8
}

// list is the answer of API description 4.2. extras has one for each of found, nil where
// none is asked for.
func (v *view) list(found []typus.Candidate, extras []*extraView) {
	v.raw(`{"candidates":[`)
	for i, c := range found {
		v.between(i)
		v.candidate(c, extras[i])
	}
	v.raw(`]}`)
}

// candidate is API description 2.2.
func (v *view) candidate(c typus.Candidate, extra *extraView) {
	v.number(`{"id":`, c.ID)
	v.textOrNull(`,"external_id":`, c.ExternalID)
	v.text(`,"name":`, c.Name)
	v.text(`,"email":`, c.Email)
	v.text(`,"status":`, string(c.Status))
	v.time(`,"created_at":`, c.CreatedAt)
	v.timeOrNull(`,"completed_at":`, c.CompletedAt)
	v.raw(`,"scores":`)
	v.scores(c.Scores)
	if extra != nil {
		v.raw(`,"extra":`)
		v.encoded(extra)
	}
	v.raw(`}`)
}

// scores is API description 2.3. The webhook has another form of it (API description 2.4).
func (v *view) scores(s *typus.Scores) {
	if s == nil {
		v.raw(`null`)
		return
	}
	v.number(`{"overall":`, int64(s.Overall))
	v.text(`,"fit":{"key":`, s.Fit.Key)
	v.text(`,"label":`, s.Fit.Label)
	v.text(`},"archetype":{"key":`, s.Persona.Key)
	v.text(`,"name":`, s.Persona.Name)
	v.raw(`},"dimension_scores":[`)
	for i, d := range s.Dimensions {
		v.between(i)
		v.text(`{"key":`, d.Key)
		v.text(`,"name":`, d.Name)
		v.number(`,"score":`, int64(d.Score))
		v.raw(`}`)
	}
	v.raw(`],"warnings":[`)
	for i, w := range s.Warnings {
		v.between(i)
		v.text(`{"key":`, w.Key)
		v.text(`,"severity":`, string(w.Severity))
		v.text(`,"message":`, w.Message)
		v.raw(`}`)
	}
	v.raw(`]}`)
}

func (v *view) raw(text string) { v.b = append(v.b, text...) }

// between stands before element i of a list.
func (v *view) between(i int) {
	if i > 0 {
		v.raw(`,`)
	}
}

func (v *view) number(before string, n int64) {
	v.raw(before)
	v.b = strconv.AppendInt(v.b, n, 10)
}

func (v *view) text(before, text string) {
	v.raw(before)
	if plain(text) {
		v.b = append(append(append(v.b, '"'), text...), '"')
		return
	}
	var err error
	if v.b, err = jsontext.AppendQuote(v.b, text); err != nil && v.err == nil {
		v.err = err
	}
}

// plain reports whether a text stands in JSON as it is: of letters, digits and signs of
// ASCII only, none of which is escaped (RFC 8259, 7).
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (v *view) textOrNull(before, text string) {
	if text == "" {
		v.raw(before)
		v.raw(`null`)
		return
	}
	v.text(before, text)
}

func (v *view) time(before string, t time.Time) {
	v.raw(before)
	v.raw(`"`)
	v.b = t.UTC().AppendFormat(v.b, timeForm)
	v.raw(`"`)
}

func (v *view) timeOrNull(before string, t time.Time) {
	if t.IsZero() {
		v.raw(before)
		v.raw(`null`)
		return
	}
	v.time(before, t)
}

// encoded leaves to the library what is rare.
func (v *view) encoded(value any) {
	text, err := json.Marshal(value)
	v.b = append(v.b, text...)
	if v.err == nil {
		v.err = err
	}
}

// viewBuffers are used again: the page of a list has 50 KB and more.
var viewBuffers = sync.Pool{New: func() any { return new([]byte) }}

// answerView answers 200 with what fill writes.
func answerView(w http.ResponseWriter, fill func(v *view)) error {
	buffer := viewBuffers.Get().(*[]byte) //nolint:forcetypeassert // nothing else is put there
	defer viewBuffers.Put(buffer)
	v := view{b: (*buffer)[:0]}
	fill(&v)
	*buffer = v.b
	if v.err != nil {
		return fmt.Errorf("api: write an answer: %w", v.err)
	}
	write(w, jsonType, http.StatusOK, v.b)
	return nil
}

func (a *api) viewExtra(c typus.Candidate, link string, mail typus.LetterState, result store.Result, positions map[int64]typus.Position) (*extraView, error) {
	caveats, err := a.viewCaveats(c, result)
	return &extraView{
		ID: c.ID, InviteURL: link, ReportURL: a.links.Report(c.ID),
		Language: c.Language, RoleProfile: c.RoleProfile,
		StartedAt: timestampOrNull(c.StartedAt), ExpiresAt: timestamp(c.ExpiresAt), CancelledAt: timestampOrNull(c.CancelledAt),
		Mail: viewMail(mail), caveatsView: caveats, Position: viewPosition(c, positions), AnsweredAt: timestampOrNull(c.AnsweredAt),
	}, err
}

// viewMail is the state of the newest invitation letter. A letter that is being handed
// over still counts as queued. A letter that may have arrived counts as held, because
// it waits for a person to decide: "sent" would promise that it arrived, and "failed"
// would make clients invite again (our choice).
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

// timeForm is the REST form of a time (API description 2.2): of UTC, whole seconds, Z.
const timeForm = time.RFC3339

func timestamp(t time.Time) string { return t.UTC().Format(timeForm) }

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
