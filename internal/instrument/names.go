package instrument

// Languages are what the instrument is written in, the source language among them; none
// for a bare scoring key.
func (in *Instrument) Languages() []string { return in.def.Languages }

// Text is the statement of an item. Like every name below it is "" for an unknown
// language or key.
func (in *Instrument) Text(lang, itemID string) string { return in.texts[lang].Items[itemID] }

// Labels are the answer labels from the scale's minimum to its maximum.
func (in *Instrument) Labels(lang string) []string {
	return in.texts[lang].Scales[in.def.Scale.LabelsKey]
}

// Title is the name of the test.
func (in *Instrument) Title(lang string) string { return in.def.Title[lang] }

// DimensionName is the name of a dimension or facet.
func (in *Instrument) DimensionName(lang, key string) string {
	for _, s := range in.def.Scales {
		if s.Key == key {
			return s.Name[lang]
		}
	}
	return ""
}

// PersonaName is the name of one of the types.
func (in *Instrument) PersonaName(lang, key string) string { return in.report[lang].Personas[key].Name }

// PersonaSubtitle is the sentence below a persona's name.
func (in *Instrument) PersonaSubtitle(lang, key string) string {
	return in.report[lang].Personas[key].Subtitle
}

// FitLabel is the label of a class of the overall score.
func (in *Instrument) FitLabel(lang, key string) string { return in.report[lang].Fit[key] }

// WarningMessage is what a warning says to the employer.
func (in *Instrument) WarningMessage(lang, key string) string { return in.report[lang].Warnings[key] }

// NormStatement says how far the norm can be trusted.
func (in *Instrument) NormStatement(lang string) string { return in.norm.Statement[lang] }
