package report

// Rated is a question that was asked in an interview, with the ratings of the team, beside
// the score of the dimension that it is about.
type Rated struct {
	Question
	Dimension string // "" for an own question
	Score     string // "" where there is none, or none to be seen
	Ratings   []Heard
}

// Heard is what a user of the team heard, and how they rated it.
type Heard struct {
	Author   string
	Mark     int    // 0: not asked, or not to be judged
	Note     string // lines of text, may be empty
	Informed bool   // they had seen the result before
}
