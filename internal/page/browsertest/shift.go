package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Moves opens a page and lets it come once more, line by line with a frame painted after
// each, as over a slow connection or on a busy machine. It returns what stood in its main part
// and moved meanwhile (a layout shift, https://wicg.github.io/layout-instability/): nothing, if
// what comes later leaves alone what is being read. The head and the foot are not read then.
func (tab *Tab) Moves(url string) []string {
	tab.t.Helper()
	tab.do("set the policy aside", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
		return err // the policy lets nobody write a document
	}))
	tab.Open(url)
	return Eval[[]string](tab, arriveSlowly)
}

const arriveSlowly = `(async () => {
	const lines = (await (await fetch(location.href)).text()).split(/(?<=\n)/);
	const main = lines.findIndex((line) => line.includes("<main"));
	const head = lines.findIndex((line) => line.includes("</head>")) + 1;
	const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
	document.open();
	document.write(...lines.slice(0, head)); // up to here nothing is painted
	await Promise.all([...document.querySelectorAll("link[rel=stylesheet]")]
		.map((link) => link.sheet || new Promise((done) => link.addEventListener("load", done))));
	const moves = [];
	const named = (node) => node && (node.className ? node.localName + "." + node.className : node.nodeName.toLowerCase());
	const observer = new PerformanceObserver((list) => note(list.getEntries()));
	const read = (node) => document.querySelector("main")?.contains(node);
	const note = (entries) => {
		const moved = entries.flatMap((entry) => entry.sources).map((source) => source.node).filter(read).map(named);
		if (moved.length > 0) moves.push(lines[at].trim().slice(0, 60) + " moves " + moved.join(", "));
	};
	observer.observe({type: "layout-shift"});
	document.write(...lines.slice(head, main));
	let at = main;
	for (; at < lines.length; at++) {
		document.write(lines[at]);
		await painted();
		note(observer.takeRecords());
	}
	document.close();
	await painted();
	at--;
	note(observer.takeRecords());
	observer.disconnect();
	return moves;
})()`
