package store

import (
	"context"
)

// Settings are the database settings in force, by name, and its version.
func (s *Store) Settings(ctx context.Context) (map[string]string, error) {
	inForce := map[string]string{}
	for name, query := range s.d.settings {
		value, err := one(ctx, s.reads, scanText, "", query)
		if err != nil {
			return nil, err
		}
		inForce[name] = value
	}
	return inForce, nil
}
