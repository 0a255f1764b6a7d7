package testpage

import (
	"fmt"
	"strings"

	"typus/internal/page/browsertest"
)

// phone is the tab of most tests.
var phone = browsertest.Look{Width: 390, Height: 844}

// hand is a person in front of a tab that runs the script.
type hand struct {
	*browsertest.Tab
	w *world
}

func (w *world) hand(b *browsertest.Browser, look browsertest.Look) hand {
	return hand{b.Tab(w.T, look), w}
}

func (h hand) beside() hand { return hand{h.Beside(), h.w} }

// visit opens a page of a test.
func (h hand) visit(token, path string) {
	h.w.Helper()
	h.Open(h.w.server.URL + "/t/" + token + path)
}

// arrive waits until the tab is on a page and that page is complete.
func (h hand) arrive(suffix string) {
	h.w.Helper()
	h.Arrive(fmt.Sprintf("location.pathname.endsWith(%q)", suffix))
}

func (h hand) press(button string) {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, fmt.Sprintf("document.querySelector('[value=%s]').click()", button))
}

func (h hand) choose(value int) {
	h.w.Helper()
	browsertest.Eval[any](h.Tab, fmt.Sprintf("document.getElementById('antwort-%d').click()", value))
}

// wait waits until the status line begins with a text and nothing is on its way.
func (h hand) wait(text string) {
	h.w.Helper()
	h.WaitFor(fmt.Sprintf("document.querySelector('[role=status]').textContent.startsWith(%q)", text))
}

// sent waits until this browser keeps nothing any more.
func (h hand) sent() {
	h.w.Helper()
	h.WaitFor("localStorage.length == 0")
}

const heading = "document.querySelector('h1').textContent"

// chosen is the chosen answer, 0 for none.
func (h hand) chosen() int {
	h.w.Helper()
	return browsertest.Eval[int](h.Tab, "Number(document.querySelector('input:checked')?.value ?? 0)")
}

// bar is what the progress bar counts.
func (h hand) bar() int {
	h.w.Helper()
	return browsertest.Eval[int](h.Tab, "document.querySelector('progress').value")
}

// shows waits until the tab is on an item, in the address, the heading and the title.
// A page out of the browser's memory loads itself again meanwhile.
func (h hand) shows(number int) {
	h.w.Helper()
	h.arrive(fmt.Sprintf("/frage/%d", number))
	browsertest.Await(h.Tab, heading, shown(h.w.Instrument.Text("de", h.w.Instrument.Items()[number-1].ID)))
	browsertest.Await(h.Tab, "document.title", fmt.Sprintf("Aussage %d von 97 · Muster Software GmbH", number))
}

// silent fails if the browser complained or asked anybody else. The statuses and
// the lost connections that a test provokes are named.
func (h hand) silent(expected ...string) {
	h.w.Helper()
message:
	for _, message := range h.Messages() {
		for _, e := range expected {
			if strings.Contains(message, e) {
				continue message
			}
		}
		h.w.Errorf("the browser complains: %s", message)
	}
	for _, address := range h.Requests() {
		if !strings.HasPrefix(address, h.w.server.URL+"/") {
			h.w.Errorf("a request went to %s", address)
		}
	}
}

const cutOff = "ERR_INTERNET_DISCONNECTED"
