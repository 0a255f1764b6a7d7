package browsertest

import (
	"bytes"
	"image"
	"image/png"

	"github.com/chromedp/chromedp"
)

// Picture is what the first element of a selector looks like on the screen.
func (tab *Tab) Picture(selector string) image.Image {
	tab.t.Helper()
	shot, err := run(tab, chromedp.Screenshot(chromedp.CSS(selector)))
	if err != nil {
		tab.t.Fatalf("picture of %s: %v", selector, err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		tab.t.Fatal(err)
	}
	return picture
}

// Inkless are the pictures of the page that are shown and cannot be seen: smaller
// than 8 pixels inside their padding, not loaded, or drawn with nothing that differs
// from what lies behind.
func (tab *Tab) Inkless() []string {
	tab.t.Helper()
	return Eval[[]string](tab, inkless)
}

const inkless = `(() => {
	const clear = c => c === "none" || c === "transparent" || /^rgba.*[,/] ?0\)$/.test(c);
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!clear(c)) return c; } return "rgb(255, 255, 255)"; };
	const inner = e => {
		const s = getComputedStyle(e), b = e.getBoundingClientRect();
		return [b.width - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight), b.height - parseFloat(s.paddingTop) - parseFloat(s.paddingBottom)];
	};
	const inked = (shape, ground) => {
		const s = getComputedStyle(shape), b = shape.getBoundingClientRect();
		const ink = [s.fill, parseFloat(s.strokeWidth) > 0 ? s.stroke : "none"].some(c => !clear(c) && c !== ground);
		return ink && b.width + b.height > 0 && parseFloat(s.opacity) > 0 && s.visibility === "visible";
	};
	return [...document.querySelectorAll("svg, img, canvas")]
		.filter(e => e.checkVisibility() && !e.parentElement.closest("svg, .unseen"))
		.filter(e => !(e.firstElementChild && [...e.children].every(c => c.tagName === "defs"))) // drawings for others to use
		.filter(e => {
			if (Math.min(...inner(e)) < 8) return true;
			if (e.tagName === "IMG") return !e.complete || e.naturalWidth === 0;
			if (e.tagName === "CANVAS") return false;
			const ground = behind(e);
			return ![...e.querySelectorAll("path, rect, circle, ellipse, line, polyline, polygon, text, use")].some(shape => inked(shape, ground));
		})
		.map(e => e.tagName.toLowerCase() + "." + (e.getAttribute("class") ?? "") + " in " + e.parentElement.outerHTML.slice(0, 80));
})()`
