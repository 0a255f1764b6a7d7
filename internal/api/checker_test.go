package api_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"

	"typus/internal/api"
)

type quota = api.Quota

// unlimited is a limiter for tests that are about something else.
type unlimited struct{}

func (unlimited) Take(context.Context, int64) (api.Quota, error) {
	return api.Quota{Remaining: 99, Wait: 60e9}, nil
}

// checker holds every exchange against openapi.yaml: the answer always, the
// request unless the test says that it is wrong on purpose. Undeclared members
// and headers count as faults.
type checker struct {
	t    *testing.T
	next http.RoundTripper
}

func newChecker(t *testing.T, next http.RoundTripper) *checker { return &checker{t, next} }

var document = sync.OnceValues(func() (validator.Validator, error) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	doc, err := libopenapi.NewDocument(text)
	if err != nil {
		return nil, err
	}
	v, errs := validator.NewValidator(doc, config.WithFormatAssertions(), config.WithStrictMode(),
		config.WithStrictIgnoredHeadersExtra("Content-Security-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy",
			"Permissions-Policy", "Referrer-Policy", "Strict-Transport-Security", "X-Content-Type-Options", "Cache-Control", "X-Request-Id"))
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return v, nil
})

type invalidRequest struct{}

func withInvalidRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, invalidRequest{}, true)
}

// integerID is what the API takes and openapi.yaml only tells of in words: the
// generators of clients stop at a type of three.
var integerID = regexp.MustCompile(`"external_id":-?[0-9]`)

func (c *checker) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(sent))
	resp, err := c.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	again := func() *http.Response {
		r := *resp
		r.Body = io.NopCloser(bytes.NewReader(body))
		return &r
	}
	c.check(req, sent, again(), body)
	return again(), nil
}

func (c *checker) check(req *http.Request, sent []byte, resp *http.Response, body []byte) {
	c.t.Helper()
	if !declared(req) {
		c.checkProblem(resp, body)
		return
	}
	v, err := document()
	if err != nil {
		c.t.Fatal(err)
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(sent))
	validate := v.ValidateHttpRequestResponse
	if req.Context().Value(invalidRequest{}) != nil || integerID.Match(sent) {
		validate = v.ValidateHttpResponse
	}
	ok, faults := validate(req, resp)
	if ok {
		return
	}
	for _, f := range faults {
		c.t.Errorf("%s %s → %d is not what openapi.yaml says: %s: %s %v\n%s", req.Method, req.URL, resp.StatusCode, f.Message, f.Reason, f.SchemaValidationErrors, body)
	}
}

// declared reports whether openapi.yaml names the operation; the answers of
// other addresses and methods are problems too.
func declared(req *http.Request) bool {
	switch path := req.URL.EscapedPath(); {
	case path == "/api/v1/invites":
		return req.Method == "POST"
	case path == "/api/v1/candidates", path == "/api/test/events", path == "/api/test/letters":
		return req.Method == "GET"
	case path == "/api/test/clock":
		return req.Method == "GET" || req.Method == "POST"
	case path == "/api/test/credits", path == "/api/test/reset":
		return req.Method == "POST"
	case strings.HasPrefix(path, "/api/test/clock/") && strings.Count(path, "/") == 4 && !strings.HasSuffix(path, "/"):
		return req.Method == "GET"
	case strings.HasPrefix(path, "/api/v1/candidates/") && strings.Count(path, "/") == 4 && !strings.HasSuffix(path, "/"):
		return req.Method == "GET"
	}
	return false
}

// problem is the error body as a client reads it.
type problem struct {
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail"`
	OK        bool    `json:"ok"`
	Code      string  `json:"code"`
	Errors    []fault `json:"errors"`
	RequestID string  `json:"request_id"`
}

type fault struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (c *checker) checkProblem(resp *http.Response, body []byte) {
	c.t.Helper()
	if resp.StatusCode < 300 || resp.Request.Method == "HEAD" {
		return
	}
	var p problem
	if err := json.Unmarshal(body, &p, json.RejectUnknownMembers(true)); err != nil {
		c.t.Errorf("%d: the body is no problem: %v\n%s", resp.StatusCode, err, body)
	}
	if p.Status != resp.StatusCode || p.OK || p.Code == "" || p.Detail == "" || p.RequestID != resp.Header.Get("X-Request-Id") ||
		p.Type != baseURL+"/docs/errors#"+p.Code || !bytes.Contains(body, []byte(`"errors":[`)) {
		c.t.Errorf("%d: %s", resp.StatusCode, body)
	}
}

// invitation and candidate are the answers as a client reads them, to the letter.
type invitation struct {
	OK             bool    `json:"ok"`
	InviteURL      string  `json:"invite_url"`
	CandidateToken string  `json:"candidate_token"`
	ExternalID     *string `json:"external_id"`
	Extra          *extra  `json:"extra"`
}

type extra struct {
	ID          int64   `json:"id"`
	InviteURL   string  `json:"invite_url"`
	ReportURL   string  `json:"report_url"`
	Language    string  `json:"language"`
	RoleProfile string  `json:"role_profile"`
	StartedAt   *string `json:"started_at"`
	ExpiresAt   string  `json:"expires_at"`
	CancelledAt *string `json:"cancelled_at"`
	Mail        string  `json:"mail"`

	Instrument    *string   `json:"instrument"`
	OverallBand   *[2]int   `json:"overall_band"`
	FitBorderline *[]string `json:"fit_borderline"`
	Archetype     *struct {
		Secondary *struct {
			Key  string `json:"key"`
			Name string `json:"name"`
		} `json:"secondary"`
		Stability   int    `json:"stability"`
		SecondShare *int   `json:"second_share"`
		Level       string `json:"level"`
	} `json:"archetype"`
	Norm *struct {
		Key         string   `json:"key"`
		Kind        string   `json:"kind"`
		Reliability *float64 `json:"reliability"`
		Assumed     bool     `json:"assumed"`
	} `json:"norm"`
	Interpretable *bool `json:"interpretable"`
	Position      *struct {
		ID        int64   `json:"id"`
		Reference *string `json:"reference"`
		Name      string  `json:"name"`
	} `json:"position"`
}

type candidate struct {
	ID          int64   `json:"id"`
	ExternalID  *string `json:"external_id"`
	Name        string  `json:"name"`
	Email       string  `json:"email"`
	Status      string  `json:"status"`
	CreatedAt   string  `json:"created_at"`
	CompletedAt *string `json:"completed_at"`
	Scores      any     `json:"scores"`
	Extra       *extra  `json:"extra"`
}

type candidateList struct {
	Candidates []candidate `json:"candidates"`
}

// parse reads an answer and refuses members that the type does not name.
func parse[T any](t *testing.T, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.body), &v, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%d: %v\n%s", r.status, err, r.body)
	}
	return v
}
