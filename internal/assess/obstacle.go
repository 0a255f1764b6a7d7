package assess

import (
	"slices"

	"typus"
)

// Obstacle says why something is not done to a candidate. It is the code of the only
// Field of the Conflict.
type Obstacle string

// The obstacles.
const (
	ObstacleFinished  Obstacle = "finished"
	ObstacleCancelled Obstacle = "cancelled"
	ObstacleExpired   Obstacle = "expired"
	ObstacleDeclined  Obstacle = "declined"
	ObstacleUnwanted  Obstacle = "unwanted" // the candidate wants no reminders
	ObstacleQueued    Obstacle = "queued"   // a letter to the candidate is on its way
	ObstacleRecent    Obstacle = "recent"   // a letter was written in the last 24 hours
	ObstacleBounced   Obstacle = "bounced"  // the last letter came back, and the address is still the same
	ObstacleTaken     Obstacle = "taken"    // another open invitation has this external_id and address
	ObstacleDecided   Obstacle = "decided"  // somebody has decided since the user looked
	ObstacleRejected  Obstacle = "rejected" // the candidate is rejected already
	ObstacleOpened    Obstacle = "opened"   // somebody has opened the result
	ObstacleWithheld  Obstacle = "withheld" // the result is kept from the user until they have rated
	ObstacleTerms     Obstacle = "terms"    // whether the candidate sees the result does not hang on a release
)

// A standing is what follows for the steps from where a test stands. Why the courier
// holds a letter says typus.Stand.NotSent.
type standing struct {
	obstacle Obstacle   // why no letter goes to the candidate, "" when one may
	kind     typus.Kind // of the error of who answers items all the same
	why      string     // and its words, "" while the candidate works on the test
}

var standings = map[typus.Stand]standing{
	typus.StandFinished:  {ObstacleFinished, typus.Conflict, "the candidate has finished the test already"},
	typus.StandWithdrawn: {ObstacleCancelled, typus.Gone, "this invitation was withdrawn"},
	typus.StandExpired:   {ObstacleExpired, typus.Gone, "this invitation has expired"},
	typus.StandDeclined:  {ObstacleDeclined, typus.Conflict, "the candidate does not want to take part"},
	typus.StandBegun:     {},
	typus.StandOpen:      {"", typus.Conflict, "the test has not begun"},
}

// Working is nil while the candidate works on the test. Otherwise Gone where the
// invitation expired or was withdrawn, and else Conflict.
func Working(stand typus.Stand) error {
	if s := standings[stand]; s.why != "" {
		return typus.Errorf(s.kind, "%s", s.why)
	}
	return nil
}

// Obstacle says why no letter goes to a candidate, "" when one may.
func (s *Steps) Obstacle(c typus.Candidate) Obstacle { return standings[c.Stand(s.now())].obstacle }

// refuse returns a Conflict if the test stands in one of the given ways.
func (s *Steps) refuse(c typus.Candidate, in ...typus.Stand) error {
	if stand := c.Stand(s.now()); slices.Contains(in, stand) {
		return refused(standings[stand].obstacle)
	}
	return nil
}

// refused is the Conflict of an Obstacle.
func refused(why Obstacle) error {
	return &typus.Error{Kind: typus.Conflict, Msg: "this is not possible: " + string(why), Fields: []typus.Field{{Name: "candidate", Code: string(why)}}}
}
