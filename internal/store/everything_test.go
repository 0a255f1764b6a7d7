package store_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// everything calls every method of Store and Tx at least once, so that a test
// can look at every statement.
func everything(t testing.TB, s *store.Store) {
	t.Helper()
	ctx := t.Context()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var account, id, user, key, endpoint int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		account, err = tx.AddAccount(ctx, typus.Account{Name: "Muster GmbH", Plan: typus.PlanStarter, Language: "de", InviteDays: 30, CreatedAt: noon})
		check(account, err)
		user, err = tx.AddUser(ctx, typus.User{AccountID: account, Email: unique("ada") + "@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "")
		check(user, err)
		peopleInTx(t, tx, account, user)
		key, err = tx.AddAPIKey(ctx, typus.APIKey{AccountID: account, Name: "CRM", Hash: unique("hash"), CreatedBy: "operator", CreatedAt: noon})
		check(key, err)
		check(nil, tx.TouchAPIKey(ctx, account, key, noon))
		check(tx.RevokeAPIKey(ctx, account, key, noon))
		check(nil, tx.AddCalls(ctx, []typus.Calls{{AccountID: account, KeyID: key, Day: store.Day(noon), Answered: 1}}))
		check(tx.DropCalls(ctx, noon))
		check(nil, tx.AddRefusedCalls(ctx, []typus.RefusedCall{{AccountID: account, KeyID: key, Method: "GET", Status: 404, Code: "not_found", At: noon}}))
		check(tx.LockAccount(ctx, account))
		world, _, err := tx.AddWorld(ctx, account, noon)
		check(world, err)
		check(tx.World(ctx, account))
		check(tx.Integration(ctx, world, account))
		worldInTx(t, tx, world)
		check(nil, tx.SetErasureWaits(ctx, account, 60))
		check(nil, tx.SetKeepSetAt(ctx, account, noon))
		for _, column := range store.SealedColumns() {
			check(tx.SealedPage(ctx, column, 0, 500))
			check(tx.SetSealed(ctx, column, store.Sealed{ID: -1, Value: []byte("x")}, []byte("y"), "z"))
		}
		for _, column := range []store.SealedColumn{store.SealedCandidateLinks, store.SealedPublicLinks, store.SealedExpertLinks} {
			check(tx.SetLink(ctx, column, store.Sealed{ID: -1, Value: []byte("x")}, "hash", []byte("y")))
		}
		check(tx.Now(ctx))
		check(nil, tx.AllowErasure(ctx, account, noon))
		check(tx.CountPeople(ctx, account))
		check(tx.CountRows(ctx, account))
		check(tx.BookCredit(ctx, typus.CreditEntry{AccountID: account, Delta: 10, Reason: typus.ReasonGrant, Reference: "RE-7", CreatedAt: noon}))
		_, found, err := tx.GrantByReference(ctx, account, "RE-7")
		check(found, err)
		check(nil, tx.SetAccountPlan(ctx, account, typus.PlanBusiness))
		check(nil, tx.SetMaxPeople(ctx, account, 0))
		check(tx.ServeAccount(ctx, account))
		check(tx.LockToSuspend(ctx, account))
		check(nil, tx.SetSuspended(ctx, account, noon, "an invoice"))
		check(tx.PutOffReminders(ctx, account, 0, noon))
		check(tx.LockToResume(ctx, account))
		check(nil, tx.SpareEndpoints(ctx, account, noon))
		check(nil, tx.SetSuspended(ctx, account, time.Time{}, ""))
		check(tx.AccountAt(ctx, "tests.example.com"))
		check(nil, tx.DropSender(ctx, account))
		check(nil, tx.SetSender(ctx, typus.Sender{AccountID: account, Address: "tests@example.com"}))
		_, found, err = tx.Sender(ctx, account)
		check(found, err)
		check(tx.Senders(ctx))
		endpoint, err = tx.AddEndpoint(ctx, typus.Endpoint{AccountID: account, URL: "https://hooks.example.com/a", CreatedAt: noon})
		check(endpoint, err)
		check(tx.AddSecret(ctx, account, endpoint, typus.SecretCurrent, "k1", noon, func(int64) ([]byte, error) { return []byte{1}, nil }))
		check(tx.LockEndpoint(ctx, account, endpoint))
		check(nil, tx.SetEndpointAddress(ctx, account, endpoint, "https://hooks.example.com/b", ""))
		check(nil, tx.SetStaticHeader(ctx, account, endpoint, []byte("sealed")))
		check(tx.ClaimIdempotencyKey(ctx, key, "abc", "sha", noon))
		check(nil, tx.StoreAnswer(ctx, key, "abc", store.StoredAnswer{}))
		check(tx.ClaimIdempotencyKey(ctx, key, "abc", "sha", noon))
		c := candidateOf(account)
		c.ExternalID, c.OpenRef = "crm-7", unique("ref")
		id, _, err = tx.AddCandidate(ctx, c)
		check(id, err)
		check(tx.AddCandidates(ctx, []store.NewCandidate{candidateOf(account), candidateOf(account)}))
		check(tx.LockCandidate(ctx, account, id))
		check(tx.LockCandidateByToken(ctx, c.TokenHash))
		check(nil, tx.LockInviting(ctx, account))
		check(nil, tx.LockHosts(ctx))
		check(nil, tx.AwaitHosts(ctx))
		check(nil, tx.LockToReset(ctx, account))
		check(tx.CandidateByOpenRef(ctx, account, c.OpenRef))
		check(tx.LockByOpenRef(ctx, account, c.OpenRef))
		check(tx.LockToErase(ctx, account, id))
		check(nil, tx.SetRoleProfile(ctx, account, id, "hunter"))
		check(nil, tx.RenameCandidate(ctx, account, id, "Jürgen B."))
		check(nil, tx.CorrectCandidate(ctx, account, id, "Jürgen Bär", "baer@example.com", c.OpenRef))
		check(nil, tx.SetOpenRef(ctx, account, id, c.OpenRef))
		check(tx.IndexCandidates(ctx))
		check(nil, tx.SetScoreSorting(ctx, account, noon, "ada@example.com"))
		positionsInTx(t, tx, account, id, user)
		rolesInTx(t, tx, account, user)
		check(tx.TakeOver(ctx, typus.Candidate{AccountID: account, ID: id, CompletedAt: noon, AnsweredAt: noon}, typus.Scores{}, typus.Notice{}))
		_, found, err = tx.LockTakeable(ctx, c.Candidate, store.Takeable{From: noon, To: noon})
		check(found, err)
		publicInTx(t, tx, account)
		note, err := tx.AddNote(ctx, typus.Note{AccountID: account, CandidateID: id, UserID: user, CreatedAt: noon})
		check(note, err)
		check(nil, tx.DropNote(ctx, account, id, note, user))
		note, err = tx.AddNote(ctx, typus.Note{AccountID: account, CandidateID: id, UserID: user, CreatedAt: noon})
		check(note, err)
		check(nil, tx.DropAnyNote(ctx, account, id, note))
		check(nil, tx.SetCandidateLanguage(ctx, account, id, "en"))
		check(nil, tx.ExtendCandidate(ctx, account, id, noon.AddDate(1, 0, 0)))
		check(nil, tx.ClearOpenRef(ctx, account, id))
		check(tx.DeclineCandidate(ctx, account, id, noon))
		check(nil, tx.TakeBackDecline(ctx, account, id))
		check(nil, tx.AddNotice(ctx, "2026-01", "de", "Wer Sie einlädt …", noon))
		check(tx.BeginCandidate(ctx, account, id, typus.Notice{Version: "2026-01", Language: "de", At: noon}, "salespersona@1", noon))
		check(nil, tx.SaveSheet(ctx, account, id, store.Sheet{Body: []byte{1}, Ages: []byte{0}, SavedAt: noon}))
		_, err = tx.Sheet(ctx, account, id)
		check(nil, err)
		check(tx.FinishCandidate(ctx, account, id, scores(), noon))
		check(tx.CancelCandidate(ctx, account, id, noon))
		check(tx.AddResult(ctx, account, store.Result{CandidateID: id, Scores: []byte{1}, Answers: []byte{1}, RoleSnapshot: []byte{1}, CreatedAt: noon}))
		ownInTx(t, tx, account, id)
		check(tx.BookCredit(ctx, completion(account, id)))
		check(tx.AddEvent(ctx, typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: id, OccurredAt: noon,
			Payload: []byte("{}")}, func() string { return unique("dlv_") }))
		check(tx.AddLetter(ctx, typus.Letter{AccountID: account, CandidateID: id, Kind: typus.LetterInvitation, CreatedAt: noon}))
		for _, kind := range []typus.LetterKind{typus.LetterReminder, typus.LetterReceipt, typus.LetterCompleted} {
			check(tx.AddLetter(ctx, typus.Letter{AccountID: account, CandidateID: id, Kind: kind, CreatedAt: noon}))
		}
		check(nil, tx.AddLetters(ctx, []typus.Letter{{AccountID: account, CandidateID: id, Kind: typus.LetterInvitation, CreatedAt: noon}}))
		team := typus.Letter{AccountID: account, CandidateID: id, Kind: typus.LetterCompleted, Language: "de", CreatedAt: noon}
		check(tx.Told(ctx, typus.Account{ID: account}, []typus.Candidate{{ID: id}}))
		check(nil, tx.AddLetterToTeam(ctx, team))
		team.Kind = typus.LetterWebhookOff
		check(nil, tx.AddLetterToTeam(ctx, team))
		check(nil, tx.AddLetterOnce(ctx, typus.Letter{AccountID: account, Kind: typus.LetterDigest, CreatedAt: noon, NextAttemptAt: noon}, noon))
		check(nil, tx.AddLetterIfInvited(ctx, typus.Letter{AccountID: account, CandidateID: id, Kind: typus.LetterReceipt, CreatedAt: noon}))
		check(tx.RetryLetter(ctx, account, 1, noon))
		_, back, err := tx.ReturnLetter(ctx, typus.Posting{AccountID: account, LetterID: 1, Attempt: 1}, 550, "550 5.1.1")
		check(back, err)
		check(tx.KeepingOf(ctx, account, id))
		check(nil, tx.SetKeep(ctx, account, id, noon, "Verfahren"))
		check(nil, tx.AddRetentionTurn(ctx, account, store.RetentionTurn{At: noon}))
		check(nil, tx.SetReminding(ctx, account, id, 1, noon))
		check(tx.StopReminders(ctx, account, id, noon))
		check(tx.ExpireCandidate(ctx, account, id, noon))
		check(nil, tx.SetLetterTemplate(ctx, typus.LetterTemplate{AccountID: account, Kind: typus.LetterInvitation, Language: "de", ChangedAt: noon}))
		check(tx.DropLetterTemplate(ctx, account, typus.LetterInvitation, "de"))
		check(nil, tx.AddAudit(ctx, typus.AuditEntry{AccountID: account, CandidateID: id, CreatedAt: noon}))
		check(tx.SetMark(ctx, "mark", []byte{1}))
		check(nil, tx.ReplaceMark(ctx, "mark", []byte{2}))
		check(tx.MarkOnce(ctx, "calls 1", []byte{1}))
		check(tx.DropMarks(ctx, "calls ", []byte{2}))
		check(tx.DropIdempotencyKeys(ctx, noon.Add(time.Hour)))
		check(nil, tx.SetAccount(ctx, typus.Account{ID: account, Name: "Muster GmbH", Plan: typus.PlanStarter, Language: "de", InviteDays: 30, Notify: typus.NotifyNow}))
		check(nil, tx.SetAccountLogo(ctx, account, typus.Logo{MediaType: "image/png", Hash: "x", Body: []byte{1}}))
		check(tx.ClaimForm(ctx, account, "form", noon))
		check(nil, tx.SettleForm(ctx, account, "form", id))
		check(tx.DropSentForms(ctx, noon))
		check(tx.DropNotices(ctx, noon))
		check(tx.ForgetRecipients(ctx, noon))
		check(tx.ForgetAnswers(ctx, noon))
		check(tx.ForgetTestPayloads(ctx, noon))
		return nil
	})
	importEverything(t, s, account, user)
	readEverything(t, s, account, id)
	readByReaders(t, s, account, id)
	readPeople(t, s, account, user)
	gone := newCandidate(t, s, account, nil)
	begin(t, s, account, gone)
	finish(t, s, account, gone, noon)
	write(t, s, func(tx *store.Tx) error {
		check(tx.AddEvent(ctx, typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: gone, OccurredAt: noon,
			Payload: []byte("{}")}, func() string { return unique("dlv_") }))
		return tx.EraseCandidate(ctx, account, gone, noon)
	})
	deliverEverything(t, s, account, endpoint)
	doomed := newAccount(t, s)
	newCandidate(t, s, doomed, nil)
	moveAccount(t, s, doomed)
	deleteAccount(t, s, doomed)
	write(t, s, func(tx *store.Tx) error {
		check(tx.Deletion(ctx, doomed))
		check(tx.Usage(ctx, account, noon, noon.Add(time.Hour)))
		check(nil, tx.KeepUsage(ctx, doomed, typus.MonthOf(noon, typus.UTC), noon, store.Usage{}))
		check(tx.DeletedUsage(ctx, typus.MonthOf(noon, typus.UTC)))
		_, _, err := tx.ListedAccount(ctx, store.Tombstone{Account: true, ID: doomed, CreatedAt: noon})
		return err
	})
	_, _, err := s.ListedAccount(ctx, store.Tombstone{Account: true, ID: doomed, CreatedAt: noon})
	check(nil, err)
}

