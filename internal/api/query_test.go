package api_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestAMisspeltParameterIsNamedWithTheOneThatWasMeant(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"external_id":"x"}`)
	const list, one, invites = "/api/v1/candidates", "/api/v1/candidates/x", "/api/v1/invites"
	for _, c := range []struct{ path, name, meant string }{
		{list, "status[]", "status"}, {list, "status[0]", "status"}, {list, "status[", "status"}, {list, "limit[0]", "limit"},
		{list, " status", "status"}, {list, "status ", "status"}, {list, "Status", "status"}, {list, "STATUS", "status"},
		{list, "stauts", "status"}, {list, "statu", "status"}, {list, "statuss", "status"}, {list, "xstatus", "status"},
		{list, "\ufeffstatus", "status"}, {list, "\u00a0status", "status"}, {list, "status\r\n", "status"}, {list, "status\x00", "status"},
		{list, "externalId", "external_id"}, {list, "external.id", "external_id"}, {list, "external id", "external_id"},
		{list, "ExternalID[eq]", "external_id"}, {list, "external_ids", "external_id"}, {list, "limits", "limit"}, {list, "limt", "limit"},
		{list, "completed-since", "completed_since"}, {list, "completedsince[gte]", "completed_since"}, {list, "Cursor", "cursor"},
		{list, "include[]", "include"}, {list, "includes", "include"},
		{one, "By", "by"}, {one, "by[]", "by"}, {one, "bye", "by"}, {one, "Include", "include"}, {one, "inlcude", "include"},
		{invites, "include[]", "include"}, {invites, "inclde", "include"},
	} {
		sent := call{path: c.path + "?" + url.QueryEscape(c.name) + "=offen", invalid: true}
		if c.path == invites {
			sent.body = `{` + person + `}`
		}
		r := w.do(sent)
		p := parse[problem](t, r)
		if r.status != 400 || len(p.Errors) != 1 || p.Errors[0].Code != "unknown_field" || !strings.Contains(p.Errors[0].Message, fmt.Sprintf("%q", c.meant)) {
			t.Errorf("%s?%q: got %d %s, want the name %s", c.path, c.name, r.status, r.body, c.meant)
		}
	}
	for _, name := range []string{"page", "Page", "page[number]", "page[size]", "pages", "offset", "Offset", "ofset"} {
		r := w.do(call{path: list + "?" + url.QueryEscape(name) + "=2", invalid: true})
		if r.status != 400 || !strings.Contains(parse[problem](t, r).Detail, "follow the Link header") {
			t.Errorf("%s: got %d %s", name, r.status, r.body)
		}
	}
	if n := w.candidates(); n != 1 {
		t.Errorf("%d candidates came of refused invitations", n-1)
	}
}

func TestWhatIsIgnoredInAQueryIsNamedInTheAnswer(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"external_id":"x"}`)
	for _, c := range []struct{ path, want string }{
		{"/api/v1/candidates", ""},
		{"/api/v1/candidates?status=offen&limit=5", ""},
		{"/api/v1/candidates?sort=name&foo=1&foo=2", "foo, sort"},
		{"/api/v1/candidates?_=1764238830&by=id", "_, by"},
		{"/api/v1/candidates?%2C=2&page.offset=1", "%2C, page.offset"},
		{"/api/v1/candidates?M%C3%BCller=1&a%0D%0ASet-Cookie:+x=1&%FF=1", "M%C3%BCller, a%0D%0ASet-Cookie%3A+x, %FF"},
		{"/api/v1/candidates?" + long(100) + "=1", long(40)},
		{"/api/v1/candidates/x?status=offen&page=1", "page, status"},
		{"/api/v1/candidates/nobody?expand=all", "expand"},
		{"/api/v1/candidates?limit=0&expand=all", "expand"},
		{"/api/v1/invites?source=crm&lang=de", "lang, source"},
	} {
		sent := call{path: c.path, invalid: true}
		if strings.Contains(c.path, "invites") {
			sent.body = `{` + person + `}`
		}
		r := w.do(sent)
		if got := r.header.Get("X-Ignored-Parameters"); got != c.want || len(r.header.Values("X-Ignored-Parameters")) > 1 {
			t.Errorf("%s: got %d %q, want %q", c.path, r.status, got, c.want)
		}
	}
}

func TestAFieldOfAnInvitationInTheQueryIsSentToTheBody(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"name", "email", "external_id", "send_email", "sendEmail", "send_mail", "language", "role_profile"} {
		r := w.do(call{path: "/api/v1/invites?" + name + "=false", body: `{` + person + `}`, invalid: true})
		p := parse[problem](t, r)
		if r.status != 400 || len(p.Errors) != 1 || p.Errors[0].Field != name || p.Errors[0].Message != "belongs in the JSON body" {
			t.Errorf("%s: got %d %s", name, r.status, r.body)
		}
	}
	if n := w.candidates(); n != 0 {
		t.Errorf("%d candidates came of refused invitations", n)
	}
}

func TestAQueryOfOddNamesDoesNotBecomeALargerAnswer(t *testing.T) {
	w := newWorld(t)
	var odd, near []string
	for i := range 500 {
		odd = append(odd, url.QueryEscape(fmt.Sprintf("%d%s", i, strings.Repeat("\u202e", 10)))+"=1")
		near = append(near, fmt.Sprintf("limit[%d]=1", i))
	}
	r := w.do(call{path: "/api/v1/candidates?" + strings.Join(odd[:200], "&"), invalid: true})
	ignored := r.header.Get("X-Ignored-Parameters")
	if r.status != 200 || len(ignored) > 2500 || strings.Count(ignored, ", ") != 19 || !regexp.MustCompile(`^[!-~ ]+$`).MatchString(ignored) {
		t.Errorf("got %d and a header of %d bytes: %s", r.status, len(ignored), ignored)
	}
	r = w.do(call{path: "/api/v1/candidates?" + strings.Join(near, "&"), invalid: true})
	if n := len(parse[problem](t, r).Errors); r.status != 400 || n != 100 {
		t.Errorf("got %d with %d faults", r.status, n)
	}
}
