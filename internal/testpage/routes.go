package testpage

import "typus/internal/web"

// routes are all addresses of a test, and of the public links that lead to one. GET and HEAD
// change nothing, whether a reader or a scanner opens the page. Everything that changes
// something is a POST and answers with a redirect. The word before each handler says how far
// the test must have come.
func (f *face) routes() *web.Routes {
	return web.NewRoutes(f.fail,
		web.Route{Method: "GET", Pattern: "/t/{token}", Handle: f.live(f.start)},
		web.Route{Method: "GET", Pattern: "/t/{token}/start", Handle: f.live(f.start)},
		web.Route{Method: "POST", Pattern: "/t/{token}/start", Handle: f.live(f.orWaiting(f.begin))},
		web.Route{Method: "GET", Pattern: "/t/{token}/frueher", Handle: f.unbegun(f.earlier)},
		web.Route{Method: "POST", Pattern: "/t/{token}/frueher", Handle: f.known(f.orWaiting(f.takeOver))},
		web.Route{Method: "GET", Pattern: "/t/{token}/frueher/code", Handle: f.unbegun(f.earlierCode)},
		web.Route{Method: "POST", Pattern: "/t/{token}/frueher/code", Handle: f.unbegun(f.enterEarlierCode)},
		web.Route{Method: "POST", Pattern: "/t/{token}/frueher/code/senden", Handle: f.unbegun(f.sendEarlierCode)},
		web.Route{Method: "GET", Pattern: "/t/{token}/probe", Handle: f.begun(f.practice)},
		web.Route{Method: "POST", Pattern: "/t/{token}/probe", Handle: f.begun(f.practised)},
		web.Route{Method: "GET", Pattern: "/t/{token}/frage/{n}", Handle: f.begun(f.item)},
		web.Route{Method: "POST", Pattern: "/t/{token}/frage/{n}", Handle: f.begun(f.answer)},
		web.Route{Method: "POST", Pattern: "/t/{token}/antworten", Handle: forScript(f.save)},
		web.Route{Method: "GET", Pattern: "/t/{token}/pause/{n}", Handle: f.begun(f.pause)},
		web.Route{Method: "GET", Pattern: "/t/{token}/abgabe", Handle: f.begun(f.review)},
		web.Route{Method: "POST", Pattern: "/t/{token}/fertig", Handle: f.known(f.finish)},
		web.Route{Method: "GET", Pattern: "/t/{token}/fertig", Handle: f.known(f.done)},
		web.Route{Method: "GET", Pattern: "/t/{token}/ergebnis", Handle: f.finished(f.own)},
		web.Route{Method: "GET", Pattern: "/t/{token}/ergebnis/code", Handle: f.finished(f.ownCode)},
		web.Route{Method: "POST", Pattern: "/t/{token}/ergebnis/code", Handle: f.entering(f.enterOwnCode)},
		web.Route{Method: "POST", Pattern: "/t/{token}/ergebnis/code/senden", Handle: f.entering(f.sendOwnCode)},
		web.Route{Method: "POST", Pattern: "/t/{token}/ergebnis/stellungnahme", Handle: f.proved(f.ownComment)},
		web.Route{Method: "POST", Pattern: "/t/{token}/ergebnis/anfrage", Handle: f.proved(f.ownRequest)},
		web.Route{Method: "GET", Pattern: "/t/{token}/ergebnis/daten", Handle: f.withCopy(f.ownCopy)},
		web.Route{Method: "GET", Pattern: "/t/{token}/ergebnis/daten.json", Handle: f.withCopy(f.ownCopyJSON)},
		web.Route{Method: "GET", Pattern: "/t/{token}/ergebnis/daten.pdf", Handle: f.withCopy(f.ownCopyPDF)},
		web.Route{Method: "POST", Pattern: "/t/{token}/ergebnis/schliessen", Handle: f.finished(f.closeOwn)},
		web.Route{Method: "GET", Pattern: "/t/{token}/absage", Handle: f.live(f.declinePage)},
		web.Route{Method: "POST", Pattern: "/t/{token}/absage", Handle: f.live(f.decline)},
		web.Route{Method: "POST", Pattern: "/t/{token}/neuer-link", Handle: f.known(f.requestLink)},
		web.Route{Method: "GET", Pattern: "/t/{token}/erinnerungen", Handle: f.known(f.reminders)},
		web.Route{Method: "POST", Pattern: "/t/{token}/erinnerungen", Handle: f.known(f.stopReminders)},
		web.Route{Method: "POST", Pattern: "/t/{token}/sprache", Handle: f.known(f.setLanguage)},
		web.Route{Method: "GET", Pattern: "/t/{token}/barrierefreiheit", Handle: f.known(f.accessibility)},
		web.Route{Method: "GET", Pattern: "/t/{token}/logo", Handle: f.known(f.logo)},
		web.Route{Method: "GET", Pattern: "/p/bestaetigen/{token}", Handle: f.enrolled(f.confirmPage)},
		web.Route{Method: "POST", Pattern: "/p/bestaetigen/{token}", Handle: f.enrolled(f.confirm)},
		web.Route{Method: "GET", Pattern: "/p/bestaetigen/{token}/logo", Handle: f.enrolled(f.confirmLogo)},
		web.Route{Method: "GET", Pattern: "/p/{token}", Handle: f.public(f.enrolPage)},
		web.Route{Method: "POST", Pattern: "/p/{token}", Handle: f.public(f.enrol)},
		web.Route{Method: "GET", Pattern: "/p/{token}/gesendet", Handle: f.public(f.enrolSent)},
		web.Route{Method: "GET", Pattern: "/p/{token}/logo", Handle: f.public(f.publicLogo)},
		web.Route{Method: "GET", Pattern: "/t/farbe/{farbe}", Handle: f.accent},
		web.Route{Method: "GET", Pattern: "/t/barrierefreiheit", Handle: f.publicAccessibility},
		web.Route{Method: "GET", Pattern: "/t/worker.js", Handle: f.worker},
		web.Route{Method: "GET", Pattern: "/t/offline", Handle: f.offline},
	)
}
