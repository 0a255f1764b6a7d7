// Package browsertest looks at pages with a real Chromium.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience bounds each thing that a tab does. It is only there to end a test that has
// failed, and long enough for a machine that has much else to do.
const patience = 5 * time.Minute

// Browser is a running Chromium that asks nobody for anything unbidden.
type Browser struct{ ctx context.Context }

// shared is the Chromium of all tests of a package whose TestMain calls Run.
var shared struct {
	wanted  bool
	mu      sync.Mutex
	browser *Browser
	stop    func()
}

// Run runs the tests of a package, which share one Chromium: to start one takes as much as to
// open four pages. The first test that wants it starts it, and a later one starts another
// should it have ended; each tab has a profile of its own anyway. It returns the exit code.
func Run(m *testing.M) int {
	shared.wanted = true
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	return code
}

// New is the Chromium of the package, or without Run one that ends with the test. Where none
// is installed the test is skipped, except in CI, where it fails. With -short it is skipped.
func New(t testing.TB) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser: not with -short")
	}
	path := find(t)
	if !shared.wanted {
		browser, stop := start(t, path)
		t.Cleanup(stop)
		return browser
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.browser == nil || shared.browser.ctx.Err() != nil {
		shared.browser, shared.stop = start(t, path)
	}
	return shared.browser
}

func start(t testing.TB, path string) (*Browser, func()) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // the sandbox cannot be had as root, which is what CI runs as
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	end := func() { cancel(); stop() }
	if err := chromedp.Do(ctx); err != nil {
		end()
		t.Fatalf("start %s: %v", path, err)
	}
	return &Browser{ctx: ctx}, end
}

// find prefers Chromium without its windows, which takes little more than half the time.
func find(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no Chromium on the PATH: install chromium-headless-shell")
	}
	t.Skip("no Chromium on the PATH: install chromium-headless-shell to run this test")
	return ""
}
