package accounts

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/panel"
	"typus/internal/store"
)

const (
	// expertsMayAnswer is how long the links of experts work (our choice).
	expertsMayAnswer = 30 * 24 * time.Hour
	// ExpertsNamed is how many months the names of experts are kept from the day on which
	// they were asked (our choice): until a profile is to be looked at again, after 24,
	// and a year to do so.
	ExpertsNamed = 36
	// CodeFew is the code of a fault: fewer experts than there must be.
	CodeFew = "few"
)

// Expert is who is to be asked, and what they have to do with the position.
type Expert struct{ Name, Task string }

// BeginRole makes an own role profile that nobody has signed yet, so that experts can be
// asked about it. Invalid: the fields are base and name. Conflict as of clerk.Once.
//
// Who may: the face lets admins only.
func (s *Steps) BeginRole(ctx context.Context, accountID int64, base, name string, experts []Expert, language string, by typus.Actor) (int64, error) {
	var f clerk.Faults
	if _, known := s.instrument.Role(base); !known {
		f.Add("base", typus.CodeInvalid, "must be a role profile of the test")
	}
	name = label(name)
	f.Text("name", name)
	experts = tidiedExperts(&f, experts)
	if err := f.Err(); err != nil {
		return 0, err
	}
	var id int64
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			var err error
			if id, err = s.addRoleProfile(ctx, tx, accountID, base, name); err != nil {
				return 0, err
			}
			return id, s.addRound(ctx, tx, accountID, id, experts, language, by)
		})
	})
	return id, err
}

// AskExperts asks experts about an own role profile, each by a link of their own.
// Invalid: fewer than panel.Fewest or more than panel.Largest, or one without a name; the
// fields are expert_1, task_1 and so on. Conflict: a round is open. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) AskExperts(ctx context.Context, accountID, profileID int64, experts []Expert, language string, by typus.Actor) error {
	var f clerk.Faults
	experts = tidiedExperts(&f, experts)
	if err := f.Err(); err != nil {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockRoleProfile(ctx, accountID, profileID); err != nil {
			return err
		}
		rounds, err := tx.RoleRounds(ctx, accountID, profileID)
		if err != nil {
			return err
		}
		if len(rounds) > 0 && rounds[0].Open(s.now()) {
			return typus.Errorf(typus.Conflict, "experts are being asked already")
		}
		return s.addRound(ctx, tx, accountID, profileID, experts, language, by)
	})
}

// tidiedExperts are those who are named, each on one line.
func tidiedExperts(f *clerk.Faults, experts []Expert) []Expert {
	var list []Expert
	for i, e := range experts {
		e = Expert{label(e.Name), norm.NFC.String(oneLine(e.Task))}
		if e.Name+e.Task == "" {
			continue
		}
		f.Text(fmt.Sprint("expert_", i+1), e.Name)
		f.Remark(fmt.Sprint("task_", i+1), e.Task)
		list = append(list, e)
	}
	if len(list) < panel.Fewest || len(list) > panel.Largest {
		f.Add(fmt.Sprint("expert_", min(len(list)+1, panel.Largest)), CodeFew, fmt.Sprintf("must be %d to %d people in all", panel.Fewest, panel.Largest))
	}
	return list
}

func (s *Steps) addRound(ctx context.Context, tx *store.Tx, accountID, profileID int64, experts []Expert, language string, by typus.Actor) error {
	user, err := tx.User(ctx, accountID, by.UserID)
	if err != nil {
		return err
	}
	now := s.now()
	r := typus.RoleRound{ProfileID: profileID, UserID: user.ID, AskedBy: user.Called(), CreatedAt: now, ExpiresAt: now.Add(expertsMayAnswer)}
	var list []typus.RoleExpert
	for _, e := range experts {
		token := auth.NewToken()
		x := typus.RoleExpert{Name: e.Name, Task: e.Task, Language: language, TokenHash: auth.Hash(token)}
		x.SealedToken = s.box.Seal([]byte(token), x.TokenAAD())
		list = append(list, x)
	}
	if _, err := tx.AddRoleRound(ctx, r, list); err != nil {
		return err
	}
	detail := fmt.Sprintf("%s %d", typus.RoleProfile{ID: profileID}.Key(), len(list))
	return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditRoleExpertsAsked, Detail: detail})
}

// ExpertLink is the link of an expert whom an account has asked.
func (s *Steps) ExpertLink(a typus.Account, e typus.RoleExpert) (string, error) {
	token, err := s.box.Open(e.SealedToken, e.TokenAAD())
	if err != nil {
		return "", err
	}
	return s.links.Of(a).Expert(string(token)), nil
}

// CloseRound ends a round of experts: nobody answers any more, and what they say is
// shown. One that has ended stays as it is. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) CloseRound(ctx context.Context, accountID, profileID, roundID int64, by typus.Actor) error {
	return s.onRound(ctx, accountID, profileID, roundID, func(tx *store.Tx, r typus.RoleRound) error {
		if !r.ClosedAt.IsZero() {
			return nil
		}
		if err := tx.CloseRoleRound(ctx, roundID, s.now()); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditRoleExpertsClosed, Detail: typus.RoleProfile{ID: profileID}.Key()})
	})
}

