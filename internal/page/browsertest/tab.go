package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Look is how a tab sees pages.
type Look struct {
	Width    int // CSS pixels; 0: 1280
	Height   int // 0: 800
	Dark     bool
	NoScript bool
	Forced   bool   // the system's own few colours
	Print    bool   // as on paper
	Zone     string // IANA name of the reader's time zone; "": the machine's
}

// String names the look, for test names and files.
func (l Look) String() string {
	theme := "light"
	if l.Dark {
		theme = "dark"
	}
	switch {
	case l.Print:
		theme = "print"
	case l.Forced:
		theme = "forced"
	}
	return fmt.Sprintf("%d-%s", l.width(), theme)
}

func (l Look) width() int {
	if l.Width == 0 {
		return 1280
	}
	return l.Width
}

func (l Look) height() int {
	if l.Height == 0 {
		return 800
	}
	return l.Height
}

// Tab is one tab of the browser. It notes every message of the console
// and every request. A failure of the browser ends the test.
type Tab struct {
	t        testing.TB
	ctx      context.Context
	look     Look
	mu       sync.Mutex
	messages []string
	requests []string
	checker  bool // axe-core is loaded
}

// Tab opens a tab that closes with the test, in a profile of its own: no cookies,
// no storage.
func (b *Browser) Tab(t testing.TB, look Look) *Tab {
	t.Helper()
	return open(t, b.ctx, look, chromedp.WithNewBrowserContext())
}

// Beside opens another tab in the same profile.
func (tab *Tab) Beside() *Tab {
	tab.t.Helper()
	return open(tab.t, tab.ctx, tab.look)
}

func open(t testing.TB, parent context.Context, look Look, options ...chromedp.ContextOption) *Tab {
	t.Helper()
	tab := &Tab{t: t, look: look}
	ctx, cancel := chromedp.NewContext(parent, append(options, chromedp.WithListener(tab.note))...)
	t.Cleanup(cancel)
	tab.ctx = ctx
	if err := chromedp.Do(ctx); err != nil { // a bound on what opens the tab would bound the tab
		t.Fatalf("open a tab: %v", err)
	}
	tab.see("look at it")
	return tab
}

// Turn shows the page that is open, and the next ones, in another look. It is not
// loaded again.
func (tab *Tab) Turn(look Look) {
	tab.t.Helper()
	before := tab.look
	tab.look = look
	if before.Width, before.Height = look.Width, look.Height; before == look {
		tab.do("size to "+look.String(), chromedp.Func(tab.size))
		return
	}
	tab.see("turn to " + look.String())
}

func (tab *Tab) see(what string) {
	tab.t.Helper()
	tab.do(what, chromedp.Func(tab.prepare))
}

// prepare gives the tab its look.
func (tab *Tab) prepare(ctx context.Context, target *chromedp.Target) error {
	scheme := "light"
	if tab.look.Dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},     //nolint:misspell // CSS is American
		{Name: "prefers-reduced-motion", Value: "reduce"}, // a picture of a transition is a picture of nothing
	}}
	if tab.look.Forced {
		media.Features = append(media.Features, &emulation.MediaFeature{Name: "forced-colors", Value: "active"}) //nolint:misspell // CSS is American
	}
	if tab.look.Print {
		media.Media = "print"
	}
	_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, media)
	if err != nil {
		return err
	}
	// Only one tab of a machine has the focus; to the pages each of ours has.
	_, err = cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	if err != nil {
		return err
	}
	_, err = cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: tab.look.NoScript})
	if err != nil {
		return err
	}
	if tab.look.Zone != "" {
		_, err = cdp.Call(ctx, target, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: tab.look.Zone})
		if err != nil {
			return err
		}
	}
	return tab.size(ctx, target)
}

// size gives the tab the width and height of its look.
func (tab *Tab) size(ctx context.Context, target *chromedp.Target) error {
	_, err := cdp.Call(ctx, target, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(tab.look.width()), Height: int64(tab.look.height()), DeviceScaleFactor: 1,
	})
	return err
}

