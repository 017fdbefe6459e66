package inspector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

func hasCode(l *Lock, code Code) bool {
	return slices.ContainsFunc(l.Findings, func(f Finding) bool { return f.Code == code })
}

// A token that is drawn for each acquisition comes back only where a renewal makes the key anew.
func TestATokenThatComesBackResurrects(t *testing.T) {
	const drawn = "n4L/2ZlftbtoJhoNxYjXOg=="
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "set").text(drawn, c.in(8*time.Second)).must(StateHeld)
	c.after(time.Second).hints("del").gone()
	c.after(time.Second).hints("new", "set").text(drawn, c.in(8*time.Second))
	if l := c.must(StateHeld); !hasCode(l, CodeResurrects) {
		t.Errorf("it came back, and is %v", codes(l))
	}
	c.after(time.Second).hints("del", "new", "set").text(drawn, c.in(8*time.Second)) // between two reads
	l := c.must(StateHeld)
	if i := slices.Index(codes(l), CodeResurrects); i < 0 || !slices.ContainsFunc(l.Findings, func(f Finding) bool {
		return f.Text == "The key reappeared 2 times with the same token after it was deleted: its holder's renewal re-creates it."
	}) {
		t.Errorf("it came back twice: %+v", l.Findings)
	}
	c.after(time.Second).hints("del").gone()
	c.after(time.Second).hints("new", "set").text("aB3/E5gH7jK9mN1pQ2rS4t==", c.in(8*time.Second))
	if l := c.must(StateHeld); hasCode(l, CodeResurrects) {
		t.Errorf("another token, and it is %v", codes(l))
	}
}

func TestClientsThatComeBackDoNotResurrect(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	const token = "n4L/2ZlftbtoJhoNxYjXOg=="
	for name, play := range map[string]func(c *scene){
		"a name of a process": func(c *scene) {
			c.hints("new", "set").text("web-1:4711", c.in(time.Minute)).after(time.Second).hints("del").gone()
			c.hints("new", "set").text("web-1:4711", c.in(time.Minute))
		},
		"one UUID for all locks of a process": func(c *scene) {
			c.hints("new", "set").text(uuid, c.in(time.Minute)).after(time.Second).hints("del").gone()
			c.after(time.Second).hints("new", "set").text(uuid, c.in(time.Minute))
		},
		"one id for all that an object of python-redis-lock acquires": func(c *scene) {
			c.hints("new", "set").text("KWfupndwb+Lq1x80C8oRdlwF", c.in(time.Minute)).after(time.Second).hints("del").gone()
			c.after(time.Second).hints("new", "set").text("KWfupndwb+Lq1x80C8oRdlwF", c.in(time.Minute))
		},
		"after an expiry": func(c *scene) {
			c.hints("new", "set").text(token, c.in(8*time.Second)).after(9 * time.Second).hints("expired").gone()
			c.hints("new", "set").text(token, c.in(8*time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, keyspace.FeedPush)
			play(c)
			if l := c.must(StateHeld); hasCode(l, CodeResurrects) {
				t.Errorf("findings %v", codes(l))
			}
		})
	}
}

// A UUID may be a client's for good; that it comes back just when its renewal is due gives the renewal away.
func TestAUUIDThatComesBackWithItsRenewalResurrects(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "set").text(uuid, c.in(10*time.Second))
	for range 3 {
		c.after(5*time.Second).hints("expire").text(uuid, c.in(10*time.Second))
	}
	c.after(2 * time.Second).hints("del").gone()
	c.after(3*time.Second).hints("new", "set").text(uuid, c.in(10*time.Second))
	if l := c.must(StateHeld); !hasCode(l, CodeResurrects) {
		t.Errorf("findings %v", codes(l))
	}
}

// Of which libraries a lock may come back, and when a holder that is alive has renewed it at the
// latest.
func TestLocksThatMayComeBack(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	for _, c := range []struct {
		key, value string
		ttl        time.Duration
		by         string
		likely     bool // so likely that a release leaves a tombstone
		renewed    time.Duration
	}{
		{"redlock:orders", uuid, 20 * time.Second, "RedLock.net", true, 10 * time.Second},
		{"orders_lock", uuid, 20 * time.Second, "redlock-rb (Ruby), aioredlock (Python)", false, 20 * time.Second},
		{"lock:orders", "n4L/2ZlftbtoJhoNxYjXOg==", 20 * time.Second, "redsync (Go)", false, 20 * time.Second},
		{"lock:orders", "x8Qm2Zt7LbWc4RpA", 20 * time.Second, "go-zero", false, 20 * time.Second},
		{"lock:orders", "594730fb989a82f9c4b373d423b32f22", 20 * time.Second, "", false, 20 * time.Second},
		{"lock:orders", uuid, 0, "", false, 0}, // nothing renews a lock without a TTL
		{"lock:orders", "\x91\x92\xcb\x41\xda\x55\xcd\x5e\x20\x00\x00\xa1a", 0, "suo (Ruby)", false, 0},
	} {
		l, is := Rules(nil).Inspect(stringRecord(c.key, c.value, c.ttl), schemeNow)
		if !is {
			t.Errorf("%s = %q is no lock", c.key, c.value)
			continue
		}
		by, may := l.MayComeBack()
		if got := strings.Join(by, ", "); got != c.by || may != (c.by != "") || l.ComesBack() != c.likely {
			t.Errorf("%s = %q may come back (%v, likely %v) by %q", c.key, c.value, may, l.ComesBack(), got)
		}
		if at := l.RenewedBy(schemeNow); at.IsZero() != (c.ttl == 0) || c.ttl > 0 && at.Sub(schemeNow.Add(c.renewed)).Abs() > time.Second {
			t.Errorf("%s = %q is renewed by %v", c.key, c.value, at.Sub(schemeNow))
		}
	}
}
