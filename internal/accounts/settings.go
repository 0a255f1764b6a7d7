package accounts

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Limits of what an account may set (our choice).
const (
	maxWelcome  = 1000 // code points
	maxKeepDays = 3650 // ten years
	maxNotify   = 10   // addresses
	maxFact     = 200  // code points of what a sentence of the notice says
	maxOwnWords = 600  // code points of a paragraph of the notice
)

// Codes of the Field "keep_undecided_days" of an account whose retention begins with the
// decision.
const (
	CodeBelowFinished = "below_finished" // it would end before the retention after a decision
	CodeNoFinished    = "no_finished"    // there is no retention that it could bound
)

var accentForm = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// Change lets change set what the people of an account may set, checks
// it and writes what has changed into the audit log; nothing is written when
// nothing has. Plan, credits, logo and the consent to sorting stay as they are.
// NotFound. Invalid names every wrong field.
//
// Who may: the face lets admins only.
func (s *Steps) Change(ctx context.Context, accountID int64, by typus.Actor, change func(a *typus.Account)) error {
	return s.ChangeLook(ctx, accountID, NewLogo{}, by, func(a *typus.Account) bool {
		change(a)
		return true
	})
}

// ChangeLook is Change that does to the logo what is wanted of it, in the same
// transaction: either everything is stored or nothing, also where change says that
// nothing is to be. Invalid also for a picture that is none of those which NewLogo says.
// Unavailable: ctx has ended while others were drawn.
func (s *Steps) ChangeLook(ctx context.Context, accountID int64, picture NewLogo, by typus.Actor, change func(a *typus.Account) bool) error {
	logo, err := picture.logo(ctx)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		wanted := true
		was, err := s.change(ctx, tx, accountID, by, func(a *typus.Account) {
			now := *a
			if wanted = change(&now); wanted {
				now.Plan, now.Host, now.LettersADay, now.MaxPeople = a.Plan, a.Host, a.LettersADay, a.MaxPeople
				*a = now
			}
		})
		if err != nil || !wanted || logo == nil || was.LogoHash == logo.Hash {
			return err
		}
		return s.setLogo(ctx, tx, accountID, *logo, by)
	})
}

// Operate is Change for whoever runs the server: change sets the plan, the account's own host
// and its limits, too. Invalid also for a host that is another account's, or the server's.
func (s *Steps) Operate(ctx context.Context, accountID int64, by typus.Actor, change func(a *typus.Account)) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		_, err := s.change(ctx, tx, accountID, by, change)
		return err
	})
}

// change is Operate inside a transaction; it returns the account as it was.
func (s *Steps) change(ctx context.Context, tx *store.Tx, accountID int64, by typus.Actor, change func(a *typus.Account)) (typus.Account, error) {
	was, err := tx.LockAccount(ctx, accountID)
	if err == nil {
		err = was.Itself()
	}
	if err != nil {
		return was, err
	}
	now := was
	change(&now)
	now = tidied(now)
	checked := now
	if now.Zone == was.Zone {
		checked.Zone = typus.UTC // for which a zone stands that this server knows no more, until another one is chosen
	}
	if err := s.checkSettings(ctx, tx, checked); err != nil {
		return was, err
	}
	if now.Host != was.Host {
		if err := s.checkHost(ctx, tx, now); err != nil {
			return was, err
		}
	}
	changes := changed(was, now)
	if len(changes) == 0 {
		return was, nil
	}
	if now.KeepFinishedDays != was.KeepFinishedDays || now.KeepUnfinishedDays != was.KeepUnfinishedDays ||
		now.KeepFromDecision != was.KeepFromDecision || now.KeepUndecidedDays != was.KeepUndecidedDays {
		// What waited, and what an owner allowed, belonged to the former retention.
		now.ErasureWaits, now.ErasureWordAt = 0, time.Time{}
		if now.KeepSetAt, err = tx.Now(ctx); err != nil {
			return was, err
		}
	}
	if err := tx.SetAccount(ctx, now); err != nil {
		return was, err
	}
	if was.Plan != now.Plan {
		if err := tx.SetAccountPlan(ctx, accountID, now.Plan); err != nil {
			return was, err
		}
	}
	if was.MaxPeople != now.MaxPeople {
		if err := tx.SetMaxPeople(ctx, accountID, now.MaxPeople); err != nil {
			return was, err
		}
	}
	return was, s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditAccountChanged, Detail: strings.Join(changes, ", ")})
}

