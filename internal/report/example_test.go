package report_test

import (
	"encoding/json"
	"fmt"

	"typus/internal/instrument"
	"typus/internal/report"
)

// A report is made from a stored result and the snapshot of its role.
func ExampleOf() {
	in := instrument.Own()
	sheet := in.NewSheet()
	for i, item := range in.Items() {
		sheet.Answers[i] = instrument.Answer{Value: 2 + i%3, ActiveMS: 4000}
		if item.Expect != 0 {
			sheet.Answers[i].Value = item.Expect
		}
	}
	result, err := in.Score(sheet, in.Roles()[0].Key)
	if err != nil {
		panic(err)
	}
	stored, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	role, err := in.RoleSnapshot(in.Roles()[0].Key)
	if err != nil {
		panic(err)
	}
	s, err := report.Read(stored, role)
	if err != nil {
		panic(err)
	}

	r := report.Of(in, s, "en")
	fmt.Println(r.Quality.Heading)
	fmt.Printf("%s: %d, somewhere from %d to %d\n", r.Role.Name, r.Overall.Score, r.Overall.Low, r.Overall.High)
	fmt.Println(r.Persona.Name, r.Persona.Level)
	for _, d := range r.Dimensions[:3] {
		fmt.Println(d.Name, d.Score)
	}
	// Output:
	// No irregularity found
	// General sales: 26, somewhere from 16 to 36
	// Even Profile uncertain
	// Achievement drive 21
	// Contact initiative 40
	// Assertiveness 24
}
