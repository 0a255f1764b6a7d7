package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"typus/internal/store"
)

// A cursor is the place of the last row of a page together with the filters of the
// list, so that it cannot be used with another list. Eight bytes of SHA-256 over the
// account and the content detect a cursor that was cut, changed or made for another
// account. The checksum is no secret and need not be one: a cursor gives no access,
// because every list is read within the key's account.

const cursorSum = 8

func encodeCursor(accountID int64, filters url.Values, at store.Cursor) string {
	content := fmt.Sprintf("%d.%d.%s", at.At.UnixMilli(), at.ID, filters.Encode())
	return base64.RawURLEncoding.EncodeToString(append(sumOf(accountID, content), content...))
}

func sumOf(accountID int64, content string) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "cursor %d %s", accountID, content))
	return sum[:cursorSum]
}

// shownCursor is a place in a list as its cursor keeps it: with the time that is shown, so that
// it stays the same place when the clock of a test world has been moved on.
func shownCursor(ctx context.Context, at store.Cursor) store.Cursor {
	return store.Cursor{At: worldOf(ctx).WorldTime(at.At), ID: at.ID}
}

// meantCursor is the reverse of shownCursor; the zero cursor, the first page, stays what it is.
func meantCursor(ctx context.Context, at store.Cursor) store.Cursor {
	return store.Cursor{At: worldOf(ctx).MachineTime(at.At), ID: at.ID}
}

// decodeCursor reports false for everything that encodeCursor did not make for this account.
func decodeCursor(accountID int64, cursor string) (url.Values, store.Cursor, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	// The decoder skips line breaks and spare bits; we write neither.
	if err != nil || len(raw) < cursorSum || base64.RawURLEncoding.EncodeToString(raw) != cursor {
		return nil, store.Cursor{}, false
	}
	content := string(raw[cursorSum:])
	parts := strings.SplitN(content, ".", 3)
	if string(raw[:cursorSum]) != string(sumOf(accountID, content)) || len(parts) != 3 {
		return nil, store.Cursor{}, false
	}
	ms, err1 := strconv.ParseInt(parts[0], 10, 64)
	id, err2 := strconv.ParseInt(parts[1], 10, 64)
	filters, err3 := url.ParseQuery(parts[2])
	return filters, store.Cursor{At: time.UnixMilli(ms), ID: id}, err1 == nil && err2 == nil && err3 == nil
}

// cursor reads the place to go on from. The filters in the cursor apply without being
// sent again. A filter that is sent again must be the same.
func (q *query) cursor(accountID int64) store.Cursor {
	if q.values.Get("cursor") == "" { // tools that fill in every parameter send an empty one
		return store.Cursor{}
	}
	filters, at, ok := decodeCursor(accountID, q.values.Get("cursor"))
	if !ok {
		q.fault("cursor", "is not a cursor of this list; follow the Link header as it stands")
		return store.Cursor{}
	}
	for _, name := range filterNames() {
		if q.values.Has(name) && (!filters.Has(name) || q.values.Get(name) != filters.Get(name)) {
			q.fault("cursor", "belongs to a list with another "+name+"; follow the Link header as it stands")
		} else if filters.Has(name) {
			q.values.Set(name, filters.Get(name))
		}
	}
	return at
}
