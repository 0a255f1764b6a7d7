package api

import (
	"context"
	"net/http"
	"slices"

	"typus"
	"typus/internal/store"
	"typus/internal/web"
)

// needs lets h answer only keys that may do it. It asks before anything is looked up, so that
// a refusal tells nothing about any candidate (our choice).
func needs(may func(typus.KeyScope) bool, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		scope := keyOf(r.Context()).Scope
		if !may(scope) {
			return insufficient(scope, "")
		}
		// What extra adds is about results, and links that lead to them (our choice).
		if !scope.ReadsResults() && slices.Contains(r.URL.Query()["include"], "extra") {
			return insufficient(scope, "; leave include=extra out")
		}
		return h(w, r)
	}
}

// insufficient is the refusal of a key that may do other things only.
func insufficient(scope typus.KeyScope, remedy string) error {
	may := map[typus.KeyScope]string{
		typus.ScopeInvite:        "this key may invite, and read nobody",
		typus.ScopeWithoutScores: "this key may read candidates without their results, and invite nobody",
	}[scope]
	if may == "" {
		may = "this key may do nothing here"
	}
	if remedy == "" {
		remedy = "; use another key"
	}
	return typus.Errorf(typus.Forbidden, "%s%s", may, remedy)
}

// within is the position that a key is limited to, as candidates name it: 0 for the
// account's default one, store.AnyPosition for none.
func within(k typus.APIKey) int64 {
	switch {
	case k.PositionID == 0:
		return store.AnyPosition
	case k.AtStandard:
		return 0
	}
	return k.PositionID
}

// reached reports whether a key may know of the candidates of a position.
func reached(k typus.APIKey, positionID int64) bool {
	own := within(k)
	return own == store.AnyPosition || own == positionID
}

// wrongPosition refuses an invitation to a position that the account does not have, or that
// is not the one of the key: that of a key limited to one is the same for both.
func wrongPosition(k typus.APIKey) error {
	if k.PositionID == 0 {
		return invalid([]typus.Field{unknownPosition})
	}
	fault := typus.Field{Name: "position", Code: typus.CodeInvalid, Msg: "is not the position that this key is limited to; leave it out"}
	return &typus.Error{Kind: typus.Forbidden, Msg: fault.Name + " " + fault.Msg, Fields: []typus.Field{fault}}
}

// shown are candidates as a request may read them, with the times of its world. Without their
// results nothing that is made of them can show any.
func shown(ctx context.Context, found ...typus.Candidate) []typus.Candidate {
	if !keyOf(ctx).Scope.ReadsResults() {
		for i := range found {
			found[i].Scores = nil
		}
	}
	return timed(worldOf(ctx), found...)
}