// ownInTx calls what is about a candidate's own result.
func ownInTx(t testing.TB, tx *store.Tx, account, id int64) {
	t.Helper()
	ctx := t.Context()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	terms := typus.OwnResultTerms{Policy: typus.OwnResultReleased}
	position, err := tx.LockStandardPosition(ctx, account, noon)
	check(nil, err)
	check(nil, tx.SetOwnTerms(ctx, account, terms))
	check(nil, tx.SetPositionOwnTerms(ctx, account, position.ID, terms))
	check(tx.ReleaseOwn(ctx, id, noon, "ada@example.com"))
	check(nil, tx.NoteOwnOpened(ctx, id, noon))
	check(nil, tx.SetOwnCode(ctx, id, typus.OwnCode{Hash: "hash", MadeAt: noon}))
	check(tx.OwnCode(ctx, id))
	check(nil, tx.ChangeAddress(ctx, typus.Candidate{ID: id, Email: "was@example.com"}, "kim@example.com"))
	check(nil, tx.ProveAddress(ctx, id))
	q := typus.Request{AccountID: account, CandidateID: id, Kind: typus.RequestErasure, CreatedAt: noon}
	q.ID, err = tx.AddRequest(ctx, q)
	check(nil, err)
	check(tx.AnswerReleased(ctx, id, noon, "ada@example.com"))
	for range 2 {
		check(tx.AnswerRequest(ctx, q))
	}
}