// EraseExperts erases who the experts of a round were before their time, and ends it;
// what they answered stays. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) EraseExperts(ctx context.Context, accountID, profileID, roundID int64, by typus.Actor) error {
	return s.onRound(ctx, accountID, profileID, roundID, func(tx *store.Tx, r typus.RoleRound) error {
		if !r.Named {
			return nil
		}
		if err := tx.CloseRoleRound(ctx, roundID, s.now()); err != nil {
			return err
		}
		if err := tx.EraseExperts(ctx, roundID); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditRoleExpertsErased, Detail: typus.RoleProfile{ID: profileID}.Key()})
	})
}

func (s *Steps) onRound(ctx context.Context, accountID, profileID, roundID int64, do func(tx *store.Tx, r typus.RoleRound) error) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		r, err := tx.LockRoleRound(ctx, accountID, roundID)
		if err == nil && r.ProfileID != profileID {
			err = typus.Errorf(typus.NotFound, "there is no such round of experts")
		}
		if err != nil {
			return err
		}
		return do(tx, r)
	})
}

// Asked finds an expert by the token of their link. NotFound.
func (s *Steps) Asked(ctx context.Context, token string) (store.AskedExpert, error) {
	return s.store.RoleExpertByToken(ctx, auth.Hash(token))
}

// TryExpert counts that somebody came with a link that leads nowhere, from a network;
// TooMany: they have to wait.
func (s *Steps) TryExpert(ctx context.Context, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error { return s.clerk.Try(ctx, tx, clerk.LoginPace, "expert "+by.IP) })
}

// AnswerAsExpert stores what an expert answers to all statements. Conflict: they have
// answered before. Gone: the round has ended. NotFound. Invalid: the fields are the
// statements.
func (s *Steps) AnswerAsExpert(ctx context.Context, token string, answers map[string]typus.RoleAnswer) error {
	var f clerk.Faults
	kept := map[string]typus.RoleAnswer{}
	for _, dimension := range s.instrument.Dimensions() {
		for _, key := range panel.Statements(dimension) {
			a, given := answers[key]
			if !given || a.Importance < 0 || a.Importance > panel.Most {
				f.Add(key, typus.CodeRequired, "must be 1 to 5, or that it cannot be judged")
			}
			kept[key] = typus.RoleAnswer{Importance: a.Importance, FromStart: a.FromStart && a.Importance > 0}
		}
	}
	asked, err := s.Asked(ctx, token)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		r, err := tx.LockRoleRound(ctx, asked.AccountID, asked.Round.ID)
		if err != nil {
			return err
		}
		if !asked.Expert.AnsweredAt.IsZero() {
			return typus.Errorf(typus.Conflict, "this link was used before")
		}
		if !r.Open(s.now()) {
			return typus.Errorf(typus.Gone, "the round has ended")
		}
		if err := f.Err(); err != nil {
			return err
		}
		first, err := tx.AnswerRole(ctx, asked.Expert.ID, kept, s.now())
		if err == nil && !first {
			err = typus.Errorf(typus.Conflict, "this link was used before")
		}
		return err
	})
}

// ForgetExperts erases the names of experts who were asked ExpertsNamed months before. It
// is a chore.
func (s *Steps) ForgetExperts(ctx context.Context, settled time.Time) error {
	before := settled.AddDate(0, -ExpertsNamed, 0)
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.ForgetExperts(ctx, before) })
	return err
}

// CouncilOf is what the experts say, who have answered, about the dimensions of the test.
func CouncilOf(dimensions []string, experts []typus.RoleExpert) panel.Council {
	var raters []panel.Answers
	for _, e := range experts {
		if e.AnsweredAt.IsZero() {
			continue
		}
		answers := panel.Answers{}
		for key, a := range e.Answers {
			answers[key] = panel.Answer(a)
		}
		raters = append(raters, answers)
	}
	return panel.Judge(dimensions, raters)
}

// proposal is what the experts of a round propose, by dimension, and how many they are;
// none while they may still answer, and where they propose nothing or there is no such
// round of the role profile.
func (s *Steps) proposal(ctx context.Context, tx *store.Tx, accountID, profileID, roundID int64) (map[string]int, int, error) {
	r, err := tx.LockRoleRound(ctx, accountID, roundID)
	if typus.Is(err, typus.NotFound) {
		return nil, 0, nil // a form names it, and what is typed there is not to be lost for it
	}
	if err != nil || r.ProfileID != profileID || r.Open(s.now()) {
		return nil, 0, err
	}
	experts, err := tx.RoleExperts(ctx, accountID, roundID)
	if err != nil {
		return nil, 0, err
	}
	c := CouncilOf(s.instrument.Dimensions(), experts)
	if c.Missing != panel.MissingNothing {
		return nil, 0, nil
	}
	weights := map[string]int{}
	for _, d := range c.Dimensions {
		weights[d.Key] = d.Weight
	}
	return weights, c.Raters, nil
}