// tidied is an account as it is stored: no space around a text, one line end.
func tidied(a typus.Account) typus.Account {
	a.Name, a.ContactEmail, a.Accent = typus.TypedName(a.Name), typus.TypedAddress(a.ContactEmail), strings.ToLower(strings.TrimSpace(a.Accent))
	a.WelcomeDE, a.WelcomeEN = paragraphs(a.WelcomeDE), paragraphs(a.WelcomeEN)
	if name, sound := typus.HostName(a.Host); sound {
		a.Host = name
	}
	a.Notice = tidiedNotice(a.Notice)
	a.NotifyEmails = typedAddresses(a.NotifyEmails)
	return a
}

// typedAddresses are addresses as people list them, one a line.
func typedAddresses(text string) string {
	list := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' })
	for n, address := range list {
		list[n] = typus.TypedAddress(address)
	}
	return strings.Join(list, "\n")
}

func paragraphs(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
}

func (s *Steps) checkSettings(ctx context.Context, tx *store.Tx, a typus.Account) error {
	var f clerk.Faults
	f.Account(a, s.instrument)
	if err := f.OwnRole(ctx, naming{tx}, a.ID, a.RoleProfile, s.instrument); err != nil {
		return err
	}
	f.When(a.Accent != "" && !accentForm.MatchString(a.Accent), "accent", "must be a colour such as #0f5c4d")
	f.When(a.Reminders < 0 || a.Reminders > typus.MaxReminders, "reminders", fmt.Sprintf("must be 0 to %d", typus.MaxReminders))
	f.When(a.KeepFinishedDays < 0 || a.KeepFinishedDays > maxKeepDays, "keep_finished_days", "must be 0 to 3650")
	f.When(a.KeepUnfinishedDays < 0 || a.KeepUnfinishedDays > maxKeepDays, "keep_unfinished_days", "must be 0 to 3650")
	f.When(a.KeepUndecidedDays < 0 || a.KeepUndecidedDays > maxKeepDays, "keep_undecided_days", "must be 0 to 3650")
	checkUndecided(&f, a)
	f.When(a.KeepAnswersDays < typus.MinKeepAnswersDays || a.KeepAnswersDays > typus.MaxKeepAnswersDays, "keep_answers_days", "must be 7 to 90")
	f.When(a.ShelfMonths < typus.MinShelfMonths || a.ShelfMonths > typus.MaxShelfMonths, "shelf_months", "must be 6 to 36")
	welcome(&f, "welcome_de", a.WelcomeDE)
	welcome(&f, "welcome_en", a.WelcomeEN)
	f.When(!a.Notify.Valid(), "notify", "must be now, daily or off")
	notifyEmails(&f, a.NotifyEmails)
	checkNotice(&f, a.Notice)
	checkLimits(&f, a)
	return f.Err()
}

// checkLimits adds a fault for each limit that the operator cannot set.
func checkLimits(f *clerk.Faults, a typus.Account) {
	f.When(a.MaxPeople < 0 || a.MaxPeople > typus.MostPeople, "max_people", fmt.Sprintf("must be 0 to %d", typus.MostPeople))
	f.When(a.LettersADay < 0 || a.LettersADay > typus.MaxLettersADay, "letters_a_day", fmt.Sprintf("must be 0 to %d", typus.MaxLettersADay))
}

const wantedHost = "must be a name such as tests.example.com, without https:// and a port"