// peopleInTx calls what is about people and how they log in.
func peopleInTx(t testing.TB, tx *store.Tx, account, user int64) {
	t.Helper()
	ctx := t.Context()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil && typus.KindOf(err) != typus.NotFound {
			t.Fatal(err)
		}
	}
	invited, err := tx.AddInvitedUser(ctx, typus.User{AccountID: account, Email: unique("eve") + "@example.com", Role: typus.RoleViewer, CreatedAt: noon})
	check(nil, err)
	link := typus.UserLink{Hash: unique("link"), UserID: user, Purpose: typus.LinkPassword, CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)}
	check(nil, tx.AddUserLink(ctx, account, link))
	check(nil, tx.AddRestoreLink(ctx, account, typus.UserLink{Hash: unique("link"), UserID: user, CreatedAt: noon, ExpiresAt: noon}))
	newer := link
	newer.Hash = unique("link")
	check(nil, tx.ReplaceUserLink(ctx, account, newer))
	check(tx.UseUserLink(ctx, account, user, link.Hash, noon))
	check(tx.TakeRescue(ctx, account, user, noon))
	check(nil, tx.EndUserLinks(ctx, account, user, noon))
	check(nil, tx.SetPassword(ctx, account, user, "$argon2id$"))
	check(nil, tx.SetEmail(ctx, account, user, unique("ada")+"@example.com"))
	check(nil, tx.SetUserName(ctx, account, user, "Ada"))
	check(nil, tx.SetPreferences(ctx, account, user, "de", "dark"))
	check(nil, tx.SetUserRole(ctx, account, user, typus.RoleOwner))
	check(nil, tx.TouchLogin(ctx, account, user, noon))
	check(nil, tx.SetTOTP(ctx, account, user, []byte{1}))
	check(nil, tx.ConfirmTOTP(ctx, account, user, noon))
	check(tx.UseTOTPStep(ctx, account, user, 5))
	check(nil, tx.SetRecoveryCodes(ctx, account, user, []string{"a", "b"}))
	check(tx.UseRecoveryCode(ctx, account, user, "a", noon))
	for _, hash := range []string{unique("session"), unique("session")} {
		check(nil, tx.AddSession(ctx, typus.Session{Hash: hash, UserID: user, AccountID: account, Verified: true, ConfirmedAt: noon, CreatedAt: noon, SeenAt: noon, ExpiresAt: noon}))
		check(nil, tx.TouchSession(ctx, hash, noon))
		check(nil, tx.ConfirmSession(ctx, account, hash, noon))
		check(nil, tx.DeleteSession(ctx, account, user, hash))
	}
	check(tx.LockCredentials(ctx, account, user))
	check(nil, tx.TrimSessions(ctx, account, user, 5))
	check(nil, tx.DeleteOtherSessions(ctx, account, user, "hash"))
	check(tx.DeleteSessions(ctx, account, user))
	check(nil, tx.RemoveUser(ctx, account, invited))
	check(tx.CountTry(ctx, "login x", noon, time.Hour))
	check(nil, tx.Delay(ctx, "login x", noon))
	check(nil, tx.KeepTry(ctx, "login x", noon))
	check(nil, tx.UncountTry(ctx, "login x"))
	check(nil, tx.ForgetTries(ctx, "login x"))
	check(nil, tx.AddServerAccount(ctx, noon))
	sign := typus.SignUp{Hash: unique("signup"), Email: "eve@example.com", CreatedAt: noon, ExpiresAt: noon}
	check(nil, tx.AddSignUp(ctx, sign))
	check(nil, tx.RemoveSignUp(ctx, sign.Hash))
	check(tx.TakeMark(ctx, "setup x"))
	check(tx.DropSessions(ctx, noon))
	check(tx.DropUserLinks(ctx, noon))
	check(tx.DropTries(ctx, noon))
	check(tx.DropSignUps(ctx, noon))
}

