package inspector

import (
	"strconv"
	"testing"
	"time"

	"locktop/keyspace"
)

// TestADeletionByTheOperator: the news of an action may come before or after the news of the
// deletion.
func TestADeletionByTheOperator(t *testing.T) {
	key := keyRef{key: sceneKey}
	act := func(c *scene, owner string) { c.store.operate(operated{key: key, owner: owner, at: c.now}) }
	for name, play := range map[string]func(*scene){
		"told first": func(c *scene) {
			act(c, "a")
			c.hints("del").gone().expect("released a operator")
		},
		"told last": func(c *scene) {
			c.hints("del").gone().expect("released a freed")
			act(c, "a")
		},
		"by an expiry": func(c *scene) {
			act(c, "a")
			c.hints("expired").gone().expect("released a operator")
		},
		"and acquired at once": func(c *scene) {
			act(c, "a")
			c.hints("del", "new", "set", "expire").text("b", c.in(lease)).expect("released a operator", "acquired b<a operator")
			c.hints("del").gone().expect("released b freed")
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := held(t)
			play(c.after(time.Second))
			l := c.must(StateFreed)
			if l.History[0].Cause != CauseOperator || len(l.History) == 1 && l.FreedBy != CauseOperator || len(l.History) > 1 && l.FreedBy != CauseFreed {
				t.Errorf("freed by %s, %+v", l.FreedBy, l.History)
			}
		})
	}
	for name, play := range map[string]func(*scene){
		"of another holder":   func(c *scene) { act(c, "b") },
		"long before":         func(c *scene) { act(c, "a"); c.after(20 * time.Second) },
		"before the hold":     func(c *scene) { c.store.operate(operated{key: key, owner: "a", at: schemeNow.Add(-time.Second)}) },
		"on another database": func(c *scene) { c.store.operate(operated{key: keyRef{db: 1, key: sceneKey}, owner: "a", at: c.now}) },
		"and it was released": func(*scene) {},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := held(t)
			play(c)
			c.hints("del").gone().expect("released a freed")
			if l := c.must(StateFreed); l.FreedBy != CauseFreed || l.History[0].Cause != CauseFreed {
				t.Errorf("freed by %s, %+v", l.FreedBy, l.History)
			}
		})
	}
	t.Run("of one of several holders", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		two := func(names ...string) *scene {
			end := strconv.FormatInt(c.in(lease).UnixMilli(), 10)
			var members []string
			for _, name := range names {
				members = append(members, name, end)
			}
			return c.read(zsetOf(sceneKey, lease, members...))
		}
		c.hints("new", "zadd")
		two(symfonyA, symfonyB)
		act(c, symfonyA)
		c.hints("zrem")
		two(symfonyB)
		l := c.must(StateHeld)
		for _, h := range l.History {
			if h.Owner == symfonyA && h.Cause != CauseOperator || h.Owner == symfonyB && h.Cause != "" {
				t.Errorf("%+v", h)
			}
		}
	})
}

// TestAProbeProvesARelease: the client that acquired the lock with a token was heard to release it
// as well.
func TestAProbeProvesARelease(t *testing.T) {
	for name, test := range map[string]struct {
		client SampledClient
		from   time.Duration
		want   Cause
	}{
		"the holder's client":       {SampledClient{Owner: "a", Sampled: Sampled{Releases: Tries{All: 1, Done: 1}}}, -time.Minute, CauseReleased},
		"one that released nothing": {SampledClient{Owner: "a"}, -time.Minute, CauseFreed},
		"another client":            {SampledClient{Owner: "b", Sampled: Sampled{Releases: Tries{All: 1, Done: 1}}}, -time.Minute, CauseFreed},
		"one whose token is mixed":  {SampledClient{Owners: 2, Sampled: Sampled{Releases: Tries{All: 1, Done: 1}}}, -time.Minute, CauseFreed},
		"a probe that began later":  {SampledClient{Owner: "a", Sampled: Sampled{Releases: Tries{All: 1, Done: 1}}}, 0, CauseFreed},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := held(t)
			c.after(time.Second).hints("del").gone()
			c.store.keep(&Sample{Ref: keyspace.Ref{Node: sceneNode, Key: sceneKey}, From: c.in(test.from), To: c.now, Clients: []SampledClient{test.client}})
			if l := c.must(StateFreed); l.FreedBy != test.want || l.History[0].Cause != test.want {
				t.Errorf("freed by %s, %s", l.FreedBy, l.History[0].Cause)
			}
		})
	}
}

// TestAnActionThatIsReportedLate belongs to the hold that it ended, not to a later one of the same owner.
func TestAnActionThatIsReportedLate(t *testing.T) {
	c, _ := held(t)
	c.after(time.Second).hints("del").gone().expect("released a freed")
	done := c.now
	c.after(100*time.Millisecond).hints("new", "set", "expire").text("a", c.in(lease)).expect("acquired a")
	c.after(100 * time.Millisecond).hints("del").gone().expect("released a freed")
	c.store.operate(operated{key: keyRef{key: sceneKey}, owner: "a", at: done})
	l := c.must(StateFreed)
	if len(l.History) != 2 || l.History[0].Cause != CauseOperator || l.History[1].Cause != CauseFreed || l.FreedBy != CauseFreed {
		t.Errorf("freed by %s, %+v", l.FreedBy, l.History)
	}
}
