package pagetest

import "testing"

func TestATextOutsideOfTextAndQuotesIsFound(t *testing.T) {
	for body, want := range map[string]bool{
		`<a title={{t "x"}}>`:                                       true,
		`<script>say({{- t "x" }})</script>`:                        true,
		`<style media="print">p::before{content:{{t "x"}}}</style>`: true,
		`<a title="{{t "x"}}">{{t "x"}}</a>`:                        false,
		`<script src="{{static "a.js"}}"></script>{{t "x"}}`:        false,
	} {
		if got := misplaced.MatchString(body); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
