package dashboard

import "typus"

// say is a text in the reader's language, with its placeholders filled from pairs of
// name and value. If a key does not exist, which the tests would find, the reader sees
// the key.
func (f *face) say(v *visit, key string, pairs ...any) string {
	said, err := f.pages.Text(v.lang, key, pairs...)
	if err != nil {
		return key
	}
	return said
}

// sayCount is say for a text that depends on a number.
func (f *face) sayCount(v *visit, key string, n int, pairs ...any) string {
	said, err := f.pages.Count(v.lang, key, n, pairs...)
	if err != nil {
		return key
	}
	return said
}

// roleNames are the texts that name the roles.
var roleNames = map[typus.UserRole]string{
	typus.RoleOwner: "team.owner", typus.RoleAdmin: "team.admin", typus.RoleMember: "team.member", typus.RoleViewer: "team.viewer",
	typus.RoleInterviewer: "team.interviewer",
}

// actorTexts name those who are no people.
var actorTexts = map[string]string{
	typus.ActorOperator: "audit.operator", typus.ActorCandidate: "audit.candidate", typus.ActorServer: "audit.server", typus.ActorStranger: "audit.stranger",
}

func (f *face) actorName(v *visit, name string) string {
	if key := actorTexts[name]; key != "" {
		return f.say(v, key)
	}
	return name
}

// inWords is a name in the reader's language, or the stored name if this version of the
// test does not know it.
func inWords(name, stored string) string {
	if name == "" {
		return stored
	}
	return name
}
