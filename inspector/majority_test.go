package inspector

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// barely is a scene in which "a" has acquired the votes of the masters 3, 4 and 5 before our eyes:
// not one more than it needs.
func barely(t *testing.T, feed keyspace.Feed) (c *scene, end time.Time) {
	t.Helper()
	c = newRedlock(t, 5, feed)
	end = c.in(lease)
	return c.sets("a", end, 3, 4, 5).expect("acquired a"), end
}

// restarts lets a master come back empty after an outage.
func (c *scene) restarts(n int) *scene {
	return c.falls(refused, n).after(100 * time.Millisecond).answers(n).on(master(n)).gone().passed(master(n)).after(0)
}

// finding is the text of a finding of the lock; empty: it has none of that code.
func (c *scene) finding(code Code) string {
	c.t.Helper()
	if l := c.lock(); l != nil {
		for _, f := range l.Findings {
			if f.Code == code {
				return f.Text
			}
		}
	}
	return ""
}

// none fails the test if a finding of that code is there now, or comes before the validity of "a"
// is over.
func (c *scene) none(code Code) {
	c.t.Helper()
	for range 40 {
		if text := c.after(time.Second).finding(code); text != "" {
			c.t.Fatalf("%s: %s", code, text)
		}
	}
}

// clock is a time as findings say it.
func clock(at time.Time) string { return at.Local().Format(time.TimeOnly) }

// TestAVoteIsLostUnderItsHolder: a vote that vanishes before its end while the holder's other votes
// stay is no release, however it went.
func TestAVoteIsLostUnderItsHolder(t *testing.T) {
	for how, test := range map[string]struct {
		happens func(c *scene)
		words   string
	}{
		"its master restarts empty": {func(c *scene) { c.restarts(3) }, "10.0.0.3:6379 (cause not seen)"},
		"its master's clock is set ahead": {
			func(c *scene) { c.on(master(3)).hints("expired").gone() }, "10.0.0.3:6379 (expired)",
		},
		"its master runs out of memory": {
			func(c *scene) { c.on(master(3)).hints("evicted").gone() }, "10.0.0.3:6379 (evicted)",
		},
		"it is deleted there": {func(c *scene) { c.dels(3) }, "10.0.0.3:6379 (deleted)"},
	} {
		t.Run(how, func(t *testing.T) {
			c, end := barely(t, keyspace.FeedPush)
			c.after(5 * time.Second)
			test.happens(c)
			l := c.after(1500 * time.Millisecond).row("minority a 2/5 minority(critical)")
			valid := clock(end.Add(-Drift(lease)))
			for _, words := range []string{
				"a lost its majority at ", " without a release: its vote is gone on " + test.words,
				"It has 2 of 5 votes left, and it believes that it holds the lock until " + valid,
			} {
				if text := l.Findings[0].Text; !strings.Contains(text, words) {
					t.Errorf("the evidence is %q, want %q in it", text, words)
				}
			}
			if strings.Contains(l.Findings[0].Advice, "failed") || !strings.Contains(l.Findings[0].Advice, valid) {
				t.Errorf("the advice is %q", l.Findings[0].Advice)
			}
			events, _ := c.store.log.since(0)
			var kinds []string
			for _, e := range events {
				if e.Kind != EventGap {
					kinds = append(kinds, string(e.Kind)+" "+e.Owner)
				}
			}
			if got := strings.Join(kinds, ", "); got != "acquired a, lost a" {
				t.Errorf("the events are %s", got)
			}
			c.after(end.Sub(c.now) - 100*time.Millisecond)
			if text := c.finding(CodeMinority); strings.Contains(text, "by its validity") {
				t.Errorf("its validity is over: %s", text)
			}
		})
	}
}

// TestDoubleMajority: another client gets a majority while the first one counts on its own.
func TestDoubleMajority(t *testing.T) {
	for how, slowly := range map[string]bool{"after the loss was told": true, "at once": false} {
		t.Run(how, func(t *testing.T) {
			c, end := barely(t, keyspace.FeedPush)
			c.after(5 * time.Second).restarts(3).expect("gap ")
			if slowly {
				c.after(2 * time.Second).expect("lost a unknown").row("minority a 2/5 minority(critical)")
			}
			c.sets("b", c.in(2*lease), 1, 2, 3)
			if !slowly {
				c.expect().row("held a 3/5 degraded-quorum(warning)") // the others may be about to tell of a release
				c.after(time.Second).expect("lost a unknown", "acquired b<a unknown")
			} else {
				c.expect("acquired b")
			}
			l := c.after(1500 * time.Millisecond).lock()
			since, valid := clock(l.HeldSince), clock(end.Add(-Drift(lease)))
			want := "a had a majority of 5 until " + valid + " by its validity; b has had one since " + since +
				"; both believe that they hold it until " + valid + "."
			text := c.finding(CodeDoubleMajority)
			if text != want || l.Severity() != SeverityCritical || l.Holders[0].Owner != "b" {
				t.Errorf("%s\nthe evidence is %q\nwant            %q", row(l), text, want)
			}
			if c.finding(CodeLostWhileHeld) != "" {
				t.Error("it is told twice")
			}
			c.after(end.Sub(c.now)).row("held b 3/5 double-majority(critical) degraded-quorum(warning)")
			text = c.finding(CodeDoubleMajority)
			if !strings.Contains(text, "both believed that they held it until "+valid) {
				t.Errorf("afterwards: %q", text)
			}
			for range 5 {
				c.renews("b", c.in(2*time.Minute), 1, 2, 3).after(time.Minute)
			}
			if text := c.finding(CodeDoubleMajority); text != "" {
				t.Errorf("for ever: %q", text)
			}
		})
	}
}

