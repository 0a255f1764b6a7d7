package store

import "typus/internal/db"

// Where a test stands, said to the database as typus.Candidate.Stand says it to the
// program; a test compares the two. Each condition stands behind "where" or "and", and
// is about the only table of its query that is called candidates.
const (
	// unfinished is true of a test that no result has ended and nobody has erased.
	unfinished = `completed_at is null and erased_at is null`
	// invited is true until the test is finished or the invitation withdrawn; only time
	// can end it besides.
	invited = unfinished + ` and cancelled_at is null`
)

// These end with a comparison, to which the parameter with the present time is added.
const (
	// goesOn: open or begun. These are the tests that will cost a credit.
	goesOn = invited + ` and declined_at is null and expires_at > `
	// linkWorks: open, begun or declined. Whoever has declined may take that back by the
	// same link, so an invitation is still there, and a second one is against their word.
	// The sums keep the databases from an index of end dates, or of whoever is not erased,
	// because it is asked about the few candidates of one address.
	linkWorks = `completed_at is null and erased_at` + db.OffIndex + ` is null and cancelled_at is null and expires_at` + db.OffIndex + ` > `
	// ranOut: expired.
	ranOut = invited + ` and expires_at <= `
)
