package dashboard

// wholly calls h for who reads every position of the account, which owners do. A program reads
// all of them, whoever has let it in: to an admin from whom a confidential position is hidden
// the page at back says why they can let in none.
func (f *face) wholly(back string, h func(v *visit) error) func(v *visit) error {
	return func(v *visit) error {
		if !v.Reader.Positions.Everything {
			return f.undone(v, back, f.say(v, "position.hiddenFromYou"))
		}
		return h(v)
	}
}
