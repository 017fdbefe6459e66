package inspector_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// severs lets no replica copy a master any more, and waits until that is seen.
func (r *realm) severs(master *redistest.Server) {
	r.t.Helper()
	master.Do("ACL", "SETUSER", "default", "-psync", "-sync")
	master.Do("CLIENT", "KILL", "TYPE", "replica")
	r.shows(func(s *inspector.Snapshot) bool {
		return slices.ContainsFunc(s.Nodes, func(n keyspace.Status) bool {
			return string(n.Node) == master.Addr && n.Replication.Stream != "" && len(n.Replication.Replicas) == 0
		})
	})
	seen := time.Now()
	const delay = 200 * time.Millisecond       // news of a write may come so much later than an answer
	r.shows(func(s *inspector.Snapshot) bool { // how far it has come since
		return slices.ContainsFunc(s.Nodes, func(n keyspace.Status) bool {
			return string(n.Node) == master.Addr && n.Replication.Asked.After(seen) && time.Since(n.Replication.Answered) > delay
		})
	})
}

// shows waits until a snapshot is as wanted.
func (r *realm) shows(is func(*inspector.Snapshot) bool) {
	r.t.Helper()
	redistest.Eventually(r.t, 30*time.Second, func() (bool, string) {
		s := r.i.Latest()
		return is(s), fmt.Sprintf("%.900q", fmt.Sprintf("%+v", s.Nodes))
	})
}

// holds waits until a lock is seen that was acquired before our eyes.
func (r *realm) holds(key, owner string) {
	r.t.Helper()
	r.shows(func(s *inspector.Snapshot) bool {
		return slices.ContainsFunc(s.Locks, func(l *inspector.Lock) bool {
			return l.Key == key && len(l.Holders) > 0 && l.Holders[0].Owner == owner && l.HeldExact
		})
	})
}

// ended waits for the event that a hold ended with, and returns how it ended.
func (r *realm) ended(key, owner string) inspector.Event {
	r.t.Helper()
	var last inspector.Event
	redistest.Eventually(r.t, 30*time.Second, func() (bool, string) {
		events, _ := r.i.EventsSince(0)
		for _, e := range slices.Backward(events) {
			if e.Key == key && e.Owner == owner && e.Cause != "" {
				last = e
				return true, ""
			}
		}
		return false, fmt.Sprintf("%s of %s goes on: %+v", key, owner, r.i.Latest().Nodes)
	})
	return last
}

const lostToken, keptToken = "n4L/2ZlftbtoJhoNxYjXOg==", "u7Qm2Zt7LbWc4RpAnxYjXQ=="

// playFailOver has a master die with one lock that its replica has, and released meanwhile, and one
// lock that it has not: only this one is said to be lost.
func playFailOver(t *testing.T, r *realm, master *redistest.Server, kept, lost string, takesOver func() *redistest.Server) {
	t.Helper()
	master.Do("SET", kept, keptToken, "PX", 60_000, "NX")
	r.holds(kept, keptToken)
	asked := time.Now()
	r.shows(func(s *inspector.Snapshot) bool { // the replica has it
		return slices.ContainsFunc(s.Nodes, func(n keyspace.Status) bool {
			return string(n.Node) == master.Addr && n.Replication.Acknowledged(asked) > 0
		})
	})
	r.severs(master)
	master.Do("SET", lost, lostToken, "PX", 60_000, "NX")
	r.holds(lost, lostToken)
	next := takesOver()
	next.Do("DEL", kept) // before we look, or after
	if e := r.ended(lost, lostToken); e.Kind != inspector.EventLost || e.Cause != inspector.CauseFailOver ||
		!strings.Contains(e.Text, "lost it in a fail-over: the new master "+next.Addr+" had not copied the write that acquired the lock") {
		t.Errorf("%s %s: %s", e.Kind, e.Cause, e.Text)
	}
	if e := r.ended(kept, keptToken); e.Kind == inspector.EventLost {
		t.Errorf("the new master had it: %s %s: %s", e.Kind, e.Cause, e.Text)
	}
	said := func(words string) {
		t.Helper()
		redistest.Eventually(t, 20*time.Second, func() (bool, string) {
			for _, l := range r.i.Latest().Locks {
				for _, f := range l.Findings {
					if f.Code != inspector.CodeLostInFailOver {
						continue
					}
					if l.Key != lost || f.Severity != inspector.SeverityCritical {
						t.Errorf("%s: %+v", l.Key, f)
					}
					if strings.Contains(f.Text, words) {
						return true, ""
					}
				}
			}
			return false, words + " is not said"
		})
	}
	said("no client has it now")
	next.Do("SET", lost, keptToken, "PX", 60_000, "NX")
	said("has it now.")
}

func TestLostInAFailOverOfSentinels(t *testing.T) {
	t.Parallel()
	r, set := sentinelRealm(t)
	old := set.Master()
	playFailOver(t, r, old, "lock:kept", "lock:lost", func() *redistest.Server {
		old.Kill()
		return set.WaitForSwitch(old)
	})
}

func TestLostInAFailOverOfACluster(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	r := clusterRealm(t, c)
	old := c.Masters()[0]
	playFailOver(t, r, old, c.KeyOf(old, "lock:kept"), c.KeyOf(old, "lock:lost"), func() *redistest.Server { return c.Crash(old) })
}
