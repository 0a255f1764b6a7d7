package testpage

// section is what the script of an item's page is told about the section of that item,
// so that the candidate can go through it without a connection.
type section struct {
	Number int           `json:"n"`      // of the item that the page shows
	Values []int         `json:"values"` // of all items, see value
	Items  []sectionItem `json:"items"`
	Before string        `json:"before"` // addresses of the pages around the section
	After  string        `json:"after"`
}

type sectionItem struct {
	Number   int    `json:"n"`
	Text     string `json:"text"`
	ActiveMS int    `json:"ms"`
	Changes  int    `json:"changes"`
}

func (f *face) section(v visit, position int) section {
	first := f.firstOf(f.items[position].Block)
	s := section{Number: position + 1, Values: values(v.Sheet), Before: v.base()}
	if first > 0 {
		s.Before += "/" + itemPath(first-1)
	}
	last := first
	for i := first; i < len(f.items) && f.items[i].Block == f.items[position].Block; i++ {
		a := v.Sheet.Answers[i]
		s.Items = append(s.Items, sectionItem{
			Number: i + 1, Text: f.instrument.Text(v.lang, f.items[i].ID), ActiveMS: a.ActiveMS, Changes: a.Changes,
		})
		last = i
	}
	s.After = v.base() + "/" + f.beyond(v, last)
	return s
}

// beyond is the page that follows a section whose last item is last: the end of the
// test, the breather, or the next item if the candidate has been there before.
func (f *face) beyond(v visit, last int) string {
	switch {
	case last+1 == len(f.items):
		return "abgabe"
	case v.Position > last+1:
		return itemPath(last + 1)
	}
	return pausePath(f.items[last].Block)
}
