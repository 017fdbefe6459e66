package tui

import (
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
)

// TestWhatTheOperatorTook: the store learns what the operator took, so the deletion that follows is
// the operator's.
func TestWhatTheOperatorTook(t *testing.T) {
	for name, c := range map[string]struct {
		request actions.Request
		result  actions.Result
		want    bool
	}{
		"released":         {actions.Request{Verb: actions.VerbRelease}, actions.ResultReleased, true},
		"one entry":        {actions.Request{Verb: actions.VerbRelease, Entries: 1}, actions.ResultEntryReleased, false},
		"expired":          {actions.Request{Verb: actions.VerbForceExpire}, actions.ResultExpired, true},
		"expired in a bit": {actions.Request{Verb: actions.VerbForceExpire, TTL: 5 * time.Second}, actions.ResultExpired, false},
		"refused":          {actions.Request{Verb: actions.VerbRelease}, actions.ResultChanged, false},
		"unknown":          {actions.Request{Verb: actions.VerbRelease}, actions.ResultUnknown, false},
	} {
		if got := took(c.request, actions.Outcome{Result: c.result}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestHowAHoldEnded: what nothing proves to be a release is not called one, and what the operator
// did is the operator's.
func TestHowAHoldEnded(t *testing.T) {
	theme, err := newTheme("", false)
	if err != nil {
		t.Fatal(err)
	}
	glyphs := make(map[string]inspector.Cause)
	for cause, want := range map[inspector.Cause]string{
		inspector.CauseReleased: "released", inspector.CauseFreed: "freed", inspector.CauseOperator: "by the operator",
		inspector.CauseFailOver: "lost in a fail-over",
	} {
		f := theme.laneFaceOf(mark{cause: cause})
		if f.word != want || glyphs[f.glyph] != "" {
			t.Errorf("%s: %q, by %q like %s", cause, f.word, f.glyph, glyphs[f.glyph])
		}
		glyphs[f.glyph] = cause
	}
	for cause, want := range map[inspector.Cause]string{
		inspector.CauseReleased: "released", inspector.CauseFreed: "freed", inspector.CauseOperator: "released",
	} {
		if f := theme.eventFace(&inspector.Event{Kind: inspector.EventReleased, Cause: cause}); f.word != want {
			t.Errorf("the event of %s is %q", cause, f.word)
		}
	}
	overrun := inspector.Hold{Until: noon, Cause: inspector.CauseExpired, Lost: &inspector.Loss{Code: inspector.CodeOverrun, At: noon}}
	if said := causeText(overrun); said != "expired" {
		t.Errorf("an overrun is no loss: %q", said)
	}
	if said := causeText(inspector.Hold{Until: noon, Cause: inspector.CauseOperator}); said != "ended by the operator" {
		t.Error(said)
	}
}
