package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"typus"
	"typus/internal/assess"
)

// invite creates an invitation or repeats an open one (API description 4.1).
func (a *api) invite(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	c, err := a.readInvite(w, r, body)
	if err != nil {
		return err
	}
	out, replayed, err := a.steps.Invite(r.Context(), keyOf(r.Context()).AccountID, c.invitation, c.idempotency)
	err = a.orInvalidKey(r.Context(), err)
	if c.invitation.PositionID == noPosition && typus.Is(err, typus.NotFound) {
		err = wrongPosition(keyOf(r.Context()))
	}
	if err != nil {
		return err
	}
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.Header().Set("Location", a.links.APICandidate(out.Candidate.ID))
	status := http.StatusCreated
	if out.Repeat {
		status = http.StatusOK
	}
	view := invitationView{OK: true, InviteURL: out.Link, CandidateToken: out.Token, ExternalID: orNull(out.Candidate.ExternalID)}
	if c.extra {
		if view.Extra, err = a.extraOfInvited(r.Context(), out); err != nil {
			return err
		}
	}
	return answer(w, status, view)
}

// orInvalidKey is the error of a call whose key may be gone since it was let in, since its
// account is being deleted: then that counts.
func (a *api) orInvalidKey(ctx context.Context, err error) error {
	if !typus.Is(err, typus.Conflict) && !typus.Is(err, typus.NotFound) {
		return err // nil, too
	}
	key := keyOf(ctx)
	if _, gone := a.store.APIKey(ctx, key.AccountID, key.ID); typus.Is(gone, typus.NotFound) {
		return invalidKey()
	}
	return err
}

// inviteCall is a checked request to invite.
type inviteCall struct {
	invitation  assess.Invitation
	idempotency *assess.Idempotency // nil without an Idempotency-Key
	extra       bool
}

// inviteFields are the members of the body that have a meaning.
var inviteFields = []string{"name", "email", "external_id", "send_email", "language", "role_profile", "position"}

// readInvite checks everything a client can get wrong and names all of it at once.
func (a *api) readInvite(w http.ResponseWriter, r *http.Request, body []byte) (inviteCall, error) {
	members, faults, err := readObject(body)
	if err != nil {
		return inviteCall{}, err
	}
	f := newForm(members, faults)
	f.nearMisses(inviteFields...)
	i := assess.Invitation{
		Name: f.text("name"), Email: f.text("email"), ExternalID: f.identifier("external_id"),
		SendEmail: f.flag("send_email", true),
		Language:  f.text("language"), RoleProfile: f.text("role_profile"), KeepRole: !keyOf(r.Context()).Scope.Reads(),
	}
	position := f.identifier("position")
	i, faults = a.steps.Check(i)
	f.add(faults)
	if faults, err = a.ownRoleFaults(r, i.RoleProfile); err != nil {
		return inviteCall{}, err
	}
	f.add(faults)
	if i.PositionID, err = a.invitedTo(r, position); err != nil {
		return inviteCall{}, err
	}
	q := readQuery(w, r, []string{"include"}, foreign{inviteFields, "belongs in the JSON body"})
	c := inviteCall{invitation: i, extra: q.extra()}
	f.add(q.faults)
	key, faults := idempotencyKey(r.Header)
	f.add(faults)
	if key != "" {
		sum := sha256.Sum256(body)
		c.idempotency = &assess.Idempotency{
			APIKeyID: keyOf(r.Context()).ID, Key: key, RequestSHA256: hex.EncodeToString(sum[:]),
		}
	}
	// A key that was used before is answered as then, whatever has become of the position.
	if i.PositionID == noPosition && (key == "" || len(f.faults) > 0) {
		if keyOf(r.Context()).PositionID != 0 {
			return c, wrongPosition(keyOf(r.Context()))
		}
		f.add([]typus.Field{unknownPosition})
	}
	return c, invalid(f.faults)
}

// invitedTo is the id of the position that an invitation names, else of the one that the key
// is limited to; noPosition for one that is unknown or not the key's.
func (a *api) invitedTo(r *http.Request, ref string) (int64, error) {
	key := keyOf(r.Context())
	if ref == "" && key.PositionID != 0 {
		return within(key), nil
	}
	id, err := a.positionNamed(r, ref)
	if typus.Is(err, typus.NotFound) || err == nil && !reached(key, id) {
		return noPosition, nil
	}
	return id, err
}

// ownRoleFaults says that a key is that of an own role profile which the account cannot
// choose; Check cannot know. Why, and which could be chosen, is for keys that may do
// everything: the names are the account's own.
func (a *api) ownRoleFaults(r *http.Request, key string) ([]typus.Field, error) {
	asks := keyOf(r.Context())
	err := a.steps.CheckOwnRole(r.Context(), asks.AccountID, key)
	wrong, is := errors.AsType[*typus.Error](err)
	switch {
	case !is || wrong.Kind != typus.Invalid:
		return nil, err
	case asks.Limited():
		return []typus.Field{{Name: "role_profile", Code: typus.CodeInvalid, Msg: "is no role profile that this account can choose"}}, nil
	}
	return wrong.Fields, nil
}

// noPosition is the id of no position at all, which nobody can be invited to. It is not
// store.AnyPosition.
const noPosition = -2

// unknownPosition says of a position that the account has none of that name.
var unknownPosition = typus.Field{Name: "position", Code: typus.CodeInvalid, Msg: "is no position of this account, or the reference of one and the id of another; send its own reference, or its id"}

// positionNamed is the id of a position by its own reference or its id; 0, that of the
// default one, for none. NotFound.
func (a *api) positionNamed(r *http.Request, ref string) (int64, error) {
	if ref == "" {
		return 0, nil
	}
	p, err := a.store.PositionByRef(r.Context(), keyOf(r.Context()).AccountID, ref)
	if p.Standard {
		return 0, err
	}
	return p.ID, err
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

// extraOfInvited is what include=extra adds to an invitation. The test of a replayed one
// may be finished.
func (a *api) extraOfInvited(ctx context.Context, out assess.Invited) (*extraView, error) {
	results, err := a.results(ctx, out.Candidate.AccountID, out.Candidate)
	if err != nil {
		return nil, err
	}
	positions, err := a.positions(ctx, out.Candidate.AccountID, out.Candidate)
	if err != nil {
		return nil, err
	}
	c, err := a.seenNow(ctx, out.Candidate)
	if err != nil {
		return nil, err
	}
	return a.viewExtra(c, out.Link, out.Mail, results[c.ID], positions)
}