// rolesInTx calls what is about role profiles.
func rolesInTx(t testing.TB, tx *store.Tx, account, user int64) {
	t.Helper()
	ctx := t.Context()
	role := must[int64](t)(tx.AddRoleProfile(ctx, typus.RoleProfile{AccountID: account, Name: "Außendienst", Base: "hunter", CreatedAt: noon}))
	must[typus.RoleProfile](t)(tx.LockRoleProfile(ctx, account, role))
	if err := tx.AddRoleVersion(ctx, account, "Außendienst", typus.RoleVersion{ProfileID: role, Version: 1, Profile: []byte("{}"), UserID: user, SignedAt: noon}); err != nil {
		t.Fatal(err)
	}
	must[[]typus.RoleProfile](t)(tx.RoleProfiles(ctx, account))
	must[typus.RoleProfile](t)(tx.RoleProfile(ctx, account, role))
	must[[]typus.RoleVersion](t)(tx.RoleVersions(ctx, account, role))
	must[bool](t)(tx.PositionTakesRole(ctx, account, "own-1"))
	if err := tx.SetRoleArchived(ctx, typus.RoleProfile{ID: role, AccountID: account, ArchivedAt: noon}); err != nil {
		t.Fatal(err)
	}
	round := must[int64](t)(tx.AddRoleRound(ctx, typus.RoleRound{ProfileID: role, UserID: user, AskedBy: "Ada", CreatedAt: noon, ExpiresAt: noon},
		[]typus.RoleExpert{{Name: "Jana Muster", TokenHash: unique("expert"), SealedToken: []byte{1}}}))
	must[[]typus.RoleRound](t)(tx.RoleRounds(ctx, account, role))
	must[typus.RoleRound](t)(tx.LockRoleRound(ctx, account, round))
	expert := must[[]typus.RoleExpert](t)(tx.RoleExperts(ctx, account, round))[0]
	must[store.AskedExpert](t)(tx.RoleExpertByToken(ctx, expert.TokenHash))
	must[bool](t)(tx.AnswerRole(ctx, expert.ID, map[string]typus.RoleAnswer{"ad1": {Importance: 5}}, noon))
	for _, err := range []error{tx.CloseRoleRound(ctx, round, noon), tx.EraseExperts(ctx, round)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	must[int](t)(tx.ForgetExperts(ctx, noon))
}

// publicInTx calls what is about public links.
func publicInTx(t testing.TB, tx *store.Tx, account int64) {
	t.Helper()
	ctx := t.Context()
	p := must[typus.Position](t)(tx.LockStandardPosition(ctx, account, noon))
	l := typus.PublicLink{AccountID: account, PositionID: p.ID, TokenHash: unique("public"), SealedToken: []byte{1}, Most: 2, CreatedAt: noon}
	l.ID = must[int64](t)(tx.AddPublicLink(ctx, l))
	must[typus.PublicLink](t)(tx.PublicLinkByToken(ctx, l.TokenHash))
	must[typus.PublicLink](t)(tx.PublicLinkOf(ctx, account, p.ID))
	must[typus.PublicLink](t)(tx.LockPublicLink(ctx, account, l.ID))
	e := typus.Enrolment{Hash: unique("enrolment"), Name: "Eve", Email: "eve@example.com", Language: "de", CreatedAt: noon, ExpiresAt: noon}
	for _, err := range []error{tx.AddEnrolment(ctx, l.ID, e), tx.SetPublicLink(ctx, l), tx.CountConfirmed(ctx, account, l.ID), tx.RevokePublicLink(ctx, account, l.ID, noon)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	must[store.Enrolled](t)(tx.EnrolmentByToken(ctx, e.Hash))
	if _, err := tx.CandidateByEmail(ctx, p, e.Email); err != nil && !typus.Is(err, typus.NotFound) {
		t.Fatal(err)
	}
	c := candidateOf(account)
	id, _, err := tx.AddCandidate(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.ConfirmEnrolment(ctx, e, id); err != nil {
		t.Fatal(err)
	}
	must[int](t)(tx.DropEnrolments(ctx, noon))
}

func readPeople(t testing.TB, s *store.Store, account, user int64) {
	t.Helper()
	ctx := t.Context()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil && typus.KindOf(err) != typus.NotFound {
			t.Fatal(err)
		}
	}
	check(s.AnyAccount(ctx))
	check(nil, s.Wake(ctx, account))
	check(s.User(ctx, account, user))
	check(s.Users(ctx, account))
	check(s.Owners(ctx, account))
	check(s.Credentials(ctx, account, user))
	_, _, err := s.CredentialsByLogin(ctx, "ada@example.com")
	check(nil, err)
	_, _, err = s.ClaimOrHold(ctx, store.Claim{Owner: "nobody", Lease: time.Minute})
	check(nil, err)
	check(s.RecoveryCodesLeft(ctx, account, user))
	_, err = s.SessionByToken(ctx, "hash")
	check(nil, err)
	check(s.SessionsOf(ctx, account, user))
	check(s.SessionCounts(ctx, account, noon))
	check(s.UserLinkByToken(ctx, "hash"))
	check(s.SignUpByToken(ctx, "hash"))
	for _, f := range []store.AuditFilter{
		{}, {Action: "key.created"}, {UserID: user}, {Actor: "operator"},
		{Action: "key.created", UserID: user}, {Action: "key.created", Actor: "operator", Before: 5},
	} {
		f.Limit = 50
		for _, reader := range readers(account) {
			check(s.BodyFor(ctx, reader, "evt_1"))
			check(s.AuditLog(ctx, reader, f))
			check(s.AuditLines(ctx, reader, f))
		}
	}
}

func importEverything(t testing.TB, s *store.Store, account, user int64) {
	t.Helper()
	ctx := t.Context()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddImport(ctx, typus.Import{AccountID: account, UserID: user, Actor: "ada@example.com", CreatedAt: noon, DropAt: noon}, []byte("name;email"))
		return err
	})
	reader := store.WholeAccount(account)
	must[[]byte](t)(s.ImportSource(ctx, reader, id))
	must[typus.Import](t)(s.ImportFor(ctx, reader, id))
	must[[]typus.Import](t)(s.Imports(ctx, reader, 10))
	var lines []typus.ImportRow
	for n := range 51 { // a full chunk, and one
		lines = append(lines, typus.ImportRow{N: n + 2, State: typus.RowReady})
	}
	write(t, s, func(tx *store.Tx) error {
		if _, err := tx.LockImport(ctx, account, id); err != nil {
			return err
		}
		if _, err := tx.LockImportFor(ctx, reader, id); err != nil {
			return err
		}
		if err := tx.ReplaceImportRows(ctx, typus.Import{ID: id, AccountID: account, Total: 51, Valid: 51}, lines); err != nil {
			return err
		}
		must[[]typus.ImportRow](t)(tx.MendedRows(ctx, account, id))
		return tx.MendRows(ctx, typus.Import{ID: id, AccountID: account, Valid: 51}, lines[:1])
	})
	for _, state := range []typus.RowState{"", typus.RowReady} {
		must[[]typus.ImportRow](t)(s.ImportRows(ctx, account, id, state, 0, 10))
		must[[]typus.ImportRow](t)(s.ImportRowsFor(ctx, reader, id, state, 0, 10))
	}
	if _, _, err := s.ImportAndCounts(ctx, reader, id); err != nil {
		t.Fatal(err)
	}
	must[int](t)(s.OpenImports(ctx, account))
	for _, reader := range readers(account) {
		must[map[int64]typus.Candidate](t)(s.ImportedCandidates(ctx, reader, id, 0, 500))
	}
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.StartImport(ctx, account, id, noon)
		return err
	})
	must[bool](t)(s.ImportWaits(ctx, time.Minute))
	_, _, err := s.ClaimImport(ctx, "me", lease)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, func(tx *store.Tx) error {
		if _, err := tx.HoldImport(ctx, "me", account, id, lease); err != nil {
			return err
		}
		return tx.SettleImportRows(ctx, account, id, lines)
	})
	if err := s.ReleaseImports(ctx, "me"); err != nil {
		t.Fatal(err)
	}
	if err := s.PutOffImport(ctx, "me", account, id, lease); err != nil {
		t.Fatal(err)
	}
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.EndImport(ctx, account, id, typus.ImportDone, noon, noon)
		return err
	})
	for more := true; more; {
		write(t, s, func(tx *store.Tx) error {
			var err error
			more, err = tx.DropImportRows(ctx, noon)
			if err == nil {
				err = tx.DropRowsOf(ctx, account, id)
			}
			return err
		})
	}
	must[map[string]int64](t)(s.OpenByEmail(ctx, account, 0, []string{"ada@example.com"}, noon))
}

