package instrument

import "testing"

// attentive is a sheet without any warning, with times.
func attentive(t testing.TB) Sheet {
	t.Helper()
	s := Own().NewSheet()
	for p, it := range Own().Items() {
		s.Answers[p] = Answer{Value: 4 + p%2, ActiveMS: 3000 + 37*p%2000}
		if it.Minus {
			s.Answers[p].Value = 3 - p%2
		}
		if it.Type == Instructed {
			s.Answers[p].Value = it.Expect
		}
	}
	return s
}

// Version 1.0.0 reads the stability of a persona from a table, 2.0.0 simulates a second
// test a thousand times.
func BenchmarkScore(b *testing.B) {
	s := attentive(b)
	for version := range releasedHashes {
		in := releasedAs(b, version)
		b.Run(version, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := in.Score(s, "general_sales"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPackAndUnpackASheet(b *testing.B) {
	s := attentive(b)
	b.ReportAllocs()
	for b.Loop() {
		data, err := s.MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		if err := s.UnmarshalBinary(data); err != nil {
			b.Fatal(err)
		}
	}
}

func TestScoringAllocatesAtMostTwentyTimes(t *testing.T) {
	s := attentive(t)
	for version := range releasedHashes {
		in := releasedAs(t, version)
		n := testing.AllocsPerRun(100, func() {
			if _, err := in.Score(s, "general_sales"); err != nil {
				t.Fatal(err)
			}
		})
		if n > 20 {
			t.Errorf("%v allocations in %s", n, version)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(ownFiles(currentVersion)); err != nil {
			b.Fatal(err)
		}
	}
}
