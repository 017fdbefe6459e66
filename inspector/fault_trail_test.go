package inspector

import (
	"strconv"
	"testing"
	"time"

	"locktop/keyspace"
)

// A lock was taken anew, and of that only the end of the former hold was heard: it is shown as it is.
func TestABeginningThatWasNotHeard(t *testing.T) {
	for name, missed := range map[string]func(c *scene){
		"in a gap": func(c *scene) { c.hints("del").gap("the watching connection was lost") },
		"at all":   func(c *scene) { c.hints("del").text(c.lock().Observed.Value.Text, time.Time{}) }, // which was on its way
	} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, keyspace.FeedPush)
			end := func(in time.Duration) string { return strconv.FormatInt(c.in(in).UnixMilli(), 10) }
			c.text(end(time.Minute), time.Time{})
			missed(c)
			next := end(2 * time.Minute)
			c.text(next, time.Time{})
			if l := c.must(StateHeld); l.Observed.Value.Text != next || l.Holders[0].Owner != next {
				t.Errorf("%+v", l)
			}
		})
	}
}
