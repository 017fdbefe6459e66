package inspector

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

const (
	oneWorker, otherWorker = "worker-7:3f9c0a51", "worker-8:77ab01c2"
	oneClient, otherClient = "worker-7", "worker-8"
)

// lists makes the node list its clients; each has been connected for this long.
func (c *scene) lists(age time.Duration, names ...string) *scene {
	c.after(5 * time.Second)
	r := &keyspace.Roll{Node: c.at, TakenAt: c.now, Clients: clients(c.at, names...)}
	for i := range r.Clients {
		r.Clients[i].Age = age
	}
	c.store.take(keyspace.Update{Node: c.at, Roll: r})
	c.store.attendance.due = time.Time{}
	c.store.wake(c.now)
	return c
}

// released is a scene of a lock that its holders release as a rule, and that one of them has now.
func released(t *testing.T) *scene {
	c := newScene(t, keyspace.FeedPush).lists(time.Hour, oneClient, otherClient)
	c.hints("new", "set", "expire").text(otherWorker, c.in(lease)).after(time.Second).hints("del").gone()
	c.after(time.Second).hints("new", "set", "expire").text(oneWorker, c.in(lease))
	return c
}

// runsOut lets the lease run out, and the next one get the lock.
func (c *scene) runsOut(owner string) *scene {
	return c.after(lease).hints("expired", "new", "set", "expire").text(owner, c.in(lease))
}

// overrun is the finding, which there must be with this severity, and nothing else.
func (c *scene) overrun(severity Severity, says string) {
	c.t.Helper()
	if f := c.findings(0, CodeOverrun).Findings[0]; f.Severity != severity || !strings.Contains(f.Text, says) {
		c.t.Errorf("%s: %s", f.Severity, f.Text)
	}
}

// TestALeaseThatNobodyRenewedEnds: a holder that never renewed its lease may be done when it ends,
// or dead, or at work. It was said to be done; but the next acquisition is an overlap unless it is
// gone, and most leases that are too short are never renewed.
func TestALeaseThatNobodyRenewedEnds(t *testing.T) {
	t.Run("and its client is connected", func(t *testing.T) {
		c := released(t).runsOut(otherWorker)
		c.findings(0) // the list that tells is still to come
		c.lists(time.Hour, oneClient, otherClient).overrun(SeverityWarning, "and "+otherClient+" got the lock at once; the client of the former holder is still connected")
		events, _ := c.store.log.since(0)
		for _, e := range events {
			if e.Kind == EventLost {
				t.Errorf("nothing proves that it was at work: %+v", e)
			}
		}
		if h := c.must(StateHeld).History[1]; h.WasLost() {
			t.Errorf("%+v", h.Lost)
		}
		c.hints("del", "new", "set", "expire").text("c", c.in(lease)).overrun(SeverityWarning, "still connected") // however short the holds
		c.hints("del").gone().hints("new", "set", "expire").text("d", c.in(10*time.Minute))
		c.findings(5 * time.Minute)
	})
	t.Run("and its client is gone", func(t *testing.T) {
		c := released(t).runsOut(otherWorker)
		for range 4 {
			c.lists(time.Hour, otherClient).findings(0)
		}
	})
	t.Run("and its client is another one by then", func(t *testing.T) {
		c := released(t).lists(time.Hour, otherClient).runsOut(otherWorker)
		c.lists(3*time.Second, oneClient, otherClient).overrun(SeverityInfo, "it is unknown whether")
	})
	t.Run("and its client is unknown", func(t *testing.T) {
		c, _ := held(t)
		c.after(lease+time.Second).hints("expired", "new", "set", "expire").text("b", c.in(lease))
		c.expect("expired a expired", "acquired b<a expired")
		c.overrun(SeverityInfo, "b got the lock 1 s later; it is unknown whether the client of the former holder is alive")
		c.after(time.Second).hints("del", "new", "set", "expire").text("a", c.in(lease)).overrun(SeverityWarning, "it acquired the lock again at")
	})
	t.Run("and the next one has the same name", func(t *testing.T) {
		c := released(t).runsOut(oneClient+":0d911c4a").lists(time.Hour, oneClient, otherClient)
		c.overrun(SeverityInfo, "it is unknown whether")
		c.after(time.Second).hints("del", "new", "set", "expire").text(oneClient+":5b01cc10", c.in(lease)).overrun(SeverityInfo, "it is unknown whether")
	})
	t.Run("and it acquires it again", func(t *testing.T) {
		c := released(t).runsOut(oneWorker)
		c.lists(time.Hour, oneClient, otherClient).findings(0)
	})
	t.Run("and long after that somebody asks", func(t *testing.T) {
		c := released(t)
		c.after(lease).hints("expired").gone().after(6*time.Minute).hints("new", "set", "expire").text(otherWorker, c.in(lease))
		c.lists(time.Hour, oneClient, otherClient).findings(0)
	})
}

