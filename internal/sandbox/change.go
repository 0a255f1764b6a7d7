package sandbox

import (
	"context"
	"fmt"
	"strings"
	"time"

	"typus"
	"typus/internal/store"
)

// change locks a test world, changes it, and says so in its log. Forbidden: the account is
// live. NotFound.
func (s *Steps) change(ctx context.Context, worldID int64, action typus.AuditAction, detail string, who typus.Actor, do func(tx *store.Tx, world typus.Account) error) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		world, err := tx.LockAccount(ctx, worldID)
		if err != nil {
			return err
		}
		if err := onlyWorld(world); err != nil {
			return err
		}
		if err := do(tx, world); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, who, typus.AuditEntry{AccountID: worldID, Action: action, Detail: detail})
	})
}

func onlyWorld(a typus.Account) error {
	switch {
	case a.ID == 0:
		return typus.Errorf(typus.NotFound, "there is no such account")
	case !a.IsWorld():
		return typus.Errorf(typus.Forbidden, "this is a live account; only a test world's clock can be moved, and only a test world can be reset")
	}
	return nil
}

// iso is a duration as ISO 8601 writes it, to the second.
func iso(d time.Duration) string {
	const day = 24 * time.Hour
	var b strings.Builder
	b.WriteString("P")
	if days := d / day; days > 0 {
		fmt.Fprintf(&b, "%dD", days)
	}
	if d %= day; d == 0 && b.Len() > 1 {
		return b.String()
	}
	b.WriteString("T")
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, "H"}, {time.Minute, "M"}, {time.Second, "S"}} {
		if n := d / unit.length; n > 0 || unit.name == "S" && strings.HasSuffix(b.String(), "T") {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
		}
		d %= unit.length
	}
	return b.String()
}
