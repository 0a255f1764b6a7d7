package notice

import (
	"slices"
	"strings"
)

// A Country is one of those in which a server stands or to which data go.
type Country struct {
	Code   string // ISO 3166-1 alpha-2
	Region Region
	de, en string
	deIn   string // "in der Schweiz"; "" for "in " and the name
	deTo   string // "in die Schweiz"; "" for "nach " and the name
	enThe  bool   // "the Netherlands"
}

// Region is how the General Data Protection Regulation sees a country.
type Region string

// The regions. Outside the European Economic Area data need a safeguard.
const (
	RegionEU    Region = "eu"
	RegionEEA   Region = "eea" // in the European Economic Area but not in the EU
	RegionThird Region = "third"
)

// countries are those of the European Economic Area, those of which the European
// Commission had decided by November 2026 that they protect data adequately, and some
// others in which servers stand.
var countries = []Country{
	{Code: "BE", Region: RegionEU, de: "Belgien", en: "Belgium"},
	{Code: "BG", Region: RegionEU, de: "Bulgarien", en: "Bulgaria"},
	{Code: "DK", Region: RegionEU, de: "Dänemark", en: "Denmark"},
	{Code: "DE", Region: RegionEU, de: "Deutschland", en: "Germany"},
	{Code: "EE", Region: RegionEU, de: "Estland", en: "Estonia"},
	{Code: "FI", Region: RegionEU, de: "Finnland", en: "Finland"},
	{Code: "FR", Region: RegionEU, de: "Frankreich", en: "France"},
	{Code: "GR", Region: RegionEU, de: "Griechenland", en: "Greece"},
	{Code: "IE", Region: RegionEU, de: "Irland", en: "Ireland"},
	{Code: "IT", Region: RegionEU, de: "Italien", en: "Italy"},
	{Code: "HR", Region: RegionEU, de: "Kroatien", en: "Croatia"},
	{Code: "LV", Region: RegionEU, de: "Lettland", en: "Latvia"},
	{Code: "LT", Region: RegionEU, de: "Litauen", en: "Lithuania"},
	{Code: "LU", Region: RegionEU, de: "Luxemburg", en: "Luxembourg"},
	{Code: "MT", Region: RegionEU, de: "Malta", en: "Malta", deIn: "auf Malta"},
	{Code: "NL", Region: RegionEU, de: "Niederlande", en: "Netherlands", deIn: "in den Niederlanden", enThe: true},
	{Code: "AT", Region: RegionEU, de: "Österreich", en: "Austria"},
	{Code: "PL", Region: RegionEU, de: "Polen", en: "Poland"},
	{Code: "PT", Region: RegionEU, de: "Portugal", en: "Portugal"},
	{Code: "RO", Region: RegionEU, de: "Rumänien", en: "Romania"},
	{Code: "SE", Region: RegionEU, de: "Schweden", en: "Sweden"},
	{Code: "SK", Region: RegionEU, de: "Slowakei", en: "Slovakia", deIn: "in der Slowakei"},
	{Code: "SI", Region: RegionEU, de: "Slowenien", en: "Slovenia"},
	{Code: "ES", Region: RegionEU, de: "Spanien", en: "Spain"},
	{Code: "CZ", Region: RegionEU, de: "Tschechien", en: "Czechia"},
	{Code: "HU", Region: RegionEU, de: "Ungarn", en: "Hungary"},
	{Code: "CY", Region: RegionEU, de: "Zypern", en: "Cyprus", deIn: "auf Zypern"},
	{Code: "IS", Region: RegionEEA, de: "Island", en: "Iceland"},
	{Code: "LI", Region: RegionEEA, de: "Liechtenstein", en: "Liechtenstein"},
	{Code: "NO", Region: RegionEEA, de: "Norwegen", en: "Norway"},
	{Code: "AR", Region: RegionThird, de: "Argentinien", en: "Argentina"},
	{Code: "AU", Region: RegionThird, de: "Australien", en: "Australia"}, //nolint:misspell // the first is German
	{Code: "BR", Region: RegionThird, de: "Brasilien", en: "Brazil"},
	{Code: "IN", Region: RegionThird, de: "Indien", en: "India"},
	{Code: "IL", Region: RegionThird, de: "Israel", en: "Israel"},
	{Code: "JP", Region: RegionThird, de: "Japan", en: "Japan"},
	{Code: "CA", Region: RegionThird, de: "Kanada", en: "Canada"},
	{Code: "NZ", Region: RegionThird, de: "Neuseeland", en: "New Zealand"},
	{Code: "CH", Region: RegionThird, de: "Schweiz", en: "Switzerland", deIn: "in der Schweiz", deTo: "in die Schweiz"},
	{Code: "RS", Region: RegionThird, de: "Serbien", en: "Serbia"},
	{Code: "SG", Region: RegionThird, de: "Singapur", en: "Singapore"},
	{Code: "KR", Region: RegionThird, de: "Südkorea", en: "South Korea"},
	{Code: "TR", Region: RegionThird, de: "Türkei", en: "Türkiye", deIn: "in der Türkei", deTo: "in die Türkei"},
	{Code: "UA", Region: RegionThird, de: "Ukraine", en: "Ukraine", deIn: "in der Ukraine", deTo: "in die Ukraine"},
	{Code: "UY", Region: RegionThird, de: "Uruguay", en: "Uruguay"},
	{Code: "US", Region: RegionThird, de: "Vereinigte Staaten", en: "United States", deIn: "in den Vereinigten Staaten", deTo: "in die Vereinigten Staaten", enThe: true},
	{Code: "GB", Region: RegionThird, de: "Vereinigtes Königreich", en: "United Kingdom", deIn: "im Vereinigten Königreich", deTo: "in das Vereinigte Königreich", enThe: true},
}

// Countries are those that the notice can name, in a language's order of their names
// within each region.
func Countries(language string) []Country {
	list := slices.Clone(countries)
	slices.SortStableFunc(list, func(a, b Country) int {
		if a.Region != b.Region {
			return regionRank(a.Region) - regionRank(b.Region)
		}
		if language == "en" {
			return strings.Compare(a.en, b.en)
		}
		return 0 // the table is in the German order
	})
	return list
}

// CountryOf finds a country by its code; it reports false for one that the notice cannot
// name.
func CountryOf(code string) (Country, bool) {
	i := slices.IndexFunc(countries, func(c Country) bool { return c.Code == code })
	if i < 0 {
		return Country{}, false
	}
	return countries[i], true
}

// Name is the country's name in a language.
func (c Country) Name(language string) string {
	if language == "en" {
		return c.en
	}
	return c.de
}

// in is the country as a place: "in der Schweiz".
func (c Country) in(language string) string {
	switch {
	case language == "en" && c.enThe:
		return "in the " + c.en
	case language == "en":
		return "in " + c.en
	case c.deIn != "":
		return c.deIn
	}
	return "in " + c.de
}

// to is the country as a destination: "in die Schweiz".
func (c Country) to(language string) string {
	switch {
	case language == "en" && c.enThe:
		return "to the " + c.en
	case language == "en":
		return "to " + c.en
	case c.deTo != "":
		return c.deTo
	}
	return "nach " + c.de
}

func regionRank(r Region) int { return slices.Index([]Region{RegionEU, RegionEEA, RegionThird}, r) }