// TestALockThatIsMeantToRunOut: SET NX EX lets something happen once in a while, and nobody
// releases that.
func TestALockThatIsMeantToRunOut(t *testing.T) {
	t.Run("by whom is not known", func(t *testing.T) {
		c, _ := held(t)
		for _, owner := range []string{"b", "c"} {
			c.runsOut(owner).overrun(SeverityInfo, "unknown")
		}
		for _, owner := range []string{"d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"} {
			c.runsOut(owner)
		}
		c.findings(0)
	})
	t.Run("by clients that are connected", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush).lists(time.Hour, oneClient, otherClient)
		c.hints("new", "set", "expire").text(oneWorker, c.in(lease))
		for range 8 {
			c.runsOut(otherWorker).lists(time.Hour, oneClient, otherClient)
			c.runsOut(oneWorker).lists(time.Hour, oneClient, otherClient)
		}
		c.overrun(SeverityInfo, "still connected")
		if f := c.lock().Findings[0]; !strings.Contains(f.Advice, "meant to run out") {
			t.Error(f.Advice)
		}
	})
}

// TestTakenOverTwice: DEL and SETNX by two clients that both saw a timestamp lock lapsed.
func TestTakenOverTwice(t *testing.T) {
	lapsed := func(t *testing.T) *scene {
		c := newScene(t, keyspace.FeedPush)
		return c.hints("new", "set").text(c.ending("", lease), time.Time{}).after(lease + time.Second)
	}
	take := func(c *scene) string {
		value := c.ending("", lease)
		c.hints("del", "new", "set").text(value, time.Time{})
		return value
	}
	t.Run("by two", func(t *testing.T) {
		c := lapsed(t)
		take(c)
		c.findings(0, CodeOverrun) // of the one that crashed
		take(c.after(800 * time.Millisecond))
		l := c.findings(0, CodeLostWhileHeld, CodeOverrun)
		if f := l.Findings[0]; f.Severity != SeverityCritical || !strings.Contains(f.Text, "a client that the key does not name lost it") || !strings.Contains(f.Text, "another client deleted that lock") {
			t.Error(f)
		}
	})
	t.Run("by one, which releases it later", func(t *testing.T) {
		c := lapsed(t)
		take(c)
		take(c.after(3 * time.Second))
		c.findings(0, CodeOverrun)
	})
	t.Run("by one, which releases it, and the next one comes a while after", func(t *testing.T) {
		c := lapsed(t)
		take(c)
		c.after(300*time.Millisecond).hints("del").gone().after(100*time.Millisecond).hints("new", "set").text(c.ending("", lease), time.Time{})
		c.findings(0, CodeOverrun)
	})
	t.Run("by GETSET", func(t *testing.T) {
		c := lapsed(t)
		c.hints("set").text(c.ending("", lease), time.Time{})
		c.after(100*time.Millisecond).hints("set").text(c.ending("", lease), time.Time{})
		c.findings(0, CodeOverrun)
	})
	t.Run("of a lock that had not lapsed", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "set").text(c.ending("", lease), time.Time{})
		for range 5 {
			take(c.after(200 * time.Millisecond))
		}
		c.findings(0)
	})
}
