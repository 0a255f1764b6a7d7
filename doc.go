// Package typus holds the words of the product and nothing else.
//
// Typus is a self-hosted server for a sales-personality test. An account
// invites a candidate through the HTTP API; the candidate answers 97 short
// statements behind a personal link; the answers are scored on nine
// dimensions, matched with a role profile and one of twelve personas; a
// signed webhook reports the result and the API reads it back. One credit is
// booked when a test is finished, never before. The nouns here know neither
// HTTP nor SQL nor JSON: each edge (the API, the webhook, the database) has its
// own view of them. The map of the whole is ARCHITECTURE.md.
package typus
