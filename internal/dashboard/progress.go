package dashboard

import (
	"github.com/go-json-experiment/json"

	"typus/internal/web"
)

// progress says to a page's script how far something is that goes on without the page.
func (f *face) progress(v *visit, running bool, done int, text string) error {
	body, err := json.Marshal(struct {
		Running bool   `json:"running"`
		Done    int    `json:"done"`
		Text    string `json:"text"`
	}{running, done, text})
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Security-Policy", web.DataPolicy)
	_, _ = v.w.Write(body) // a reader who has gone is no fault
	return nil
}
