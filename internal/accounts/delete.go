package accounts

import (
	"context"

	"typus"
	"typus/internal/store"
)

// Delete deletes an account for good, with its test world and all that belongs to either, and
// returns what was deleted; name must be the account's. From the first step on nobody is let in
// any more. What was cut off goes on where it was when it is called again, and what is done
// already is told once more. NotFound; Invalid: it has another name; Forbidden: it is a test
// world.
func (s *Steps) Delete(ctx context.Context, accountID int64, name string) (store.Deletion, error) {
	if done, ended := s.ended(ctx, accountID); ended {
		return done, nil
	}
	d, err := s.delete(ctx, accountID, func(a typus.Account) error {
		if a.Name != name {
			return typus.Errorf(typus.Invalid, "the account %d is not called that; --confirm must be its name, as typus account list shows it", a.ID)
		}
		return nil
	})
	if typus.Is(err, typus.NotFound) { // another one, given at the same time, may have ended it
		if done, ended := s.ended(ctx, accountID); ended {
			return done, nil
		}
	}
	return d, err
}

func (s *Steps) ended(ctx context.Context, accountID int64) (store.Deletion, bool) {
	d, err := s.store.Deletion(ctx, accountID)
	return d, err == nil && !d.EndedAt.IsZero()
}

// DeleteListed deletes those accounts again that are on a list of what was erased and are there
// all the same, because a backup from before was restored. They are known by id and by when
// they were created. It returns how many there were.
func (s *Steps) DeleteListed(ctx context.Context, list []store.Tombstone) (int, error) {
	deleted := 0
	for _, stone := range list {
		if !stone.Account {
			continue
		}
		id, found, err := s.store.ListedAccount(ctx, stone)
		if err != nil {
			return deleted, err
		}
		if !found {
			continue
		}
		if _, err := s.delete(ctx, id, func(typus.Account) error { return nil }); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}

func (s *Steps) delete(ctx context.Context, accountID int64, agreed func(a typus.Account) error) (store.Deletion, error) {
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		a, err := tx.LockToBegin(ctx, accountID)
		if err != nil {
			return err
		}
		if a.IsWorld() {
			return a.Itself()
		}
		if err := agreed(a); err != nil || !a.DeletingAt.IsZero() {
			return err
		}
		return s.beginDeletion(ctx, tx, a)
	})
	if err != nil {
		return store.Deletion{}, err
	}
	if err := s.deleteRows(ctx, accountID); err != nil {
		return store.Deletion{}, err
	}
	return s.store.Deletion(ctx, accountID)
}

// beginDeletion keeps, for an invoice that is not written yet, what the account has used in
// this month and the one before.
func (s *Steps) beginDeletion(ctx context.Context, tx *store.Tx, a typus.Account) error {
	now := s.now()
	months, used := []typus.Month{typus.MonthOf(now, a.Zone), typus.MonthOf(now, a.Zone).Before()}, [2]store.Usage{}
	for i, m := range months {
		from, to := m.In(a.Zone)
		var err error
		if used[i], err = tx.Usage(ctx, a.ID, from, to); err != nil {
			return err
		}
	}
	if err := tx.BeginDeletion(ctx, a, now); err != nil {
		return err
	}
	for i, m := range months {
		peopleAt := now
		if _, ended := m.In(a.Zone); ended.Before(now) {
			peopleAt = ended
		}
		if err := tx.KeepUsage(ctx, a.ID, m, peopleAt, used[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Steps) deleteRows(ctx context.Context, accountID int64) error {
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DeleteWords(ctx, accountID) })
	if err != nil {
		return err
	}
	for after := int64(0); ; {
		last := int64(0)
		err := s.store.InTx(ctx, func(tx *store.Tx) error {
			var err error
			last, err = tx.DeletePeople(ctx, accountID, after, s.now())
			return err
		})
		if err != nil {
			return err
		}
		if last == 0 {
			break
		}
		after = last
	}
	if _, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DeleteRest(ctx, accountID) }); err != nil {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error { return tx.EndDeletion(ctx, accountID, s.now()) })
}