func readEverything(t testing.TB, s *store.Store, account, id int64) {
	t.Helper()
	ctx := t.Context()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil && typus.KindOf(err) != typus.NotFound {
			t.Fatal(err)
		}
	}
	check(s.Migrate(ctx))
	check(nil, s.CheckSchema(ctx))
	check(s.Fresh(ctx))
	check(nil, s.Ping(ctx))
	check(nil, s.FindRoom(ctx))
	if s.Full() {
		t.Error("a disk with room is full")
	}
	check(nil, s.QuickCheck(ctx))
	check(s.Settings(ctx))
	check(s.Warnings(ctx))
	check(s.Account(ctx, account))
	check(s.Accounts(ctx))
	check(s.Logo(ctx, account, "x"))
	check(s.LogoHash(ctx, account, 1))
	check(s.AccountsToForget(ctx))
	check(nil, s.WithClock(nil).ReadClock(ctx, time.Hour))
	check(s.Settled(ctx, time.Hour))
	for _, a := range []typus.Account{{ID: account}, {ID: account, KeepFromDecision: true}} {
		check(s.DueFinished(ctx, a, noon, store.Due{}, 10))
		check(s.CountDueFinished(ctx, a, noon, 10))
	}
	check(s.DueUnfinished(ctx, typus.Account{ID: account}, noon, store.Due{}, 10))
	check(s.RetentionTurns(ctx, account, 10))
	check(s.CountDueUnfinished(ctx, typus.Account{ID: account}, noon, 10))
	_, _, err := s.SentForm(ctx, account, "form")
	check(nil, err)
	check(s.CreditOutlook(ctx, account, noon, noon))
	check(s.UserByEmail(ctx, account, "ada@example.com"))
	check(s.ReaderFor(ctx, account, id))
	check(s.APIKeys(ctx, account))
	check(s.APIKey(ctx, account, id))
	check(s.CallsByKey(ctx, account, noon))
	_, _, err = s.KeysAndCalls(ctx, account, noon)
	check(0, err)
	for _, key := range []int64{0, 1} {
		for _, code := range []string{"", "not_found"} {
			_, _, err := s.RefusedCalls(ctx, account, store.RefusedCallFilter{KeyID: key, Code: code, Limit: 50})
			check(nil, err)
		}
	}
	check(s.TrimRefusedCalls(ctx, 0))
	check(s.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DropSentForms(ctx, noon) }))
	check(s.APIKeyByHash(ctx, "hash"))
	check(s.Candidate(ctx, account, id))
	check(s.CandidateByToken(ctx, "hash"))
	check(s.VisitByToken(ctx, "hash"))
	check(s.OwnPage(ctx, typus.Candidate{ID: id, AccountID: account}))
	check(s.OwnResult(ctx, id))
	check(s.Person(ctx, account, id))
	check(s.OwnTerms(ctx, typus.Candidate{ID: id, AccountID: account}))
	for _, reader := range readers(account) {
		check(s.OpenRequests(ctx, reader, 10))
	}
	for _, by := range []store.By{store.ByID, store.ByExternalID} {
		for _, position := range []int64{store.AnyPosition, 0} {
			_, _, err := s.CandidateByRef(ctx, account, "7", by, position)
			check(nil, err)
		}
	}
	for _, f := range filters() {
		_, _, err := s.Candidates(ctx, account, f)
		check(nil, err)
	}
	check(s.TagsOf(ctx, account, id))
	check(s.LettersOf(ctx, account, id))
	_, err = s.Sheet(ctx, account, id)
	check(nil, err)
	check(s.EarlierOf(ctx, store.WholeAccount(account), id))
	check(s.SameAddress(ctx, store.WholeAccount(account), typus.Candidate{ID: id, AccountID: account, Email: "x@example.com"}))
	for _, reader := range readers(account) {
		check(s.FinishedByEmail(ctx, reader, []string{"baer@example.com"}))
		check(s.HeldExternalIDs(ctx, reader, []string{"crm-1"}))
	}
	_, _, err = s.Takeable(ctx, typus.Candidate{AccountID: account, ID: id, Email: "baer@example.com"}, store.Takeable{From: noon, To: noon})
	check(nil, err)
	check(s.Result(ctx, account, id))
	check(s.Results(ctx, account, 0, 1))
	check(s.CreditEntries(ctx, account, 10))
	check(s.LastGrant(ctx, account))
	check(s.Endpoint(ctx, account, id))
	check(s.Endpoints(ctx, account))
	check(s.EndpointRates(ctx, account, noon, noon))
	check(s.Secrets(ctx, account, id))
	check(s.EventOf(ctx, account, id, typus.EventCandidateCompleted))
	check(s.Delivery(ctx, account, "dlv_1"))
	check(s.SentBody(ctx, account, "evt_1"))
	_, _, err = s.FailingDelivery(ctx, account, id)
	check(nil, err)
	check(s.TestEvents(ctx, account, noon, noon, 5))
	check(s.DeliveriesOf(ctx, account, "evt_1"))
	check(s.Attempts(ctx, account, "dlv_1"))
	check(s.LastLetter(ctx, account, id, typus.LetterInvitation))
	check(s.AccountLetterSince(ctx, account, typus.LetterCreditsLow, noon, noon))
	check(s.MailStates(ctx, account, []int64{id}))
	check(s.Letters(ctx, account, 10))
	check(s.QueuedLetters(ctx))
	check(s.Tombstones(ctx, store.Cursor{At: noon, ID: id}, 10))
	_, _, err = s.StillThere(ctx, store.Tombstone{ID: id, CreatedAt: noon})
	check(nil, err)
	check(s.CountVolume(ctx))
	check(s.Newest(ctx))
	check(s.OverdueAt(ctx, noon))
	check(s.Backlog(ctx))
	check(s.Size(ctx))
	s.Groups()
	check(s.ClockShown(ctx))
	write(t, s, func(tx *store.Tx) error {
		check(tx.EndSessions(ctx))
		return nil
	})
	for _, filter := range []typus.LetterStand{"", typus.LetterStandWaiting, typus.LetterStandDeferred, typus.LetterStandPostponed, typus.LetterStandSent, typus.LetterStandUncertain, typus.LetterStandBounced, typus.LetterStandHeld} {
		_, _, err := s.LetterTerms(ctx, typus.Account{ID: account}, typus.LetterInvitation, "de", id)
		check(nil, err)
		for _, reader := range readers(account) {
			check(s.LetterLog(ctx, reader, filter, 0, 10))
		}
	}
	check(s.Letter(ctx, account, 1))
	check(s.LetterTemplate(ctx, account, typus.LetterInvitation, "de"))
	check(s.LetterTemplates(ctx, account))
	check(s.DueReminders(ctx, noon, store.Due{}, 10))
	check(s.RemindersAfter(ctx, noon, store.Due{}, 10))
	check(s.Reminding(ctx, account, id))
	check(s.DueExpiries(ctx, noon, store.Due{}, 10))
	check(s.ToldToAnswer(ctx, typus.Account{ID: account, ContactEmail: "team@example.com"}, typus.Candidate{ID: id}))
	check(s.Told(ctx, typus.Account{ID: account, ContactEmail: "team@example.com"}, []typus.Candidate{{ID: id}}))
	_, _, err = s.FinishedSince(ctx, typus.Account{ID: account, NotifyEmails: "team@example.com"}, typus.Letter{UserID: 1}, noon, 1)
	check(nil, err)
	check(s.WhyNotTold(ctx, typus.Letter{AccountID: account, CandidateID: id, To: "team@example.com"}))
	for _, reader := range readers(account) {
		check(s.RatingsOf(ctx, reader, id))
	}
	write(t, s, func(tx *store.Tx) error {
		if _, err := tx.RatedAt(ctx, id, 1); err != nil {
			return err
		}
		if err := tx.SetRated(ctx, id, 1, noon); err != nil {
			return err
		}
		if err := tx.DropRatings(ctx, id, 1); err != nil {
			return err
		}
		if err := tx.DropRating(ctx, id, 1, "co2"); err != nil {
			return err
		}
		return tx.PutRating(ctx, id, store.Rating{UserID: 1, Question: "co2", SavedAt: noon})
	})
	check(s.AuditOf(ctx, account, id))
	check(s.Noted(ctx, account, id, 1, "report.opened"))
	check(s.Audit(ctx, account, 10))
	check(s.Mark(ctx, "mark"))
	check(s.Marks(ctx, "mark"))
}

