package dashboard

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/web"
)

// Every page of an account's own candidates, webhooks and keys is there for its test world
// too, at worldPath before the rest of its path. It is the same page, of another account;
// the address says which of both it is about, so that two tabs never mix.

// ofTheAccount are the beginnings of addresses that only an account itself has: what belongs
// to its users, and what holds in its test world as it is set for the account. Who reads a
// position, and before or after talking to somebody, is for people who are real.
var ofTheAccount = []string{
	welcomePath, creditsPath, rolesPath, teamPath, profilePath, accountPath, noticePath, sortingPath,
	lettersPath, readAllPath, accentPath, worldPath,
	positionsPath + "/{id}/mitglieder", positionsPath + "/{id}/interview",
}

// ofTheWorldToo are exceptions from ofTheAccount.
var ofTheWorldToo = []string{logPath}

// inWorlds reports whether a test world has the page or form of a route.
func (rt route) inWorlds() bool {
	below := func(path string) bool { return rt.pattern == path || strings.HasPrefix(rt.pattern, path+"/") }
	if !strings.HasPrefix(rt.pattern, homePath+"/") {
		return false
	}
	return slices.ContainsFunc(ofTheWorldToo, below) || !slices.ContainsFunc(ofTheAccount, below)
}

// worldly is the route for test worlds. Whoever invites candidates may work in it.
func (f *face) worldly(rt route) web.Route {
	if !rt.least.AtLeast(member) {
		rt.least = member
	}
	rt.world = true
	return web.Route{Method: rt.method, Pattern: worldPath + strings.TrimPrefix(rt.pattern, homePath), Handle: f.admit(rt)}
}

// enterWorld makes the visit one of the account's test world. NotFound: it has none yet.
func (f *face) enterWorld(v *visit) error {
	world, err := f.Store.World(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	v.Account, v.Reader, v.Trouble = world, v.Reader.In(world.ID), store.Trouble{}
	return nil
}

// at is a path of ours as the visit sees it: in a test world the world's, where it has such
// a page.
func (f *face) at(v *visit, path string) string {
	if !v.Account.IsWorld() || path == worldPath || strings.HasPrefix(path, worldPath+"/") {
		return path
	}
	if path == homePath {
		return worldPath
	}
	plain, _, _ := strings.Cut(path, "?")
	plain, _, _ = strings.Cut(plain, "#")
	rest, ours := strings.CutPrefix(plain, homePath+"/")
	if own := worldPath + "/" + rest; ours && (f.table.Answers(http.MethodGet, own) || f.table.Answers(http.MethodPost, own)) {
		return worldPath + strings.TrimPrefix(path, homePath)
	}
	return path
}

// ourLinks finds our addresses in a page: html/template escapes quotation marks in whatever
// comes from outside, so that no text can look like an attribute.
var ourLinks = regexp.MustCompile(`((?:href|action|src|data-state)=")(` + homePath + `(?:[/?#][^"]*)?)"`)

// renderWorld answers with a page of a test world: its times are the world's, and its links
// and forms stay in the world.
func (f *face) renderWorld(v *visit, status int, view page.View) error {
	body, err := f.pages.Page(v.lang, view)
	if err != nil {
		return err
	}
	body = ourLinks.ReplaceAllFunc(body, func(found []byte) []byte {
		parts := ourLinks.FindSubmatch(found)
		return slices.Concat(parts[1], []byte(f.at(v, string(parts[2]))), []byte(`"`))
	})
	page.Send(v.w, status, v.lang, body)
	return nil
}

// ofWorld leads from the live page of a candidate, which a webhook names, to that in the
// account's test world if the candidate is there; false if not.
func (f *face) ofWorld(v *visit, id int64) (bool, error) {
	if v.Account.IsWorld() || !v.may(member) {
		return false, nil
	}
	inside := *v
	err := f.enterWorld(&inside)
	if err == nil {
		_, err = f.aRow(&inside, id)
	}
	if typus.Is(err, typus.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.goOn(&inside, candidatePath(id))
}
