package typus

import "time"

// AuditEntry is one line of the append-only audit log.
type AuditEntry struct {
	ID          int64
	AccountID   int64
	CandidateID int64  // 0 unless the action is about one candidate
	UserID      int64  // the user who did it, 0 for anybody else
	Actor       string // "operator", "candidate", "api key <fingerprint>", a user's e-mail, "" for a stranger
	Action      AuditAction
	Detail      string
	IP          string // address of who did it, "" where there was no request
	RequestID   string // "" where there was no request
	CreatedAt   time.Time
}

// AuditAction says what was done, as it is stored and exported. Each constant is written
// by one step at least and has words in the dashboard; a test wants both.
type AuditAction string

// What the audit log can say. These words are stored, so they must not change.
const (
	AuditAccountSetUp           AuditAction = "account.set_up"
	AuditAccountSignedUp        AuditAction = "account.signed_up"
	AuditAccountScoreSortingOn  AuditAction = "account.score_sorting_on"
	AuditAccountScoreSortingOff AuditAction = "account.score_sorting_off"
	AuditAccountChanged         AuditAction = "account.changed"
	AuditAccountLogoChanged     AuditAction = "account.logo_changed"
	AuditAccountLogoRemoved     AuditAction = "account.logo_removed"
	AuditAccountExported        AuditAction = "account.exported" // begun, into a file
	AuditAccountImported        AuditAction = "account.imported" // from a file, with its id there
	AuditAccountSuspended       AuditAction = "account.suspended"
	AuditAccountResumed         AuditAction = "account.resumed"
	AuditKeyLost                AuditAction = "account.key_lost" // what is new since the server's secret key was lost

	AuditUserCreated           AuditAction = "user.created"
	AuditUserInvited           AuditAction = "user.invited"
	AuditUserLinkMade          AuditAction = "user.link_made" // for a first password, anew
	AuditUserJoined            AuditAction = "user.joined"    // set the first password
	AuditUserRoleChanged       AuditAction = "user.role_changed"
	AuditUserReachChanged      AuditAction = "user.reach_changed" // whose candidates they read
	AuditUserRemoved           AuditAction = "user.removed"
	AuditUserRenamed           AuditAction = "user.renamed"
	AuditUserLoggedIn          AuditAction = "user.logged_in"
	AuditUserLoginFailed       AuditAction = "user.login_failed"
	AuditUserPasswordWrong     AuditAction = "user.password_wrong" // at a change that asks for it
	AuditUserLoggedOut         AuditAction = "user.logged_out"
	AuditUserCodeFailed        AuditAction = "user.code_failed" // a wrong second factor
	AuditUserSessionEnded      AuditAction = "user.session_ended"
	AuditUserSessionsEnded     AuditAction = "user.sessions_ended"
	AuditUserPasswordForgotten AuditAction = "user.password_forgotten"
	AuditUserPasswordSet       AuditAction = "user.password_set"
	AuditUserPasswordChanged   AuditAction = "user.password_changed"
	AuditUserEmailChangeAsked  AuditAction = "user.email_change_asked"
	AuditUserEmailChanged      AuditAction = "user.email_changed"
	AuditUserEmailRestored     AuditAction = "user.email_restored"
	AuditUserTOTPReset         AuditAction = "user.totp_reset"
	AuditUserTOTPOn            AuditAction = "user.totp_on"
	AuditUserTOTPOff           AuditAction = "user.totp_off"
	AuditUserRecoveryCodesMade AuditAction = "user.recovery_codes_made"
	AuditUserRecoveryCodeUsed  AuditAction = "user.recovery_code_used"

	AuditKeyCreated AuditAction = "key.created"
	AuditKeyRevoked AuditAction = "key.revoked"

	AuditWebhookCreated        AuditAction = "webhook.created"
	AuditWebhookDeleted        AuditAction = "webhook.deleted"
	AuditWebhookChanged        AuditAction = "webhook.changed"
	AuditWebhookPaused         AuditAction = "webhook.paused"
	AuditWebhookResumed        AuditAction = "webhook.resumed"
	AuditWebhookSwitchedOff    AuditAction = "webhook.switched_off" // by itself, because of failures
	AuditWebhookTested         AuditAction = "webhook.tested"
	AuditWebhookReplayed       AuditAction = "webhook.replayed" // one delivery was sent again, or at once
	AuditReplayStarted         AuditAction = "webhook.replay_started"
	AuditReplayCancelled       AuditAction = "webhook.replay_cancelled"
	AuditReplayFinished        AuditAction = "webhook.replay_finished"
	AuditWebhookSecretShown    AuditAction = "webhook.secret_shown"
	AuditWebhookSecretMade     AuditAction = "webhook.secret_made"
	AuditWebhookSecretSwitched AuditAction = "webhook.secret_switched"
	AuditWebhookSecretDropped  AuditAction = "webhook.secret_dropped"

	AuditCandidateFinishedByOperator AuditAction = "candidate.finished_by_operator" // with made-up answers
	AuditCandidateCancelled          AuditAction = "candidate.cancelled"
	AuditCandidateExtended           AuditAction = "candidate.extended"
	AuditCandidateCorrected          AuditAction = "candidate.corrected"
	AuditCandidateReminded           AuditAction = "candidate.reminded"
	AuditCandidateInvitationResent   AuditAction = "candidate.invitation_resent"
	AuditCandidateDeclined           AuditAction = "candidate.declined"
	AuditCandidateErased             AuditAction = "candidate.erased"
	AuditCandidateKept               AuditAction = "candidate.kept" // beyond the retention, until when
	AuditCandidateKeepEnded          AuditAction = "candidate.keep_ended"
	AuditCandidateInvited            AuditAction = "candidate.invited"
	AuditCandidateEnrolled           AuditAction = "candidate.enrolled" // by themselves, at a public link
	AuditCandidateExpired            AuditAction = "candidate.expired"
	AuditCandidateLinkRequested      AuditAction = "candidate.link_requested"
	AuditCandidateRemindersOff       AuditAction = "candidate.reminders_off"
	AuditCandidateCommented          AuditAction = "candidate.commented"
	AuditCommentRead                 AuditAction = "comment.read"
	AuditCandidateDecided            AuditAction = "candidate.decided" // the log does not say what

	AuditOwnReleased  AuditAction = "own_result.released"
	AuditOwnAsked     AuditAction = "own_result.asked"    // by the candidate, for what the detail names
	AuditOwnAnswered  AuditAction = "own_result.answered" // a request
	AuditOwnEntered   AuditAction = "own_result.entered"  // by a code to the candidate's address
	AuditOwnTerms     AuditAction = "account.own_result_changed"
	AuditPositionOwn  AuditAction = "position.own_result_changed"
	AuditPersonCopied AuditAction = "candidate.copied" // everything that is stored about one

	AuditCandidatesExported AuditAction = "candidates.exported"

	AuditReportViewed              AuditAction = "report.viewed"
	AuditReportViewedBeforeRating  AuditAction = "report.viewed_before_rating" // by who is exempt from rating first
	AuditReportSaved               AuditAction = "report.saved"                // as a file, which is a look at it too
	AuditReportOpened              AuditAction = "report.opened"               // on purpose, although it should not be interpreted
	AuditReportOpenedWithoutRating AuditAction = "report.opened_without_rating"

	AuditPositionAdded           AuditAction = "position.added"
	AuditPositionChanged         AuditAction = "position.changed"
	AuditPositionMembers         AuditAction = "position.members_changed" // whom it names
	AuditPositionConfidentialOn  AuditAction = "position.confidential_on"
	AuditPositionConfidentialOff AuditAction = "position.confidential_off"
	AuditPositionClosed          AuditAction = "position.closed" // what became of open invitations: keep or cancel
	AuditPositionReopened        AuditAction = "position.reopened"
	AuditPositionArchived        AuditAction = "position.archived"

	AuditPublicLinkOn      AuditAction = "position.link_on" // how many it lets in, and until when
	AuditPublicLinkChanged AuditAction = "position.link_changed"
	AuditPublicLinkRenewed AuditAction = "position.link_renewed" // the former address is dead
	AuditPublicLinkRevoked AuditAction = "position.link_revoked"

	AuditPositionBlindOn     AuditAction = "position.blind_on"
	AuditPositionBlindToAll  AuditAction = "position.blind_to_all"
	AuditPositionBlindOff    AuditAction = "position.blind_off"
	AuditPositionCore        AuditAction = "position.core_changed" // the questions that everybody is asked
	AuditRoleExpertsAsked    AuditAction = "role_profile.experts_asked"
	AuditRoleExpertsClosed   AuditAction = "role_profile.experts_closed"
	AuditRoleExpertsErased   AuditAction = "role_profile.experts_erased" // who they were, not what they said
	AuditRoleSigned          AuditAction = "role_profile.signed"
	AuditRoleArchived        AuditAction = "role_profile.archived"
	AuditRoleOffered         AuditAction = "role_profile.offered" // again
	AuditInterviewRated      AuditAction = "interview.rated"
	AuditInterviewChanged    AuditAction = "interview.changed"             // its ratings, within assess.Rethink
	AuditInterviewRatedEarly AuditAction = "interview.rated_before_result" // before the test was completed
	AuditNoteDeleted         AuditAction = "note.deleted"

	AuditImportStarted   AuditAction = "import.started"
	AuditImportCancelled AuditAction = "import.cancelled"
	AuditImportFinished  AuditAction = "import.finished"
	AuditImportExported  AuditAction = "import.exported"

	AuditLetterTried           AuditAction = "letter.tried" // to oneself
	AuditLetterRetried         AuditAction = "letter.retried"
	AuditLetterReturned        AuditAction = "letter.returned" // by another mail server, after ours had taken it
	AuditLetterTemplateChanged AuditAction = "letter_template.changed"
	AuditLetterTemplateReset   AuditAction = "letter_template.reset"

	AuditCreditsExported AuditAction = "credits.exported"

	AuditRetentionErased  AuditAction = "retention.erased"
	AuditRetentionWaits   AuditAction = "retention.waits" // for somebody to allow more
	AuditRetentionAllowed AuditAction = "retention.allowed"

	AuditWorldMoved      AuditAction = "world.moved" // the clock of a test world, by how much
	AuditWorldReset      AuditAction = "world.reset"
	AuditWorldCredits    AuditAction = "world.credits_set" // to which balance
	AuditWorldForwardOn  AuditAction = "world.forward_on"  // letters to people of the account are sent, too
	AuditWorldForwardOff AuditAction = "world.forward_off"

	AuditAuditExported AuditAction = "audit.exported"
)