// filters are all combinations of filters that have a statement of their own.
func filters() []store.CandidateFilter {
	var list []store.CandidateFilter
	for i := range 64 {
		f := store.CandidateFilter{Limit: 50}
		if i&1 > 0 {
			f.Status = typus.StatusFinished
		}
		if i&2 > 0 {
			f.ExternalID = "crm-7"
		}
		if i&4 > 0 {
			f.CompletedSince = noon
		}
		if i&8 > 0 {
			f.After = store.Cursor{At: noon, ID: 100000000050000}
		}
		if i&16 > 0 {
			f.HasPosition, f.PositionID = true, int64(i&32)
		} else if i&32 > 0 {
			continue
		}
		list = append(list, f)
	}
	return list
}

// queries are all combinations of what a list for people may be asked for.
func queries() []store.CandidateQuery {
	var list []store.CandidateQuery
	for i := range 16 {
		for _, sort := range []store.CandidateSort{store.SortNewest, store.SortName, store.SortOverall} {
			q := store.CandidateQuery{Sort: sort, Batch: i&8 > 0}
			if sort == store.SortOverall {
				q.Role = "general_sales"
			}
			if i&1 > 0 {
				q.Search = "m"
			}
			if i&2 > 0 {
				q.Tag = "Messe"
			}
			if i&4 > 0 {
				q.Status = typus.StatusOpen
			}
			list = append(list, q)
		}
	}
	return append(list, []store.CandidateQuery{
		{Position: 1}, {General: true, Role: "hunter"}, {Role: "hunter", Stage: typus.StageOffer, Sort: store.SortName},
		{Stage: typus.StageNew}, {Stage: typus.StageRejection, Status: typus.StatusFinished},
		{Stage: typus.StageOffer, Role: "hunter", Sort: store.SortOverall},
	}...)
}

// needs are queries for each need, alone and beside something else.
func needs() []store.CandidateQuery {
	var list []store.CandidateQuery
	for _, need := range store.Needs() {
		q := store.CandidateQuery{Need: need, Now: noon, ReadTo: noon}
		role := q
		role.Role, role.Sort = "hunter", store.SortName
		list = append(list, q, role)
	}
	return list
}

