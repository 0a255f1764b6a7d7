package instrument_test

import (
	"fmt"

	"typus/internal/instrument"
)

// Somebody who agrees a little with everything.
func ExampleInstrument_Score() {
	in := instrument.Own()
	sheet := in.NewSheet()
	for i := range sheet.Answers {
		sheet.Answers[i] = instrument.Answer{Value: 4, ActiveMS: 4000}
	}
	result, err := in.Score(sheet, in.Roles()[0].Key)
	if err != nil {
		panic(err)
	}
	fmt.Println(*result.Overall, result.Fit.Label, "–", result.Persona.Name)
	for _, w := range result.Warnings {
		fmt.Println(w.Severity, w.Key)
	}
	// Output:
	// 38 Geringe Übereinstimmung mit dem Rollenprofil – Gleichmaß
	// caution response_quality_doubtful
	// caution long_string
	// caution low_variability
	// notice attention_check_failed
	// info archetype_ambiguous
}

// The first statements of the test, as candidates see them.
func ExampleInstrument_Items() {
	in := instrument.Own()
	for _, item := range in.Items()[:3] {
		fmt.Println(item.ID, item.Scale, in.Text("en", item.ID))
	}
	// Output:
	// ad01 achievement_drive I set myself targets that are slightly higher than required.
	// as07 assertiveness I prefer to wait and see if the other person says yes.
	// ap03 adaptability In conversations I prefer to go through the points I have prepared.
}
