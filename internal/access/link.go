package access

import (
	"context"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// LinkOf finds a one-time link that can still be used. NotFound: there is none.
func (s *Steps) LinkOf(ctx context.Context, token string, purpose typus.LinkPurpose) (store.LinkOwner, error) {
	o, err := s.store.UserLinkByToken(ctx, auth.Hash(token))
	if err == nil && (!o.Link.Usable(s.now()) || o.Link.Purpose != purpose) {
		err = deadLink()
	}
	return o, err
}

func deadLink() error {
	return typus.Errorf(typus.NotFound, "this link was used or replaced, or has run out")
}
