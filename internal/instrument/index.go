package instrument

import "github.com/go-json-experiment/json"

// Index is a figure that can be undefined, for want of answers. Its JSON is a number or null.
type Index struct {
	Value   float64
	Defined bool
}

func defined(v float64) Index { return Index{Value: v, Defined: true} }

// atLeast reports whether the index is defined and reaches the threshold.
func (i Index) atLeast(threshold float64) bool { return i.Defined && i.Value >= threshold }

// below reports whether the index is defined and falls short of the threshold.
func (i Index) below(threshold float64) bool { return i.Defined && i.Value < threshold }

// MarshalJSON gives the number, or null for an undefined index.
func (i Index) MarshalJSON() ([]byte, error) {
	if !i.Defined {
		return []byte("null"), nil
	}
	return json.Marshal(i.Value)
}

// UnmarshalJSON takes what MarshalJSON gives.
func (i *Index) UnmarshalJSON(data []byte) error {
	var v *float64
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*i = Index{}
	if v != nil {
		*i = defined(*v)
	}
	return nil
}
