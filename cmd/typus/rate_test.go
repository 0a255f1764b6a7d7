package main

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"typus/internal/store/storetest"
)

// API description 8: 100 requests per minute and key, however many servers answer them.
func TestThreeServersOnOneDatabaseLetAHundredRequestsPass(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + storetest.Postgres(t), "TYPUS_SECRET_KEY=0123456789abcdef0123456789abcdef"}
	servers := []*process{serve(t, environ), serve(t, environ), serve(t, environ)}
	must[id](t, environ, "account", "create", "--name", "A")
	key := must[newKey](t, environ, "key", "create", "--account", "1", "--name", "k").Key

	var passed, refused atomic.Int64
	var wg sync.WaitGroup
	for n := range 30 {
		wg.Go(func() {
			for i := range 5 {
				req, err := http.NewRequest(http.MethodGet, servers[(n+i)%3].base+"/api/v1/candidates", nil)
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+key)
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
				switch resp.StatusCode {
				case http.StatusOK:
					passed.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if passed.Load() != 100 || refused.Load() != 50 {
		t.Errorf("%d passed and %d were refused of 150, want 100 and 50", passed.Load(), refused.Load())
	}
}
