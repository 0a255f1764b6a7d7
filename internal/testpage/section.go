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

func (v visit) section(position int) section {
	first := v.firstOf(v.items()[position].Block)
	s := section{Number: position + 1, Values: values(v.Sheet), Before: v.base()}
	if first > 0 {
		s.Before += "/" + itemPath(first-1)
	}
	last := first
	for i := first; i < len(v.items()) && v.items()[i].Block == v.items()[position].Block; i++ {
		a := v.Sheet.Answers[i]
		s.Items = append(s.Items, sectionItem{
			Number: i + 1, Text: v.statement(v.items()[i].ID), ActiveMS: a.ActiveMS, Changes: a.Changes,
		})
		last = i
	}
	s.After = v.base() + "/" + v.beyond(last)
	return s
}

// beyond is the page that follows a section whose last item is last: the end of the
// test, the breather, or the next item if the candidate has been there before.
func (v visit) beyond(last int) string {
	switch {
	case last+1 == len(v.items()):
		return "abgabe"
	case v.Position > last+1:
		return itemPath(last + 1)
	}
	return pausePath(v.items()[last].Block)
}
