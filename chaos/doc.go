// Package chaos breaks real servers and looks whether they have kept what Typus promises.
//
// It starts the program as processes on this machine, leads people through the test over
// HTTP as a customer's system and browsers do, and keeps a journal of everything that was
// acknowledged. Then it kills, stops, freezes or starves a server, or its database, lets it
// go on, and compares. What must hold after every blow:
//
//   - What was acknowledged is stored: each invitation, each answer, each test handed in.
//   - Nothing is stored that nobody has sent.
//   - A finished test has one ledger entry, one event and one result, and nobody else has any.
//   - The credits are those granted less the tests finished, and each entry's balance is the
//     sum of all up to it.
//   - Each event has arrived at each receiver or is on its way there; no attempt twice.
//   - An SQLite file is whole (integrity_check, foreign_key_check).
//
// The tests need the tag chaos:
//
//	make chaos                    everything
//	make chaos SHORT=1            the same with small sizes, in CI, too
//	make chaos ONLY='Kill9/sqlite' ROUNDS=500 SEED=7
//	make chaos ONLY=ASteadyLoad SOAK=72h
//
// What is drawn follows from a seed, which is printed; how processes interleave does not, so
// that a seed brings back the blows and not always the fault. Which test proves which promise
// stands in the table at /docs/betrieb.
package chaos