func deliverEverything(t testing.TB, s *store.Store, account, endpoint int64) {
	t.Helper()
	ctx := t.Context()
	_, _, err := s.NextDelivery(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range []func(typus.Delivery) ending{
		func(d typus.Delivery) ending { return failure(d, 0) },
		success,
	} {
		for _, c := range must[[]store.Claimed](t)(s.ClaimDeliveries(ctx, "me", lease, 1)) {
			must[bool](t)(tryFinish(t, s, "you", c.Delivery, success(c.Delivery)))
			must[bool](t)(tryFinish(t, s, "me", c.Delivery, result(c.Delivery)))
		}
	}
	newEvent(t, s, account)
	run(t, s, `update webhook_endpoints set status = 'failing' where id = %d`, endpoint)
	c := must[[]store.Claimed](t)(s.ClaimDeliveries(ctx, "me", lease, 1))[0]
	must[bool](t)(tryFinish(t, s, "me", c.Delivery, success(c.Delivery)))
	newEvent(t, s, account)
	c = must[[]store.Claimed](t)(s.ClaimDeliveries(ctx, "me", lease, 1))[0]
	must[bool](t)(tryFinish(t, s, "me", c.Delivery, lastFailure(c.Delivery)))
	run(t, s, `update webhook_endpoints set status = 'failing', consecutive_failures = 12, first_failure_at = 0 where id = %d`, endpoint)
	sweep(t, s)
	newEvent(t, s, account)
	c = must[[]store.Claimed](t)(s.ClaimDeliveries(ctx, "me", lease, 1))[0]
	must[bool](t)(tryFinish(t, s, "me", c.Delivery, failure(c.Delivery, 0)))
	write(t, s, func(tx *store.Tx) error {
		return tx.SetEndpointStatus(ctx, account, endpoint, typus.EndpointActive, "", noon)
	})
	newEvent(t, s, account)
	must[[]store.Claimed](t)(s.ClaimDeliveries(ctx, "me", -time.Second, 1))
	sweep(t, s)
	release(t, s, "me")
	must[int](t)(s.TakeBackDeliveries(ctx, interrupted))
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.DrainUnanswered(ctx)
		return err
	})
	must[int](t)(s.TakeBackLetters(ctx))
	test := unique("dlv_")
	write(t, s, func(tx *store.Tx) error {
		e := typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, OccurredAt: noon, Payload: []byte("{}")}
		if err := tx.AddTestEvent(ctx, e, endpoint, test); err != nil {
			return err
		}
		must[bool](t)(tx.CancelTest(ctx, account, test, noon))
		if err := tx.DrainEndpoint(ctx, account, endpoint); err != nil {
			return err
		}
		secret := must[[]typus.WebhookSecret](t)(tx.Secrets(ctx, account, endpoint))[0]
		if err := tx.SetSecret(ctx, account, secret); err != nil {
			return err
		}
		return tx.DropSecret(ctx, account, endpoint, secret.ID)
	})
	for _, m := range must[[]store.Move](t)(s.FreeMoves(ctx, lease)) {
		must[bool](t)(s.HoldMove(ctx, m, "me", lease))
		for step := store.MoveOn; step == store.MoveOn; {
			step = must[store.Progress](t)(s.GoOn(ctx, m, "me", lease, time.Now()))
		}
		must[store.Unsettled](t)(s.Unsettled(ctx, m.WorldID))
		if err := s.ReadBack(ctx, m.WorldID, noon); err != nil {
			t.Fatal(err)
		}
		for _, l := range must[[]typus.Letter](t)(s.ClaimLetters(ctx, store.Claim{Owner: "me", Lease: lease, Limit: 1, Kept: true})) {
			l.State = typus.LetterSent
			must[bool](t)(s.KeepLetter(ctx, "me", l, []byte{1}, false))
		}
		if err := s.FreeMove(ctx, m, "me"); err != nil {
			t.Fatal(err)
		}
	}
	replayEverything(t, s, account, endpoint)
	if _, _, err := s.SweepEndpoints(ctx, 0); err != nil {
		t.Fatal(err)
	}
	must[int](t)(s.TakeBackDeliveries(ctx, interrupted))
	must[int](t)(s.TakeBackLetters(ctx))
	if err := s.Alone(ctx); err != nil {
		t.Fatal(err)
	}
	for _, st := range []typus.EndpointStatus{typus.EndpointPaused, typus.EndpointActive, typus.EndpointPaused} {
		write(t, s, func(tx *store.Tx) error { return tx.SetEndpointStatus(ctx, account, endpoint, st, "", noon) })
	}
	write(t, s, func(tx *store.Tx) error {
		if err := tx.ReopenEndpoint(ctx, account, endpoint, noon, true); err != nil {
			return err
		}
		return tx.SetEndpointStatus(ctx, account, endpoint, typus.EndpointDeleted, "", noon)
	})
	if _, err := s.SettleDeliveries(ctx); err != nil {
		t.Fatal(err)
	}
	for _, l := range must[[]typus.Letter](t)(s.ClaimLetters(ctx, store.Claim{Owner: "me", Lease: lease, Limit: 1})) {
		must[bool](t)(s.HandingOver(ctx, "me", l))
		l.State = typus.LetterSent
		must[bool](t)(s.FinishLetter(ctx, "me", l, 0))
	}
	must[[]typus.Letter](t)(s.ClaimLetters(ctx, store.Claim{Owner: "me", Lease: lease, Limit: 3, PerDay: 1}))
	must[int](t)(s.ReleaseHeld(ctx))
	must[int](t)(s.ReleaseLetters(ctx, "me"))
	must[int](t)(s.SweepLetters(ctx, store.Ahead{Lease: lease, Again: lease}))
	_, _, err = s.ClaimChore(ctx, unique("chore"), "me", time.Hour, lease)
	if err != nil {
		t.Fatal(err)
	}
	must[bool](t)(s.KeepChore(ctx, "chore", "me", lease))
	must[bool](t)(s.FinishChore(ctx, "chore", "me", time.Hour, true))
	_, _, err = s.NextLetter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.NextKeptLetter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	world := forwarding(t, s)
	must[[]typus.KeptLetter](t)(s.KeptLetters(ctx, world, 0, 10))
	must[[]typus.KeptLetter](t)(s.KeptLettersTo(ctx, world, "a@example.com", 0, 10))
	for _, f := range must[[]store.Forward](t)(s.ClaimForwards(ctx, store.Ahead{Lease: lease, Again: lease}, 10)) {
		if err := s.FinishForward(ctx, f, true, lease); err != nil {
			t.Fatal(err)
		}
	}
	_, err = s.KeptLetter(ctx, account, 1)
	hasKind(t, "no kept letter", err, typus.NotFound)
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.DropKeptLetters(ctx, noon)
		return err
	})
	if s.Dialect() == "postgres" {
		must[store.Taken](t)(s.TakeRequest(ctx, 1, 100, time.Minute))
	}
	newEndpoint(t, s, account)
	newEvent(t, s, account)
	for _, c := range must[[]store.Claimed](t)(s.ClaimDeliveries(ctx, "me", lease, 1)) {
		gone := failure(c.Delivery, 0)
		gone.Gone = true
		must[bool](t)(tryFinish(t, s, "me", c.Delivery, gone))
	}
}

