package typus

import "context"

// The names of who is no user and has no key. They are stored, so they must not change.
const (
	ActorOperator  = "operator"  // whoever runs this server, by the command line
	ActorCandidate = "candidate" // whose test it is
	ActorServer    = "server"    // by itself, because something was due
	ActorStranger  = ""          // who is not logged in
)

// Actor is who does something, as the audit log names them, and by which request.
type Actor struct {
	Name      string // "operator", "candidate", "api key <fingerprint>" or a user's e-mail
	UserID    int64  // 0 for anybody but a user
	IP        string // where the request came from, "" outside a request
	RequestID string // "" outside a request
	Form      string // names the form that was sent, with what was typed; "" for none. Steps that make something anew say that the same one makes one thing
}

type actorKey struct{}

// WithActor says who a request comes from. A line of the audit log that is written
// under the returned context carries this actor unless it names a user of its own.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns what WithActor has set, the zero Actor where nobody has.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
