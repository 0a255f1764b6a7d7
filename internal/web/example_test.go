package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"typus"
	"typus/internal/web"
)

// A handler returns its error; one function answers all of them.
func ExampleNewRoutes() {
	fail := func(w http.ResponseWriter, _ *http.Request, err error) {
		w.WriteHeader(web.Status(err))
		fmt.Fprint(w, err)
	}
	routes := web.NewRoutes(fail, web.Route{Method: "GET", Pattern: "/people/{id}", Handle: func(w http.ResponseWriter, r *http.Request) error {
		if r.PathValue("id") != "1" {
			return typus.Errorf(typus.NotFound, "there is nobody with the number %s", r.PathValue("id"))
		}
		fmt.Fprint(w, "Anna Beispiel")
		return nil
	}})
	for _, call := range []struct{ method, path string }{{"GET", "/people/1"}, {"GET", "/people/2"}, {"GET", "/cats"}, {"DELETE", "/people/1"}} {
		answer := httptest.NewRecorder()
		routes.ServeHTTP(answer, httptest.NewRequest(call.method, call.path, nil))
		fmt.Println(call.method, call.path, answer.Code, answer.Body)
	}
	// Output:
	// GET /people/1 200 Anna Beispiel
	// GET /people/2 404 not found: there is nobody with the number 2
	// GET /cats 404 not found: there is nothing at this address
	// DELETE /people/1 405 this address answers GET, HEAD only
}