// worldInTx does everything with the clock of a test world.
func worldInTx(t testing.TB, tx *store.Tx, world int64) {
	t.Helper()
	ctx := t.Context()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	id, _, err := tx.AddCandidate(ctx, candidateOf(world))
	check(id, err)
	act := store.WorldAct{WorldID: world, CandidateID: id, Act: typus.ActSlow, DueAt: noon}
	check(nil, tx.AddWorldActs(ctx, []store.WorldAct{act}))
	check(tx.DueWorldActs(ctx, noon, store.WorldAct{}, 10))
	check(tx.DueActsOf(ctx, world, noon, store.WorldAct{}, 10))
	check(tx.TakeWorldAct(ctx, act, noon))
	check(nil, tx.EndNow(ctx, world, id, noon))
	check(tx.RemindersOf(ctx, world, noon, store.Due{}, 10))
	check(tx.ExpiriesOf(ctx, world, noon, store.Due{}, 10))
	check(tx.NextDue(ctx, world, noon))
	check(tx.WorldEvents(ctx, world, "evt_1", 10))
	check(nil, tx.MoveWorld(ctx, world, time.Hour))
	check(nil, tx.ResetWorld(ctx, world))
	check(nil, tx.SetForwardsLetters(ctx, world, true))
	check(tx.AddLetter(ctx, typus.Letter{AccountID: world, Kind: typus.LetterCreditsLow, CreatedAt: noon}))
	m, err := tx.AddMove(ctx, world, time.Hour)
	check(m, err)
	check(tx.Move(ctx, world, m.ID))
	_, found, err := tx.Moving(ctx, world)
	check(found, err)
}

// replayEverything sends deliveries again, one and many.
func replayEverything(t testing.TB, s *store.Store, account, endpoint int64) {
	t.Helper()
	ctx := t.Context()
	ended(t, s, account, typus.DeliveryExhausted, 3)
	for _, id := range rows(t, s, fmt.Sprintf(`select min(id) from webhook_deliveries where account_id = %d and state in ('exhausted', 'delivered') group by state`, account)) {
		write(t, s, func(tx *store.Tx) error {
			d := must[store.ReplaySource](t)(tx.LockToReplay(ctx, account, id))
			if err := tx.AttemptNow(ctx, d); err != nil {
				return err
			}
			return tx.AddReplay(ctx, d, replayID())
		})
	}
	for _, f := range []store.DeliveryFilter{
		{}, {State: typus.DeliveryExhausted}, {State: typus.DeliveryDelivered, From: noon, Until: noon}, {Outcome: typus.DeliveryTLS},
		{State: typus.DeliveryExhausted, Outcome: typus.DeliveryTLS}, {CandidateID: 1}, {CandidateID: 1, State: typus.DeliveryExhausted},
	} {
		f.EndpointID = endpoint
		must[int](t)(s.CountReplayable(ctx, account, f, 100))
		id := newRun(t, s, account, f)
		replayMore(t, s, account, id)
		must[store.ReplayRun](t)(s.ReplayRun(ctx, account, id))
		must[map[typus.DeliveryState]int](t)(s.ReplayOutcomes(ctx, account, id))
		must[[]store.ReplayRun](t)(s.RunningReplays(ctx))
		if _, _, err := s.LastReplayRun(ctx, account, endpoint); err != nil {
			t.Fatal(err)
		}
		write(t, s, func(tx *store.Tx) error {
			r, err := tx.LockReplayRun(ctx, account, id)
			if err != nil {
				return err
			}
			return tx.EndReplayRun(ctx, r, typus.ReplayDone, noon)
		})
	}
}

func TestEverythingCallsEveryMethod(t *testing.T) {
	called := []string{"Close", "Dialect", "Shared", "Rest", "Lock", "WithClock", "Watched", "Meeting", "WatchedCommits", "Snapshot", "InTx", "OnDue", "Tell", "Listen", "Exec", "Rows", "CandidatesWhere"} // by all tests, or without a statement
	for _, name := range []string{"everything_test.go", "deliveries_test.go", "readers_test.go", "replay_test.go"} {                                                                                        // the others hold what the first calls
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				called = append(called, s.Sel.Name)
			}
			return true
		})
	}
	for _, of := range []reflect.Type{reflect.TypeFor[*store.Store](), reflect.TypeFor[*store.Tx]()} {
		for i := range of.NumMethod() {
			if name := of.Method(i).Name; !slices.Contains(called, name) {
				t.Errorf("everything does not call %s.%s", of, name)
			}
		}
	}
}

// A transaction pooler such as PgBouncer refuses start-up parameters and knows
// no prepared statements; the address says so with this query mode.
func TestEveryStatementRunsThroughATransactionPooler(t *testing.T) {
	everything(t, storetest.Open(t, storetest.Postgres(t)+"?default_query_exec_mode=exec"))
}

// moveAccount reads an account as an export does, and puts a row as an import does.
func moveAccount(t testing.TB, s *store.Store, account int64) {
	t.Helper()
	ctx := t.Context()
	if err := s.ReadMoved(ctx, account, func(int, []any) error { return nil }); err != nil {
		t.Fatal(err)
	}
	notices := slices.IndexFunc(store.MovedTables(), func(m store.MovedTable) bool { return m.Name == "notices" })
	write(t, s, func(tx *store.Tx) error {
		if err := tx.TakeTime(ctx); err != nil {
			return err
		}
		must[[]string](t)(tx.Taken(ctx, "users", "email_key", []string{"nobody@example.com"}))
		must[[]int64](t)(tx.TakenIDs(ctx, "users", []int64{1}))
		must[int64](t)(tx.ReserveIDs(ctx, "users", 0, 0))
		return tx.PutMoved(ctx, notices, [][]any{{"moved", "de", "Hinweis", int64(0)}})
	})
}

// deleteAccount deletes an account as accounts.Delete does.
func deleteAccount(t testing.TB, s *store.Store, account int64) store.Deletion {
	t.Helper()
	removed := newAccount(t, s)
	write(t, s, func(tx *store.Tx) error {
		if err := tx.LockToRemove(t.Context(), removed); err != nil {
			return err
		}
		return tx.RemoveAccount(t.Context(), removed)
	})
	beginDeletion(t, s, account)
	endDeletion(t, s, account)
	return must[store.Deletion](t)(s.Deletion(t.Context(), account))
}

func beginDeletion(t testing.TB, s *store.Store, account int64) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		a, err := tx.LockToBegin(t.Context(), account)
		if err != nil {
			return err
		}
		return tx.BeginDeletion(t.Context(), a, noon.Add(time.Hour))
	})
}

func endDeletion(t testing.TB, s *store.Store, account int64) {
	t.Helper()
	must[int](t)(s.InBatches(t.Context(), func(tx *store.Tx) (int, error) { return tx.DeleteWords(t.Context(), account) }))
	for last := int64(-1); last != 0; {
		write(t, s, func(tx *store.Tx) error {
			var err error
			last, err = tx.DeletePeople(t.Context(), account, max(last, 0), noon.Add(time.Hour))
			return err
		})
	}
	must[int](t)(s.InBatches(t.Context(), func(tx *store.Tx) (int, error) { return tx.DeleteRest(t.Context(), account) }))
	write(t, s, func(tx *store.Tx) error { return tx.EndDeletion(t.Context(), account, noon.Add(time.Hour)) })
}
