package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
)

// invite creates an invitation or repeats an open one (seed 4.1).
func (a *api) invite(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	c, err := a.readInvite(w, r, body)
	if err != nil {
		return err
	}
	out, replay, err := a.steps.Invite(r.Context(), keyOf(r.Context()).AccountID, c.invitation, c.idempotency)
	if err != nil {
		return err
	}
	if replay != nil {
		w.Header().Set("Idempotent-Replayed", "true")
		w.Header().Set("Location", a.candidateURL(replay.CandidateID))
		write(w, jsonType, replay.Status, replay.Body)
		return nil
	}
	status, view, err := a.invited(out, c.extra)
	if err != nil {
		return err
	}
	w.Header().Set("Location", a.candidateURL(out.Candidate.ID))
	write(w, jsonType, status, view)
	return nil
}

// inviteCall is a checked request to invite.
type inviteCall struct {
	invitation  assess.Invitation
	idempotency *assess.Idempotency // nil without an Idempotency-Key
	extra       bool
}

// readInvite checks everything a client can get wrong and names all of it at once.
func (a *api) readInvite(w http.ResponseWriter, r *http.Request, body []byte) (inviteCall, error) {
	members, faults, err := readObject(body)
	if err != nil {
		return inviteCall{}, err
	}
	f := newForm(members, faults)
	f.nearMisses("name", "email", "external_id", "send_email", "language", "role_profile")
	i := assess.Invitation{
		Name: f.text("name"), Email: f.text("email"), ExternalID: f.identifier("external_id"),
		SendEmail: f.flag("send_email", true),
		Language:  f.text("language"), RoleProfile: f.text("role_profile"),
	}
	i, faults = a.steps.Check(i)
	f.add(faults)
	q := readQuery(w, r, []string{"include"})
	c := inviteCall{invitation: i, extra: q.extra()}
	f.add(q.faults)
	key, faults := idempotencyKey(r.Header)
	f.add(faults)
	if key != "" {
		sum := sha256.Sum256(body)
		c.idempotency = &assess.Idempotency{
			APIKeyID: keyOf(r.Context()).ID, Key: key, RequestSHA256: hex.EncodeToString(sum[:]),
			Answer: func(out assess.Invited) (int, []byte, error) { return a.invited(out, c.extra) },
		}
	}
	return c, invalid(f.faults)
}

// idempotencyKey reads the header: 1 to 255 printable ASCII characters, at most once.
func idempotencyKey(h http.Header) (string, []typus.Field) {
	const name = "Idempotency-Key"
	values := h.Values(name)
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	unprintable := func(r rune) bool { return r < 0x20 || r > 0x7e }
	switch {
	case len(values) > 1 || key == "" || strings.ContainsFunc(key, unprintable):
		return "", []typus.Field{{Name: name, Code: typus.CodeInvalid, Msg: "must be 1 to 255 printable ASCII characters, given once"}}
	case len(key) > 255:
		return "", []typus.Field{{Name: name, Code: typus.CodeTooLong, Msg: "may hold at most 255 characters"}}
	}
	return key, nil
}

// invited is the answer to an invitation: 201 for a new one, 200 for a repeat.
func (a *api) invited(out assess.Invited, extra bool) (int, []byte, error) {
	v := invitationView{OK: true, InviteURL: out.Link, CandidateToken: out.Token, ExternalID: orNull(out.Candidate.ExternalID)}
	if extra {
		v.Extra = a.viewExtra(out.Candidate, out.Link, out.Mail)
	}
	body, err := json.Marshal(v)
	if err != nil {
		return 0, nil, fmt.Errorf("api: write an invitation: %w", err)
	}
	if out.Repeat {
		return http.StatusOK, body, nil
	}
	return http.StatusCreated, body, nil
}
