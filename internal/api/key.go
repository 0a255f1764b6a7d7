package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// How long the result of a look-up is remembered (our choice). A valid key is looked up
// again often enough that a revoked key is dead in under a second on every instance. An
// invalid key costs the database one query in five seconds, whether it is unknown,
// revoked or expired, so neither load nor time tells which of them it is.
const (
	openFor     = 500 * time.Millisecond
	refusedFor  = 5 * time.Second
	maxVerdicts = 10_000
	touchWithin = 200 * time.Millisecond
)

// keyring knows which keys open the API. It is safe for concurrent use.
type keyring struct {
	store *store.Store
	clock typus.Clock
	log   *slog.Logger

	mu       sync.Mutex
	verdicts map[string]verdict // by the key's hash
}

type verdict struct {
	key   typus.APIKey
	known bool
	at    time.Time
}

func newKeyring(s *store.Store, clock typus.Clock, log *slog.Logger) *keyring {
	return &keyring{store: s, clock: clock, log: log, verdicts: map[string]verdict{}}
}

// open returns the key of a request. Unauthorized if the key is missing, malformed,
// unknown, expired or revoked, always with the same text (API description 5.4). An
// expired or revoked key is returned beside the error, for the log of calls.
func (k *keyring) open(ctx context.Context, h http.Header) (typus.APIKey, error) {
	secret := bearer(h)
	if !auth.WellFormedAPIKey(secret) {
		return typus.APIKey{}, invalidKey()
	}
	hash, now := auth.Hash(secret), k.clock.Now()
	v, fresh := k.recall(hash, now)
	if !fresh {
		var err error
		if v, err = k.lookUp(ctx, hash, now); err != nil {
			return typus.APIKey{}, err
		}
	}
	if !v.known || !v.key.Live(now) {
		return v.key, invalidKey()
	}
	return v.key, nil
}

// invalidKey is what every call gets whose key does not open the API.
func invalidKey() error {
	return typus.Errorf(typus.Unauthorized, "the API key is missing or not valid; send the header Authorization: Bearer <API_KEY>")
}

// suspended is what every call with a key of a suspended account gets, whatever it asks for.
func suspended(k typus.APIKey) error {
	if k.SuspendedAt.IsZero() {
		return nil
	}
	return typus.Account{SuspendedAt: k.SuspendedAt}.Serving()
}

// bearer returns the key of the one Authorization header, "" if there is none.
// The scheme is matched without case (RFC 9110 11.1). A key anywhere else, such
// as in the query, is no key: addresses end up in logs.
func bearer(h http.Header) string {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, key, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(key, " ")
}

// recall returns a verdict that is not too old. A verdict from the future counts as too
// old: the clock was set back.
func (k *keyring) recall(hash string, now time.Time) (verdict, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.verdicts[hash]
	age, limit := now.Sub(v.at), refusedFor
	if v.known && v.key.Live(now) {
		limit = openFor
	}
	return v, ok && age >= 0 && age < limit
}

// lookUp asks the database and remembers the answer. When too many answers are
// remembered, all of them are forgotten; each key then costs one more look-up.
func (k *keyring) lookUp(ctx context.Context, hash string, now time.Time) (verdict, error) {
	key, err := k.store.APIKeyByHash(ctx, hash)
	if err != nil && !typus.Is(err, typus.NotFound) {
		return verdict{}, fmt.Errorf("api: look up a key: %w", err)
	}
	v := verdict{key: key, known: err == nil, at: now}
	if v.known && key.Live(now) {
		k.touch(ctx, key, now)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.verdicts) >= maxVerdicts {
		clear(k.verdicts)
	}
	k.verdicts[hash] = v
	return v, nil
}

// touch notes the minute in which the key was last used. A failure is only logged,
// because a client that reads must not be refused when the database cannot be written.
func (k *keyring) touch(ctx context.Context, key typus.APIKey, now time.Time) {
	minute := now.Truncate(time.Minute)
	if !key.LastUsedAt.Before(minute) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, touchWithin)
	defer cancel()
	err := k.store.InTx(ctx, func(tx *store.Tx) error {
		return tx.TouchAPIKey(ctx, key.AccountID, key.ID, minute)
	})
	if err != nil {
		k.log.WarnContext(ctx, "last use of a key not noted", "key", key.Fingerprint(), "error", err)
	}
}

type keyOfRequest struct{}

func withKey(ctx context.Context, k typus.APIKey) context.Context {
	return context.WithValue(ctx, keyOfRequest{}, k)
}

// keyOf is the key of the request. Behind the walls every request has one.
func keyOf(ctx context.Context) typus.APIKey { return ctx.Value(keyOfRequest{}).(typus.APIKey) }
