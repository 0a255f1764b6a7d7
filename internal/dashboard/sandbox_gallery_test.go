package dashboard

import (
	"slices"
	"strings"
	"time"

	"typus"
	"typus/internal/page"
	"typus/internal/sandbox"
	"typus/internal/store"
)

func init() { galleries = append(galleries, sandboxGallery) }

// inWorld is the layout around a page of a test world, whose clock is three days ahead.
func (p persona) inWorld(area, section string) frame {
	fr := p.shell(area, section)
	fr.Me.World, fr.Times.Ahead = true, 72*time.Hour
	return fr
}

// sandboxGallery are the pages of a test world, and pages that it has as the account has.
func sandboxGallery(f *face, lang string, p persona) map[string]page.View {
	v := galleryVisitor(lang, p)
	v.Account.ParentID, v.Account.Ahead = 7, 72*time.Hour
	of := func(came store.Integration, manage bool) sandboxView {
		view := f.sandboxOf(v, came)
		view.frame, view.Now, view.Manage, view.Steps = p.inWorld(areaSandbox, ""), someTime, manage, f.sandboxSteps(came, manage)
		return view
	}
	half := of(store.Integration{Key: true, Invited: true}, true)
	done := of(store.Integration{Key: true, Invited: true, Delivered: true, ReadBackAt: someTime, LiveUsedAt: someTime}, false)
	done.Before = ""
	moving := half
	moving.Way = f.clockWay(v, sandbox.Move{Left: 52 * time.Hour}, true)
	wrong := half
	wrong.Span = spanField()
	wrong.Span.Value, wrong.Span.Fault = p.free, f.say(v, "sandbox.clock.fault")
	f.sum(&wrong.frame, v, wrong.Span)
	asked := p.inWorld(areaSandbox, "")
	asked.Crumbs = []crumb{{Label: "sandbox.title", Path: worldPath}}
	letter := sandbox.Letter{
		Kind: typus.LetterInvitation, To: p.email, ToName: p.name, FromName: p.account, Subject: f.say(v, "sandbox.letters.open") + ": " + p.free, CandidateID: 100000000000001,
		Text: p.name + ",\n\nhttp://127.0.0.1/t/iBHj0PmXZ8RfmsRN9AibJ2uTa51sKJSK\n\n" + p.account,
	}
	letters := sandboxLettersView{Admin: true, frame: asked, Older: sandboxLettersPath + "?vor=7", Later: true, Rows: []sandboxLetterRow{
		{sandboxLetterPath(9), letterKindNames[typus.LetterInvitation], p.email, letter.Subject, someTime},
		{sandboxLetterPath(8), letterKindNames[typus.LetterReminder], "x@example.com", p.free, someTime},
	}}
	below := asked
	below.Crumbs = append(slices.Clone(asked.Crumbs), crumb{Label: "sandbox.letters", Path: sandboxLettersPath})
	log, sent := deliveriesGallery(f, lang, p), p.inWorld(areaSettings, sectionWebhooks)
	deliveries, delivery := log["deliveries"].(deliveriesView), log["delivery"].(deliveryView)
	deliveries.frame, delivery.frame.Me, delivery.frame.Times = sent, sent.Me, sent.Times
	keys := keysGallery(f, lang, p)["apikeys-new"].(apiKeysView)
	made := p.inWorld(areaSettings, sectionKeys)
	made.Flash = flash{Kind: "good", Text: f.say(v, "apikeys.created"), Secret: strings.Replace(newKeyShown, "live", "test", 1)}
	keys.frame = made
	return map[string]page.View{
		"sandbox-deliveries":   deliveries,
		"sandbox-delivery":     delivery,
		"sandbox-keys":         keys,
		"sandbox-letters":      letters,
		"sandbox-letters-none": sandboxLettersView{frame: asked, Sends: true, Admin: true},
		"sandbox-letter":       sandboxLetterView{frame: below, Letter: letter, Kind: letterKindNames[letter.Kind], At: someTime, HTML: sandboxLetterPath(9) + "/html", Parts: letterParts(letter.Text, "http://127.0.0.1")},
		"sandbox":              half,
		"sandbox-done":         done,
		"sandbox-moving":       moving,
		"sandbox-wrong":        wrong,
		"sandbox-start":        sandboxStartView{p.shell(areaSettings, sectionSandbox)},
		"sandbox-reset":        sandboxResetView{asked},
		"sandbox-plain":        plainView{frame: p.inWorld(areaSettings, sectionKeys), Heading: "error.missing.heading", Advice: "shell.missing"},
	}
}
