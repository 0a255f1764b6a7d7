package browsertest

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// run does one thing in the tab, within patience.
func run[T any](tab *Tab, action chromedp.Action[T]) (T, error) {
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	return chromedp.Run(ctx, action)
}

func (tab *Tab) do(what string, step chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	if _, err := run(tab, step); err != nil {
		tab.t.Fatalf("%s: %v; so far the browser complains of %q", what, err, tab.Messages())
	}
}

// arrived is true on a page that is loaded and whose autofocus has been served. The
// browser does that with its first picture, which may come after the page is loaded: who
// goes on before it reads the wrong focus, or takes the focus first and is told so. A
// fragment of the address goes before autofocus, and what is not shown gets no focus
// (HTML, 6.6.7).
const arrived = `document.readyState === "complete" && (() => {
	const wants = document.querySelector("[autofocus]");
	return !wants || document.activeElement !== document.body || !wants.checkVisibility() || !!document.querySelector(":target");
})()`

// load does what leads to another page, and waits for that page.
func (tab *Tab) load(what string, step chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	tab.do(what, step)
	tab.WaitFor(arrived)
}

// leads is an action that leads to another page, until that page is loaded.
func leads(action chromedp.Action[chromedp.Void]) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.WaitEvent(page.LoadEventFired, nil, action)(ctx, target)
		return err
	})
}

// Eval returns the value of a JavaScript expression, as the developer tools
// would: the page's own policy neither helps nor hinders it.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	v, err := run(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.t.Fatalf("evaluate %.60s: %v", expression, err)
	}
	return v
}

// WaitFor waits until a JavaScript expression is true, and fails if it never is.
// The tab may be on its way to another page meanwhile.
func (tab *Tab) WaitFor(expression string) {
	tab.t.Helper()
	Await(tab, expression, true)
}

// Await waits until a JavaScript expression has a value, and fails if it never has:
// for whatever comes a moment after its cause. The tab may be on its way to another page
// meanwhile.
func Await[T comparable](tab *Tab, expression string, want T) {
	tab.t.Helper()
	var is T
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && tab.ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if is, err = run(tab, chromedp.Evaluate[T](expression)); err == nil && is == want {
			return
		}
	}
	at, _ := run(tab, chromedp.Evaluate[string]("location.href"))
	tab.t.Fatalf("%s stays %v (%v), not %v, at %s; the browser complains of %q", expression, is, err, want, at, tab.Messages())
}

// Arrive waits until a JavaScript expression is true on a page that has come by
// itself, and is complete: what Open and Follow wait for after their own cause.
func (tab *Tab) Arrive(expression string) {
	tab.t.Helper()
	tab.WaitFor("(" + expression + ") && " + arrived)
}
