package instrument

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"typus"
)

// anySheet draws a sheet as a test page can produce it.
func anySheet(in *Instrument) *rapid.Generator[Sheet] {
	return rapid.Custom(func(t *rapid.T) Sheet {
		s := in.NewSheet()
		s.MaxPauseMS = rapid.IntRange(0, 1<<40).Draw(t, "pause")
		for p := range s.Answers {
			a := Answer{
				Value:    rapid.IntRange(0, in.def.Scale.Max).Draw(t, "value"),
				ActiveMS: rapid.IntRange(0, math.MaxUint32).Draw(t, "active"),
				Changes:  rapid.IntRange(0, 3).Draw(t, "changes"),
			}
			a.Skipped = a.Value == 0 && rapid.Bool().Draw(t, "skipped")
			s.Answers[p] = a
		}
		return s
	})
}

func TestASheetIsUnpackedAsItWasPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySheet(Own()).Draw(t, "sheet")
		data, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if perItem := len(data) / len(s.Answers); perItem > 10 {
			t.Fatalf("%d bytes an item", perItem)
		}
		var back Sheet
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Fatalf("(-packed +unpacked)\n%s", diff)
		}
	})
}

func TestADamagedSheetIsRefusedWhateverByteIsWrong(t *testing.T) {
	data, err := attentive(t).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		broken := bytes.Clone(data)
		broken[i] ^= 0x10
		s := Sheet{MaxPauseMS: 7}
		if err := s.UnmarshalBinary(broken); typus.KindOf(err) != typus.Internal || s.MaxPauseMS != 7 {
			t.Fatalf("byte %d: err %v, sheet %v", i, err, s)
		}
	}
	for n := range len(data) {
		var s Sheet
		if err := s.UnmarshalBinary(data[:n]); err == nil {
			t.Fatalf("the first %d bytes were accepted", n)
		}
	}
}

func TestWhatASheetCannotHoldIsRefusedOrKeptAsTheMaximum(t *testing.T) {
	for name, s := range map[string]Sheet{
		"negative pause":     {MaxPauseMS: -1},
		"negative time":      {Answers: []Answer{{ActiveMS: -1}}},
		"negative changes":   {Answers: []Answer{{Changes: -1}}},
		"negative value":     {Answers: []Answer{{Value: -1}}},
		"value above a byte": {Answers: []Answer{{Value: 256}}},
		"skipped value":      {Answers: []Answer{{Value: 3, Skipped: true}}},
		"too many answers":   {Answers: make([]Answer, 65536)},
	} {
		if _, err := s.MarshalBinary(); typus.KindOf(err) != typus.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	data, err := Sheet{Answers: []Answer{{Value: 1, ActiveMS: 1 << 40, Changes: 1 << 20}}}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var s Sheet
	if err := s.UnmarshalBinary(data); err != nil || s.Answers[0] != (Answer{Value: 1, ActiveMS: math.MaxUint32, Changes: math.MaxUint16}) {
		t.Errorf("%+v, %v", s, err)
	}
}

func FuzzUnpackingASheet(f *testing.F) {
	data, err := attentive(f).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	empty, err := Sheet{}.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(empty)
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Sheet
		// A fuzzer does not find checksums: try the body with the right one, too.
		for _, packed := range [][]byte{data, sealed(data)} {
			if s.UnmarshalBinary(packed) != nil {
				continue
			}
			again, err := s.MarshalBinary()
			if err != nil || !bytes.Equal(packed, again) {
				t.Fatalf("unpacked %x, packed %x: %v", packed, again, err)
			}
		}
	})
}

// sealed replaces the last four bytes by the checksum of the others.
func sealed(data []byte) []byte {
	if len(data) < sheetTail {
		return data
	}
	body := slices.Clone(data[:len(data)-sheetTail])
	sum := checksum(body)
	return append(body, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
}
