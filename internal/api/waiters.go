package api

import (
	"sync"

	"typus"
)

// maxWaiters is how many calls of a key may wait at once (our choice): a program, its
// neighbours, and those that it has given up and the server has not noticed yet.
const maxWaiters = 5

// waiters counts the calls of each key that wait for something in this process. It is safe
// for concurrent use.
type waiters struct {
	mu sync.Mutex
	of map[int64]int
}

// enter counts a call of a key, which leaves once it is answered. TooMany.
func (w *waiters) enter(keyID int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[keyID] >= maxWaiters {
		return typus.Errorf(typus.TooMany, "%d calls of this key wait for an event already; end one of them, or ask without wait", maxWaiters)
	}
	w.of[keyID]++
	return nil
}

func (w *waiters) leave(keyID int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[keyID]--; w.of[keyID] == 0 {
		delete(w.of, keyID)
	}
}