func (tab *Tab) note(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		tab.requests = append(tab.requests, e.Request.URL)
	case *log.EventEntryAdded:
		tab.messages = append(tab.messages, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
	case *runtime.EventConsoleAPICalled:
		tab.messages = append(tab.messages, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		tab.messages = append(tab.messages, "exception: "+e.ExceptionDetails.Text)
	case *page.EventJavascriptDialogOpening:
		tab.messages = append(tab.messages, "dialog: "+e.Message)
	}
}

// Open goes to an address and waits for the page.
func (tab *Tab) Open(url string) {
	tab.t.Helper()
	tab.load("open "+url, chromedp.Navigate(url))
}

// Look is how the tab sees pages.
func (tab *Tab) Look() Look { return tab.look }

// Reload loads the page again and waits for it.
func (tab *Tab) Reload() {
	tab.t.Helper()
	tab.load("reload", chromedp.Reload())
}

// Go goes so many pages on in the tab's history, or back. The next page may be there before the
// one that is left has answered; whoever calls waits for it (Arrive).
func (tab *Tab) Go(pages int) {
	tab.t.Helper()
	_, err := run(tab, chromedp.Evaluate[any](fmt.Sprintf("history.go(%d)", pages)))
	if err != nil && !strings.Contains(err.Error(), "Inspected target navigated") {
		tab.t.Fatalf("go %d pages on: %v", pages, err)
	}
}

// Click clicks the first element of a selector.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	tab.do("click "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// Focus puts the focus on the first element of a selector.
func (tab *Tab) Focus(selector string) {
	tab.t.Helper()
	tab.do("focus "+selector, chromedp.Focus(chromedp.CSS(selector)))
}

// Follow clicks an element that leads to another page and waits for that page.
func (tab *Tab) Follow(selector string) {
	tab.t.Helper()
	tab.load("follow "+selector, leads(chromedp.Click(chromedp.CSS(selector))))
}

// Upload chooses a file in a file input.
func (tab *Tab) Upload(selector, file string) {
	tab.t.Helper()
	tab.do("choose a file in "+selector, chromedp.SetUploadFiles(chromedp.CSS(selector), []string{file}))
}

// Press sends keys to whatever has the focus.
func (tab *Tab) Press(keys string) {
	tab.t.Helper()
	tab.do("press keys", chromedp.KeyEvent(keys))
}

// PressThrough sends keys that lead to another page and waits for that page.
func (tab *Tab) PressThrough(keys string) {
	tab.t.Helper()
	tab.load("press keys", leads(chromedp.KeyEvent(keys)))
}

// Location is the address of the page.
func (tab *Tab) Location() string { return Eval[string](tab, "location.href") }

// Cookie gives the tab a cookie for a site, as if an answer of it had set it.
func (tab *Tab) Cookie(site, name, value string) {
	tab.t.Helper()
	tab.do("set a cookie", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: site})
		return err
	}))
}

// Offline cuts the tab off from the network, or connects it again.
func (tab *Tab) Offline(off bool) {
	tab.t.Helper()
	conditions := &network.Conditions{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}
	state := network.OverrideNetworkStateParams{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}
	tab.do("change the network", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{conditions}})
		if err == nil {
			_, err = cdp.Call(ctx, target, network.OverrideNetworkState, state)
		}
		return err
	}))
}

// Wider is the expression of Overflow, for whoever asks for more at once.
const Wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

// Overflow is by how many pixels the page is wider than the tab.
func (tab *Tab) Overflow() int {
	tab.t.Helper()
	return Eval[int](tab, Wider)
}

// Messages are all that the browser complained about so far: console, security
// policy, exceptions, and the boxes that scripts open. Such a box stops the tab.
func (tab *Tab) Messages() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return append([]string(nil), tab.messages...)
}

// Requests are the addresses of all requests so far.
func (tab *Tab) Requests() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return append([]string(nil), tab.requests...)
}

// Forget drops the messages and requests noted so far.
func (tab *Tab) Forget() {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.messages, tab.requests = nil, nil
}

// Screenshot writes the whole page, as long as it is, to a PNG file.
func (tab *Tab) Screenshot(file string) {
	tab.t.Helper()
	png, err := run(tab, chromedp.FullScreenshot(100))
	if err != nil {
		tab.t.Fatalf("screenshot: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		tab.t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o600); err != nil {
		tab.t.Fatal(err)
	}
}
