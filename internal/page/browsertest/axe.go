package browsertest

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// axeRun checks the page against everything that axe knows of WCAG A and AA and
// its own good practices, and names each violation with its first place.
const axeRun = `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v =>
	v.id + ": " + v.help + " (" + v.nodes.length + "x, " + v.nodes[0].target.join(" ") + ") " + (v.nodes[0].failureSummary || "")))`

// Axe returns what axe-core objects to in the page. The checker lives in the tab
// from then on, in this page and the next ones; messages are better read before.
func (tab *Tab) Axe() []string {
	tab.t.Helper()
	if !tab.checker {
		tab.before("load axe-core", quick(axe(tab.t)), true)
		tab.checker = true
	}
	return Eval[[]string](tab, axeRun)
}

// Before runs a script in each page that the tab opens from now on, before the page's own.
func (tab *Tab) Before(script string) {
	tab.t.Helper()
	tab.before("run a script before those of a page", script, false)
}

// before is Before, and with now in the page that is open, too.
func (tab *Tab) before(what, script string, now bool) {
	tab.t.Helper()
	tab.do(what, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script, RunImmediately: &now})
		return err
	}))
}

// axe returns the source of axe-core, the accessibility checker, which `make
// tools` puts into the module's .cache. Without it the test is skipped, except in
// CI, where it fails.
func axe(t testing.TB) string {
	t.Helper()
	source, err := fs.ReadFile(os.DirFS(root(t)), ".cache/npm/node_modules/axe-core/axe.min.js")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("no axe-core: run make tools: %v", err)
	} else if err != nil {
		t.Skipf("no axe-core: run make tools: %v", err)
	}
	return string(source)
}

// quick makes axe from its source so that it finds the same in a fifth of the time. It is
// translated for old browsers: each private field of a colour is in a WeakMap of all colours,
// which takes longer the larger it grows. And it reads each colour of each element from text.
func quick(source string) string {
	return "(function (WeakMap, WeakSet) {" + source + "\n})(" + inObjects + ");" + coloursOnce
}

// inObjects are a WeakMap and a WeakSet that keep what they know of an object in the object.
const inObjects = `...(() => {
	class Quick {
		#key = Symbol();
		has(of) { return Object.hasOwn(of, this.#key); }
		get(of) { return Object.hasOwn(of, this.#key) ? of[this.#key] : undefined; }
		set(of, value) { of[this.#key] = value; return this; }
		add(of) { return this.set(of, true); }
		delete(of) { return this.has(of) && delete of[this.#key]; }
	}
	return [Quick, Quick];
})()`

// coloursOnce has each text of a colour read once.
const coloursOnce = `(() => {
	const color = axe.commons.color.Color.prototype, parse = color.parseString, known = new Map();
	color.parseString = function (text) {
		if (!known.has(text)) {
			parse.call(this, text);
			known.set(text, [this.r, this.g, this.b, this.alpha]);
		}
		[this.r, this.g, this.b, this.alpha] = known.get(text);
		return this;
	};
})()`

// root is the directory of go.mod, found upwards from the test's.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
