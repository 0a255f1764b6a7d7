package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"typus"
	"typus/internal/sandbox"
)

// advanceWithin is how long a call waits for a move of the clock before it answers 202.
const advanceWithin = 20 * time.Second

// clockView is what the clock of a test world shows.
type clockView struct {
	Now   string    `json:"now"`
	Ahead int64     `json:"ahead_seconds"` // of the machine's clock
	Move  *moveView `json:"move"`          // the one that is under way, null for none
}

// moveView is one way of the clock to a later time.
type moveView struct {
	ID   int64  `json:"id"`
	Done bool   `json:"done"`
	Now  string `json:"now"`
	Left int64  `json:"left_seconds"` // to go, 0 once it is done
}

func viewMove(m sandbox.Move) moveView {
	return moveView{ID: m.ID, Done: m.Done, Now: timestamp(m.WorldTime), Left: int64((m.Left + time.Second - 1) / time.Second)}
}

// worldClock answers what the clock shows.
func (a *api) worldClock(w http.ResponseWriter, r *http.Request) error {
	readQuery(w, r, nil, foreign{})
	return a.answerClock(w, r)
}

func (a *api) answerClock(w http.ResponseWriter, r *http.Request) error {
	world, err := a.store.Account(r.Context(), keyOf(r.Context()).AccountID)
	if err != nil {
		return err
	}
	v := clockView{Now: timestamp(world.WorldTime(a.clock.Now())), Ahead: int64(world.Ahead / time.Second)}
	m, moving, err := a.sandbox.UnderWay(r.Context(), world.ID)
	if err != nil {
		return err
	}
	if moving {
		under := viewMove(m)
		v.Move = &under
	}
	return answer(w, http.StatusOK, v)
}

// advance moves the clock on and waits for the end, though not for long.
func (a *api) advance(w http.ResponseWriter, r *http.Request) error {
	by, err := a.readAdvance(w, r)
	if err != nil {
		return err
	}
	m, err := a.sandbox.Advance(r.Context(), keyOf(r.Context()).AccountID, by, asKey(r))
	if err == nil {
		m, err = a.untilThere(r.Context(), m)
	}
	if typus.Is(err, typus.NotFound) {
		return resetMeanwhile()
	}
	if err != nil {
		return err
	}
	if m.Done {
		return answer(w, http.StatusOK, viewMove(m))
	}
	w.Header().Set("Location", a.links.APIMove(m.ID))
	return answer(w, http.StatusAccepted, viewMove(m))
}

// untilThere waits for the end of a move, though not for long. NotFound: it is gone. Whatever
// else goes wrong, the move goes on, and its address says how far it is.
func (a *api) untilThere(ctx context.Context, m sandbox.Move) (sandbox.Move, error) {
	waiting, stop := a.untilTheEnd(ctx)
	defer stop()
	waited, err := a.sandbox.Await(waiting, keyOf(ctx).AccountID, m.ID, advanceWithin)
	if err != nil && !typus.Is(err, typus.NotFound) {
		return m, nil
	}
	return waited, err
}

// resetMeanwhile is the Conflict of whoever waits for the end of a move that is gone: nothing
// but a reset takes one that has just begun away.
func resetMeanwhile() error {
	const msg = "the world was reset meanwhile, which ended the move of its clock; read the clock before you move it on again"
	return &typus.Error{Kind: typus.Conflict, Msg: msg, Fields: []typus.Field{{Name: "clock", Code: typus.CodeWorldReset, Msg: msg}}}
}

// readAdvance is how far the clock is to be moved on. Invalid names everything wrong.
func (a *api) readAdvance(w http.ResponseWriter, r *http.Request) (time.Duration, error) {
	f, err := readForm(w, r, "advance")
	if err != nil {
		return 0, err
	}
	if r.Header.Get("Idempotency-Key") != "" {
		f.fault("Idempotency-Key", "is taken by invitations only; before you repeat a move, ask GET /api/test/clock whether it was made")
	}
	from := worldOf(r.Context()).WorldTime(a.clock.Now())
	to, ok := sandbox.Later(from, f.required("advance"))
	switch {
	case f.faulty["advance"]:
	case !ok:
		f.fault("advance", "must be an ISO 8601 duration above zero in whole units, such as P3D, P1W, P1M or PT36H")
	case to.After(sandbox.Latest(from)):
		f.fault("advance", "may be P1Y at most; the clock can be moved on again after that")
	}
	return to.Sub(from), invalid(f.faults)
}

// moveOfClock answers how far a move is.
func (a *api) moveOfClock(w http.ResponseWriter, r *http.Request) error {
	readQuery(w, r, nil, foreign{})
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return typus.Errorf(typus.NotFound, "the test world has made no such move of its clock since it was last reset")
	}
	m, err := a.sandbox.MoveOf(r.Context(), keyOf(r.Context()).AccountID, id)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, viewMove(m))
}

// untilTheEnd is a context that also ends when the server stops.
func (a *api) untilTheEnd(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-a.ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
