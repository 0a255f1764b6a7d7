package dashboard

import (
	"time"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
)

func init() { galleries = append(galleries, publicLinkGallery) }

func publicLinkGallery(f *face, lang string, p persona) map[string]page.View {
	v := reading(lang)
	v.Account = typus.Account{Name: p.account, Plan: typus.PlanStarter, Credits: 12, Language: "de", RoleProfile: "hunter", InviteDays: 30}
	place := typus.Position{ID: 2, Name: p.name, State: typus.PositionOpen, Reminders: typus.RemindersOfAccount}
	link := typus.PublicLink{ID: 1, AccountID: 1, PositionID: 2, Most: 50, Confirmed: 17, CreatedAt: someTime}
	show := func(l typus.PublicLink, change func(view *publicLinkView)) publicLinkView {
		id := l.ID
		l.ID = 0 // no token is sealed here
		view, err := f.publicLinkView(v, place, l)
		if err != nil {
			panic(err)
		}
		crumbs := view.Crumbs
		view.frame = p.shell(areaPositions, "")
		view.Crumbs, view.NoMail = crumbs, false
		l.ID = id
		view.Most, view.Ends = f.publicLinkFields(typus.Account{}, l)
		if view.On = id != 0; view.On {
			view.Address = "https://typus.example.com/p/4fzyo82m4fzyo82m4fzyo82m4fzyo82m"
		}
		if change != nil {
			change(&view)
		}
		return view
	}
	ending := link
	ending.EndsAt = someTime.Add(48 * time.Hour)
	positions := positionsGallery(f, lang, p)
	page1 := positions["position"].(positionView)
	page1.Public = &store.PublicFigures{Confirmed: 17, Most: 50}
	return map[string]page.View{
		"position-link-card":   page1,
		"position-link":        show(ending, nil),
		"position-link-off":    show(typus.PublicLink{}, nil),
		"position-link-full":   show(link, func(view *publicLinkView) { view.Full, view.Confirmed = true, 50 }),
		"position-link-over":   show(ending, func(view *publicLinkView) { view.Over = true }),
		"position-link-shut":   show(link, func(view *publicLinkView) { view.Shut = true }),
		"position-link-closed": show(typus.PublicLink{}, func(view *publicLinkView) { view.Shut = true }),
		"position-link-mute":   show(typus.PublicLink{}, func(view *publicLinkView) { view.NoMail = true }),
		"position-link-silent": show(link, func(view *publicLinkView) { view.NoMail = true }),
		"position-link-wrong": show(link, func(view *publicLinkView) {
			view.Most.Fault, view.Ends.Fault = f.say(v, "link.fault.most"), f.say(v, "link.fault.ends")
			f.sum(&view.frame, v, view.Most, view.Ends)
		}),
	}
}
