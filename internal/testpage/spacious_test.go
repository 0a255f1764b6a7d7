package testpage

import (
	"os"
	"slices"
	"strings"
	"testing"

	"typus/internal/page"
	"typus/internal/page/browsertest"
)

// larger sets what a reader may set: the spacing of text (WCAG 1.4.12), its size (1.4.4),
// or both.
var larger = map[string]string{
	"wide text":          spacing,
	"text of 200 %":      twice,
	"wide text of 200 %": spacing + twice,
}

const (
	spacing = `*, ::before, ::after { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-block-end: 2em !important } `
	twice   = `:root { font-size: 200% !important }`
)

// cut are the texts of which a part is off the screen, behind an edge that hides it, beside the
// box that it belongs to, or under another text.
const cut = `(() => {
	const found = [], lines = [], screen = document.documentElement.clientWidth;
	const name = (e, text) => e.tagName.toLowerCase() + (e.className && typeof e.className === "string" ? "." + e.className : "") + " " + JSON.stringify(text.trim().slice(0, 40));
	const unseen = (e) => e.closest(".unseen, .skip-link, svg, script, style, option") !== null;
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const text = walker.currentNode, e = text.parentElement;
		if (text.data.trim() === "" || unseen(e) || !e.checkVisibility({ visibilityProperty: true })) continue;
		const range = document.createRange();
		range.selectNodeContents(text);
		const parts = [...range.getClientRects()].filter((r) => r.width > 1 && r.height > 1);
		const stuck = e.closest(".actions-near") !== null;
		for (const r of parts) {
			if (r.left < -1 || r.right > screen + 1) found.push("off the screen: " + name(e, text.data));
			for (let box = e; box !== document.body; box = box.parentElement) {
				const style = getComputedStyle(box), b = box.getBoundingClientRect();
				if (style.display === "inline" || style.display === "contents") continue;
				if (r.left < b.left - 1 || r.right > b.right + 1) { found.push("beside " + name(box, "") + ": " + name(e, text.data)); break; }
				if (style.overflowY !== "visible" && style.overflowY !== "auto" && (r.top < b.top - 3 || r.bottom > b.bottom + 3)) { found.push("cut by " + name(box, "") + ": " + name(e, text.data)); break; }
			}
			if (!stuck) lines.push({ r, e, text: text.data, node: text });
		}
	}
	for (let i = 0; i < lines.length; i++) for (let j = i + 1; j < lines.length; j++) {
		const a = lines[i], b = lines[j];
		if (a.node === b.node) continue;
		const wide = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left), high = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
		if (wide > 3 && high > 6) found.push(name(a.e, a.text) + " and " + name(b.e, b.text) + " lie over each other");
	}
	return [...new Set(found)];
})()`

// grown is what is wrong with a page in larger text.
type grown struct {
	Wider int      `json:"wider"`
	Cut   []string `json:"cut"`
}

// grownOf asks for all of it at once, which costs little more than one question.
const grownOf = "({wider: " + browsertest.Wider + ", cut: " + cut + "})"

// Whoever needs wide or large text loses none of it on a small phone, on any page.
func TestNothingIsCutWhereTextIsWideAndLarge(t *testing.T) {
	browser := browsertest.New(t)
	server, names := gallery(t, persona{"Kim Beispiel", "Muster Software GmbH", "owner@example.com"})
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, os.Getenv("TYPUS_PAGES")) })
	for _, lang := range page.Languages() {
		for some := range slices.Chunk(names, 20) {
			t.Run(lang+"/"+some[0], func(t *testing.T) {
				t.Parallel()
				tab := browser.Tab(t, browsertest.Look{Width: 320, Height: 640})
				for _, name := range some {
					tab.Open(server + "/page/" + lang + "/" + name)
					for what, style := range larger {
						is := browsertest.Eval[grown](tab, "(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync(`"+style+"`); document.adoptedStyleSheets = [sheet]; return "+grownOf+" })()")
						if is.Wider > 0 {
							t.Errorf("%s with %s is %d px wider than the screen", name, what, is.Wider)
						}
						for _, text := range is.Cut {
							t.Errorf("%s with %s: %s", name, what, text)
						}
						if shots := os.Getenv("TYPUS_SHOTS"); shots != "" {
							tab.Screenshot(shots + "/large-" + lang + "-" + name + "-" + strings.ReplaceAll(what, " ", "") + ".png")
						}
					}
				}
			})
		}
	}
}
