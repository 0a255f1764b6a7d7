package dashboard

import "typus"

// paramLike names the candidate whose invitation a form repeats.
const paramLike = "wie"

// from fills in the form for another test of a candidate whom the address names: with the same
// name, address, language and role profile. Of somebody who is gone or out of the visitor's
// reach the form knows nothing.
func (f *face) from(v *visit, form inviteForm) error {
	id := numberOr(v.URL.Query().Get(paramLike), 0)
	if id == 0 {
		return nil
	}
	c, err := f.Store.CandidateFor(v.Context(), v.Reader, id)
	if typus.Is(err, typus.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	form.Name.Value, form.Email.Value, form.ExternalID.Value = c.Name, c.Email, c.ExternalID
	form.Language.choose(c.Language)
	form.Role.choose(c.RoleProfile)
	return nil
}

// choose chooses an option, if it is offered.
func (fd *field) choose(value string) {
	offered := false
	for _, o := range fd.Options {
		offered = offered || o.Value == value
	}
	for i, o := range fd.Options {
		fd.Options[i].Chosen = offered && o.Value == value || !offered && o.Chosen
	}
}