// checkHost wants a name that leads candidates to this account alone.
func (s *Steps) checkHost(ctx context.Context, tx *store.Tx, a typus.Account) error {
	if a.Host == "" {
		return nil
	}
	var f clerk.Faults
	if _, sound := typus.HostName(a.Host); !sound {
		f.Add("host", typus.CodeInvalid, wantedHost)
		return f.Err()
	}
	if err := tx.LockHosts(ctx); err != nil {
		return err
	}
	other, err := tx.AccountAt(ctx, a.Host)
	if err != nil {
		return err
	}
	f.When(other != 0 && other != a.ID, "host", fmt.Sprintf("is that of account %d", other))
	own, _ := typus.HostName(s.links.Host()) // TYPUS_BASE_URL as somebody typed it
	f.When(a.Host == own, "host", "is the server's own, which every account has")
	return f.Err()
}

// checkUndecided wants a bound for those whom nothing is decided about to be one: results
// without a retention are kept for ever, and nobody is erased before it is over.
func checkUndecided(f *clerk.Faults, a typus.Account) {
	switch {
	case !a.KeepFromDecision || a.KeepUndecidedDays <= 0:
	case a.KeepFinishedDays == 0:
		f.Add("keep_undecided_days", CodeNoFinished, "bounds keep_finished_days, which is 0")
	case a.KeepUndecidedDays < a.KeepFinishedDays:
		f.Add("keep_undecided_days", CodeBelowFinished, "must not be less than keep_finished_days")
	}
}

// welcome wants a text of several lines, or none.
func welcome(f *clerk.Faults, field, text string) {
	f.AtMost(field, strings.ReplaceAll(text, "\n", " "), maxWelcome)
}

func notifyEmails(f *clerk.Faults, lines string) {
	addresses := strings.Fields(lines)
	if len(addresses) > maxNotify {
		f.Add("notify_emails", typus.CodeTooLong, "may hold at most 10 addresses")
		return
	}
	for _, a := range addresses {
		if _, fault := typus.Mailbox(a); fault.Code != "" {
			f.Add("notify_emails", typus.CodeInvalid, fault.Msg)
			return
		}
	}
}

// changed says what differs, for the audit log. Longer texts and addresses are named
// without their content, because the log is never erased.
func changed(was, now typus.Account) []string {
	var list []string
	set := func(name string, was, now any) {
		if was != now {
			list = append(list, fmt.Sprintf("%s %v → %v", name, was, now))
		}
	}
	touched := func(name, was, now string) {
		if was != now {
			list = append(list, name)
		}
	}
	set("name", was.Name, now.Name)
	set("plan", was.Plan, now.Plan)
	touched("contact_email", was.ContactEmail, now.ContactEmail)
	set("language", was.Language, now.Language)
	set("zone", was.Zone, now.Zone)
	set("host", cmp.Or(was.Host, "none"), cmp.Or(now.Host, "none"))
	set("max_people", was.MaxPeople, now.MaxPeople)
	set("letters_a_day", was.LettersADay, now.LettersADay)
	set("role_profile", was.RoleProfile, now.RoleProfile)
	set("invite_days", was.InviteDays, now.InviteDays)
	set("reminders", was.Reminders, now.Reminders)
	set("keep_finished_days", was.KeepFinishedDays, now.KeepFinishedDays)
	set("keep_unfinished_days", was.KeepUnfinishedDays, now.KeepUnfinishedDays)
	set("keep_from_decision", was.KeepFromDecision, now.KeepFromDecision)
	set("keep_undecided_days", was.KeepUndecidedDays, now.KeepUndecidedDays)
	set("keep_answers_days", was.KeepAnswersDays, now.KeepAnswersDays)
	set("accent", cmp.Or(was.Accent, "none"), cmp.Or(now.Accent, "none"))
	touched("welcome_de", was.WelcomeDE, now.WelcomeDE)
	touched("welcome_en", was.WelcomeEN, now.WelcomeEN)
	set("notify", was.Notify, now.Notify)
	touched("notify_emails", was.NotifyEmails, now.NotifyEmails)
	set("decides_elsewhere", was.DecidesElsewhere, now.DecidesElsewhere)
	set("shelf_months", was.ShelfMonths, now.ShelfMonths)
	if was.Notice != now.Notice {
		list = append(list, "notice")
	}
	return list
}