// TestFormerHolderGivesUp: one that has lost its majority, and releases the votes that it has left,
// counts on nothing any more.
func TestFormerHolderGivesUp(t *testing.T) {
	c, _ := barely(t, keyspace.FeedPush)
	c.after(5 * time.Second).restarts(3).after(2 * time.Second).row("minority a 2/5 minority(critical)")
	c.dels(4, 5).row("no row")
	c.sets("b", c.in(lease), 1, 2, 3, 4, 5).none(CodeDoubleMajority)

	c, _ = barely(t, keyspace.FeedPush)
	c.after(5*time.Second).restarts(3).after(2*time.Second).sets("b", c.in(2*lease), 1, 2, 3).after(3 * time.Second)
	c.dels(4, 5)
	left := clock(c.now)
	text := c.finding(CodeDoubleMajority)
	if !strings.Contains(text, "until "+left+" when it released its remaining votes; b has") ||
		!strings.HasSuffix(text, "both believed that they held it until "+left+".") {
		t.Errorf("it left at %s: %q", left, text)
	}
}

// TestReleasesAreNoLoss: whatever a real release looks like while it is on its way, it is one.
func TestReleasesAreNoLoss(t *testing.T) {
	released := func(c *scene) *scene {
		c.t.Helper()
		return c.expect("released a freed")
	}
	c, _ := barely(t, keyspace.FeedPush)
	released(c.after(5 * time.Second).dels(5).expect().dels(4)).dels(3)
	c.sets("b", c.in(lease), 1, 2, 3, 4, 5).none(CodeDoubleMajority)

	c, _ = barely(t, keyspace.FeedPush) // the next client is quicker than the news
	c.after(5*time.Second).dels(5).sets("b", c.in(lease), 1, 2, 5).expect().row("held a 3/5 degraded-quorum(warning)")
	c.dels(4).expect("released a freed", "acquired b<a freed").dels(3).sets("b", c.in(lease), 3, 4)
	c.none(CodeDoubleMajority)

	c, _ = barely(t, keyspace.FeedPush) // the operator's
	released(c.after(5*time.Second).dels(3, 4, 5)).none(CodeMinority)

	c, _ = barely(t, keyspace.FeedPoll) // polls tell one after the other, and late
	c.after(5 * time.Second).on(master(5)).gone().expect()
	c.after(3 * time.Second).expect()
	released(c.on(master(4)).gone()).on(master(3)).gone()
	c.sets("b", c.in(lease), 1, 2, 3, 4, 5).none(CodeDoubleMajority)

	c, end := barely(t, keyspace.FeedPush) // its validity is over before the next one comes
	c.after(5 * time.Second).restarts(3).after(end.Sub(c.now) - 200*time.Millisecond)
	c.sets("b", c.in(lease), 1, 2, 3).none(CodeDoubleMajority)
}

// TestLostOnPolledMasters: what the other masters said before the vote was lost proves nothing;
// what they say afterwards does.
func TestLostOnPolledMasters(t *testing.T) {
	c, end := barely(t, keyspace.FeedPoll)
	c.after(5 * time.Second).restarts(3).after(2 * time.Second).expect("gap ")
	c.on(master(4)).text("a", end).after(2 * time.Second).expect()
	c.on(master(5)).text("a", end).after(2 * time.Second).expect("lost a unknown")

	c, _ = barely(t, keyspace.FeedPoll)
	c.after(5 * time.Second).restarts(3).after(2 * time.Second).expect("gap ")
	c.after(lookBack).expect("deleted a unknown")
}

// TestDegraded: a majority is all that Redlock asks for; a vote that was lost under the holder is
// trouble.
func TestDegraded(t *testing.T) {
	c, _ := barely(t, keyspace.FeedPush)
	c.after(2 * time.Second).row("held a 3/5 degraded-quorum(warning)")

	c, _ = five(t, "a")
	c.restarts(1).after(2 * time.Second).row("held a 4/5 degraded-quorum(warning)")
	c.dels(2).after(2 * time.Second).row("held a 3/5 degraded-quorum(critical)")
	text := c.finding(CodeDegradedQuorum)
	for _, words := range []string{
		"It is held with 3 of 5 votes, and if it loses one more, it loses the lock: 10.0.0.1:6379 lost its vote at ",
		" (cause not seen) and does not have the key",
		"10.0.0.2:6379 lost its vote at ", " (deleted) and does not have the key",
	} {
		if !strings.Contains(text, words) {
			t.Errorf("the evidence is %q, want %q in it", text, words)
		}
	}
	c, _ = five(t, "a") // out of sight, and so may be gone
	c.falls(refused, 1, 2).after(2 * time.Second).row("held a 3/5 degraded-quorum(critical)")
}
