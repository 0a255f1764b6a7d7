package instrument

// Matched is a result as it would be with another role profile: its overall score and its
// class. It leaves the rest as it is. False: a dimension has too few answers, or the
// profile asks for other dimensions.
func (in *Instrument) Matched(r Result, role Role) (int, string, bool) {
	if len(role.Zones) != len(in.dimensions) || len(r.Dimensions) != len(in.dimensions) || !located(r.Dimensions) {
		return 0, "", false
	}
	role.sem = overallSEM(in.dimensions, role.Zones, role.Below)
	in.match(&r, role)
	return *r.Overall, r.Fit.Key, true
}
