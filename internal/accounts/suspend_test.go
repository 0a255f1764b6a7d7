package accounts_test

import (
	"testing"
	"time"

	"typus"
)

// Who suspends again without a reason changes nothing, and who gives another one that alone:
// since when it has been suspended stays, to the millisecond.
func TestSuspendingAgainKeepsWhatIsNotSaid(t *testing.T) {
	run(t, func(w *world) {
		first, err := w.Accounts.Suspend(w.Context(), w.Account, new("an invoice"), ada)
		w.Must(err)
		for _, again := range []struct {
			reason *string
			want   string
		}{{nil, "an invoice"}, {new(" two invoices "), "two invoices"}, {nil, "two invoices"}, {new(""), ""}, {nil, ""}} {
			w.Later(time.Hour)
			now, err := w.Accounts.Suspend(w.Context(), w.Account, again.reason, ada)
			w.Must(err)
			stored, err := w.Store.Account(w.Context(), w.Account)
			w.Must(err)
			for _, a := range []typus.Account{now, stored} {
				if a.SuspendedReason != again.want || !a.SuspendedAt.Equal(first.SuspendedAt) || a.SuspendedAt.IsZero() {
					t.Errorf("suspended since %s: %q, want %s: %q", a.SuspendedAt, a.SuspendedReason, first.SuspendedAt, again.want)
				}
			}
		}
		entries, err := w.Store.Audit(w.Context(), w.Account, 10)
		w.Must(err)
		n := 0
		for _, e := range entries {
			if e.Action == typus.AuditAccountSuspended {
				n++
			}
		}
		if n != 3 {
			t.Errorf("%d lines in the audit log, want one for each reason", n)
		}
	})
}
