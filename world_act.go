package typus

import "strings"

// Act is what somebody in a test world does by themselves.
type Act string

// The acts. The first five begin a minute after the invitation.
const (
	ActFinish  Act = "finish"  // takes the test with the answers of a vector
	ActSlow    Act = "slow"    // begins, and finishes a day later
	ActHalf    Act = "half"    // begins and stops in the middle
	ActDecline Act = "decline" // does not want to take part
	ActReply   Act = "reply"   // takes the test and comments on the result
	ActExpire  Act = "expire"  // the invitation runs out a minute after it was written
	ActBounce  Act = "bounce"  // every letter comes back
	ActNever   Act = "never"   // does nothing at all
)

// Acts are all acts, in the order of the manual.
func Acts() []Act {
	return []Act{ActFinish, ActSlow, ActHalf, ActDecline, ActReply, ActExpire, ActBounce, ActNever}
}

// ActOf reads from an address what its owner does in a test world: the act is what comes
// before the @ or a plus sign, and the vector of answers what follows the plus sign, up to
// another one. So slow+2@example.com is slow, and finish+closer+2@example.com answers as
// closer. For everybody else both are empty; capitals do not matter.
func ActOf(address string) (Act, string) {
	local, _, _ := strings.Cut(strings.ToLower(address), "@")
	name, rest, _ := strings.Cut(local, "+")
	vector, _, _ := strings.Cut(rest, "+")
	for _, act := range Acts() {
		switch {
		case name != string(act):
		case act != ActFinish:
			return act, ""
		case vector != "":
			return act, vector
		}
	}
	return "", ""
}
