package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/accounts"
	"typus/internal/store"
)

// closePositionView asks before a position is closed what becomes of its open invitations.
type closePositionView struct {
	frame
	Name, Path string
	What       *field // nil: there are no open invitations
}

// Template names the page.
func (closePositionView) Template() string { return "position_close" }

func (f *face) closePositionView(v *visit, p typus.Position, open store.Unbegun) closePositionView {
	view := closePositionView{frame: f.positionFrame(v, p), Name: f.positionName(v, p), Path: positionPath(p)}
	if open.Open > 0 {
		hint := f.say(v, "position.close.cancelHint")
		if open.Over > 0 {
			hint = f.sayCount(v, "position.close.cancelOver", open.Over) + " " + hint
		}
		view.What = &field{Name: "open", Label: "position.close.what", Options: []option{
			{Value: string(accounts.KeepOpen), Label: f.sayCount(v, "position.close.leave", open.Open), Hint: f.say(v, "position.close.leaveHint"), Chosen: true},
			{Value: string(accounts.CancelOpen), Label: f.sayCount(v, "position.close.cancel", open.All()), Hint: hint},
		}}
	}
	return view
}

// askClosePosition asks whether a position is to be closed.
func (f *face) askClosePosition(v *visit, p typus.Position) error {
	if p.State != typus.PositionOpen {
		return f.goOn(v, positionPath(p))
	}
	open, err := f.Store.CountUnbegun(v.Context(), v.Reader, p, f.now())
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, f.closePositionView(v, p, open))
}

// closePosition closes a position, and cancels its open invitations if the form says so.
func (f *face) closePosition(v *visit, p typus.Position) error {
	what := accounts.KeepOpen
	if v.PostFormValue("open") == string(accounts.CancelOpen) {
		what = accounts.CancelOpen
	}
	cancelled, err := f.Accounts.ClosePosition(v.Context(), v.Reader, p.ID, what, v.actor())
	switch {
	case err != nil:
		return err
	case cancelled > 0:
		return f.done(v, positionPath(p), f.sayCount(v, "position.closedCancelled", cancelled))
	}
	return f.done(v, positionPath(p), f.say(v, "position.closed"))
}

func (f *face) reopenPosition(v *visit, p typus.Position) error {
	err := f.Accounts.ReopenPosition(v.Context(), v.Reader, p.ID, v.actor())
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, positionPath(p), f.say(v, "position.reopenRole"))
	}
	if err != nil {
		return err
	}
	return f.done(v, positionPath(p), f.say(v, "position.reopened"))
}

// archivePosition takes a closed position out of the lists. One that somebody else has
// opened again stays as it is, and its page says so.
func (f *face) archivePosition(v *visit, p typus.Position) error {
	err := f.Accounts.ArchivePosition(v.Context(), v.Reader, p.ID, v.actor())
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, positionPath(p), f.say(v, "position.archiveOpen"))
	}
	if err != nil {
		return err
	}
	return f.done(v, positionPath(p), f.say(v, "position.archived"))
}
