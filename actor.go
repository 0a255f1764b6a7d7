package typus

import "context"

// Actor is who does something, as the audit log names them, and by which request.
type Actor struct {
	Name      string // "operator", "candidate", "api key <fingerprint>" or a user's e-mail
	UserID    int64  // 0 for anybody but a user
	IP        string // where the request came from, "" outside a request
	RequestID string // "" outside a request
	Form      string // names the form that was sent, with what was typed; "" for none. Steps that make something anew say that the same one makes one thing
}

type actorKey struct{}

// WithActor names who a request comes from. Lines of the audit log that are
// written under the returned context and name no user of their own carry it.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns what WithActor has set, the zero Actor where nobody has.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
