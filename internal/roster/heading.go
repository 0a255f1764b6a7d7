package roster

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Column is what a column may mean, "" for nothing of ours.
type Column string

// The meanings of a column; each may occur once.
const (
	Name       Column = "name"
	FirstName  Column = "first_name"
	LastName   Column = "last_name"
	Email      Column = "email"
	ExternalID Column = "external_id"
	Language   Column = "language"
)

// headings are the names of columns that we know, in German and English: in lower
// case, letters and digits only.
var headings = map[Column][]string{
	Name: {"name", "fullname", "vollername", "vollständigername", "kandidat", "kandidatin", "kandidatinname", "kandidatenname", "bewerber", "bewerberin",
		"bewerbername", "candidate", "candidatename", "applicant", "applicantname", "person", "personname", "kontakt", "kontaktname", "contact", "contactname",
		"displayname", "anzeigename", "legalname", "vorundnachname", "vornameundnachname", "vornamenachname", "firstandlastname"},
	FirstName: {"vorname", "vornamen", "firstname", "givenname", "rufname", "forename", "fname"},
	LastName:  {"nachname", "familienname", "zuname", "lastname", "surname", "familyname", "lname"},
	Email: {"email", "mail", "emailadresse", "mailadresse", "emailaddress", "mailaddress", "emailadress", "emailid", "epost", "workemail", "emailgeschäftlich",
		"emailprivat", "primaryemail", "candidateemail", "applicantemail", "bewerberemail", "personemailwork", "email1value"},
	ExternalID: {"id", "kennung", "referenz", "referenznummer", "reference", "ref", "personalnummer", "bewerbernummer", "bewerbungsid", "bewerbungsnummer",
		"bewerberid", "kandidatenid", "candidateid", "applicantid", "applicationid", "crmid", "recordid", "leadid", "contactid", "personid", "kundennummer", "kdnr"},
	Language: {"sprache", "language", "lang", "locale", "languagecode"},
}

// external are the headings that say more plainly than any other that a column is the
// external ID; our own files have them beside our own ID.
var external = []string{"externalid", "externeid", "extid", "externekennung"}

// turned are the headings of names as lists say them, family name first.
var turned = []string{"namevorname", "nachnamevorname", "familiennamevorname", "lastnamefirstname", "lastfirst", "surnamefirstname"}

// key is a heading in lower case, letters and digits only.
func key(heading string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// meaning is what a heading stands for, "" when we do not know it.
func meaning(heading string) Column {
	k := key(heading)
	switch {
	case slices.Contains(external, k):
		return ExternalID
	case slices.Contains(turned, k):
		return Name
	}
	for col, names := range headings {
		if slices.Contains(names, k) {
			return col
		}
	}
	return ""
}

// stems are what a heading that we do not know may hold, so that it is likely to mean
// something of ours; what the cells hold decides.
var stems = []struct {
	in  string
	col Column
}{
	{"mail", Email}, {"vorname", FirstName}, {"firstname", FirstName}, {"givenname", FirstName},
	{"nachname", LastName}, {"familienname", LastName}, {"lastname", LastName}, {"surname", LastName}, {"familyname", LastName}, {"name", Name},
}

// likeness is what a heading that we do not know might stand for, "" for nothing.
func likeness(heading string) Column {
	if utf8.RuneCountInString(heading) > shortCell {
		return ""
	}
	k := key(heading)
	for _, s := range stems {
		if strings.Contains(k, s.in) {
			return s.col
		}
	}
	return ""
}

// known counts the meanings of which a record holds headings; 0 for one with an address,
// which names a person.
func known(cells []string) int {
	found := map[Column]bool{}
	for _, cell := range cells[:min(len(cells), maxColumns)] {
		if isAddress(cell) {
			return 0
		}
		if col := meaning(cell); col != "" {
			found[col] = true
		} else if likeness(cell) == Email {
			found[Email] = true
		}
	}
	return len(found)
}

// findHeading finds the line with the headings, unless it is said, and counts what is
// blank below it. A line that there is not, or that is blank, is looked for anew.
func (t *Table) findHeading() {
	at := t.chosenHeading()
	if at == unsaid {
		at, t.Why.Heading = t.guessHeading()
	}
	if t.first = at + 1; at >= 0 {
		t.How.Heading = t.Records[at].Line
	} else {
		t.How.Heading = NoHeading
	}
	for _, rec := range t.people() {
		t.Blank += rec.blank
	}
	t.Ours = wroteIt(t.headings())
}

// unsaid is where nobody has said which record holds the headings, or said what cannot
// be; -1 is no record.
const unsaid = -2

func (t *Table) chosenHeading() int {
	if t.How.Heading == NoHeading {
		return -1
	}
	for at, rec := range t.Records[:min(len(t.Records), maxAbove+1)] {
		if rec.Line == t.How.Heading {
			return at
		}
	}
	return unsaid
}

// guessHeading is the record with the headings, -1 for none: the one with most headings
// that we know, or the one above the first address.
func (t *Table) guessHeading() (int, Why) {
	best, most, person := 0, 0, -1
	for at, rec := range t.Records[:min(len(t.Records), maxAbove+1)] {
		if n := known(rec.Cells); n > most {
			best, most = at, n
		}
		if person < 0 && slices.ContainsFunc(rec.Cells, isAddress) {
			person = at
		}
	}
	switch {
	case most > 1, most == 1 && (person < 0 || best < person):
		return best, ByHeadings
	case person < 0:
		return 0, ByFirst
	case person == 0:
		return -1, ByPerson
	}
	return person - 1, ByPeople
}

// wroteIt reports whether headings are those of a file that Typus wrote: of a list of
// candidates, or of what came of an import.
func wroteIt(headings []string) bool {
	found := map[string]bool{}
	for _, h := range headings {
		found[key(h)] = true
	}
	ours := found["statuswieinderapi"] || found["statusasintheapi"] || found["candidateid"]
	return ours && found["email"] && (found["externalid"] || found["externeid"])
}
