package inspector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// TestVotes: what five masters say of a key, and what that makes of the lock once the votes stay as they are.
func TestVotes(t *testing.T) {
	for name, test := range map[string]struct {
		votes func(c *scene, end time.Time)
		at    string // at once
		row   string // after a while
		text  string // of the first finding
	}{
		"all": {func(c *scene, end time.Time) { c.sets("a", end, 1, 2, 3, 4, 5) }, "held a 5/5", "held a 5/5", ""},
		"four": {
			func(c *scene, end time.Time) { c.sets("a", end, 1, 2, 3, 4) }, "held a 4/5", "held a 4/5 degraded-quorum(info)",
			"It was acquired with 4 of 5 votes, and it may lose 1 more: 10.0.0.5:6379 does not have the key.",
		},
		"three": {
			func(c *scene, end time.Time) { c.sets("a", end, 2, 3, 5) }, "held a 3/5", "held a 3/5 degraded-quorum(warning)",
			"It was acquired with 3 of 5 votes, and if it loses one more, it loses the lock: 10.0.0.1:6379 does not have the key, 10.0.0.4:6379 does not have the key.",
		},
		"three, and another": {
			func(c *scene, end time.Time) { c.sets("b", end, 1).sets("a", end, 2, 3, 5) }, "held a 3/5", "held a 3/5 degraded-quorum(warning)",
			"It was acquired with 3 of 5 votes, and if it loses one more, it loses the lock: 10.0.0.1:6379 votes for b, 10.0.0.4:6379 does not have the key.",
		},
		"three, one of another type": {
			func(c *scene, end time.Time) {
				c.on(master(1)).read(keyspace.Record{Type: keyspace.TypeList, Size: 2}).sets("a", end, 2, 3, 4, 5)
			}, "held a 4/5", "held a 4/5 degraded-quorum(warning)",
			"It was acquired with 4 of 5 votes, and it may lose 1 more: 10.0.0.1:6379 has something else there (a list that is no lock).",
		},
		"three, and data": {
			func(c *scene, end time.Time) {
				c.on(master(1)).read(hashRecord(sceneKey, 0, "name", "x", "mail", "y")).sets("a", end, 2, 3, 4, 5)
			}, "held a 4/5", "held a 4/5 degraded-quorum(warning)",
			"It was acquired with 4 of 5 votes, and it may lose 1 more: 10.0.0.1:6379 has something else there (a hash that is no lock).",
		},
		"three, two that do not answer": {
			func(c *scene, end time.Time) { c.falls(refused, 1).falls(late, 2).sets("a", end, 3, 4, 5) }, "held a 3/5", "held a 3/5 degraded-quorum(warning)",
			"It is held with 3 of 5 votes, and if it loses one more, it loses the lock: 10.0.0.1:6379 is down (" + refused + "), 10.0.0.2:6379 does not answer in time (no answer since ",
		},
		"four, and one that may not be read": {
			func(c *scene, end time.Time) {
				c.on(master(1)).read(keyspace.Record{Type: keyspace.TypeDenied, Value: keyspace.Value{Text: "NOPERM"}}).sets("a", end, 2, 3, 4, 5)
			}, "held a 4/5", "held a 4/5 degraded-quorum(warning)",
			"It is held with 4 of 5 votes, and it may lose 1 more: 10.0.0.1:6379 may not be read (NOPERM).",
		},
		"two": {
			func(c *scene, end time.Time) { c.sets("a", end, 1, 2) }, "no row", "minority a 2/5 minority(warning)",
			"a has 2 of 5 votes, and 3 make a quorum: 10.0.0.3:6379 does not have the key, 10.0.0.4:6379 does not have the key, 10.0.0.5:6379 does not have the key.",
		},
		"two, and three that do not answer": {
			func(c *scene, end time.Time) { c.falls(refused, 3, 4, 5).sets("a", end, 1, 2) }, "no row", "minority a 2/5 minority(warning)",
			"3 masters do not answer, and it may be held with votes there.",
		},
		"two and two": {
			func(c *scene, end time.Time) { c.sets("b", end, 3).sets("a", end, 1, 2).sets("b", end, 4) }, "no row", "split a b 2/5 split(critical)",
			"Nobody has the 3 of 5 votes that make a quorum: a has 2 (10.0.0.1:6379, 10.0.0.2:6379); b has 2 (10.0.0.3:6379, 10.0.0.4:6379); 10.0.0.5:6379 does not have the key.",
		},
		"one, two and two": {
			func(c *scene, end time.Time) { c.sets("x", end, 1).sets("a", end, 2, 3).sets("b", end, 4, 5) }, "no row", "split a b x 2/5 split(critical)", "x has 1",
		},
		"without a TTL": {func(c *scene, _ time.Time) { c.sets("a", time.Time{}, 1, 2, 3, 4, 5) }, "stuck a 5/5 no-ttl(critical)", "stuck a 5/5 no-ttl(critical)", "no TTL"},
		"a list everywhere": {
			func(c *scene, _ time.Time) {
				for n := range 5 {
					c.on(master(n + 1)).read(keyspace.Record{Type: keyspace.TypeList, Size: 2})
				}
			}, "wrong 0/5 wrong-type(warning)", "wrong 0/5 wrong-type(warning)", "list",
		},
		"nobody": {func(c *scene, _ time.Time) { c.sets("a", c.in(lease), 1, 2).dels(1, 2) }, "no row", "no row", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newRedlock(t, 5, keyspace.FeedPush)
			test.votes(c, c.in(lease))
			c.row(test.at)
			l := c.after(2 * time.Second).row(test.row)
			if test.text != "" && !strings.Contains(l.Findings[0].Text, test.text) {
				t.Errorf("the evidence is\n  %s\nwant\n  %s", l.Findings[0].Text, test.text)
			}
			if l == nil {
				return
			}
			nodes := []keyspace.Node{}
			for _, vote := range l.Quorum.Votes {
				nodes = append(nodes, vote.Node)
			}
			if l.Quorum.Needed != 3 || !slices.IsSorted(nodes) || len(nodes) != 5 {
				t.Errorf("the votes are %+v", l.Quorum)
			}
			if claimed := l.Quorum.For < 3; claimed && len(l.History) != 0 {
				t.Errorf("nobody held it: %+v", l.History)
			}
			codes(l)
		})
	}
}
