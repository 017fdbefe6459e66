package inspector_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// recovers is what must hold after each fault: the picture is the truth again, and what happens then is seen, too.
func (r *realm) recovers() {
	r.t.Helper()
	r.agrees()
	r.stir()
	r.agrees()
}

// TestFaultsOfAMaster has one master of a cluster suffer, while the others go on.
func TestFaultsOfAMaster(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	r := clusterRealm(t, c)
	master := c.Masters()[0]
	replica := c.ReplicasOf(master)[0]

	master.Do("FLUSHALL")
	r.recovers()

	c.Failover(replica) // whoever asks the old one for any key is sent on
	r.recovers()
	c.Failover(master)
	r.recovers()

	link := c.Link(master)
	r.agrees()
	link.Cut()
	r.tells(dead, link.Addr)
	link.Heal()
	r.recovers()

	// Nobody takes over, and the cluster does not serve until it is back, empty.
	replica.Kill()
	master.Kill()
	r.tells(dead, link.Addr)
	master.Revive()
	replica.Revive()
	c.Settle()
	r.recovers()
	r.leaves()
}

// TestFaultsOfTheMajority has most of a cluster fail, so that nobody may take over.
func TestFaultsOfTheMajority(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	r := clusterRealm(t, c)
	masters := c.Masters()
	for _, m := range masters[:2] {
		m.Pause()
	}
	r.tells(hangs, masters[0].Addr, masters[1].Addr)
	for _, m := range masters[:2] {
		m.Resume()
	}
	c.Settle()
	r.recovers()

	for _, s := range c.Nodes {
		s.Kill()
	}
	r.tells(dead, masters[0].Addr, masters[1].Addr, masters[2].Addr)
	for _, s := range c.Nodes {
		s.Revive()
	}
	c.Settle()
	r.recovers()
	r.leaves()
}

// sentinelRealm looks at the master that sentinels name.
func sentinelRealm(t *testing.T) (*realm, *redistest.SentinelSet) {
	t.Helper()
	set := redistest.StartSentinel(t)
	r := &realm{
		t: t, masters: func() []*redistest.Server { return []*redistest.Server{set.Master()} },
		all: func() []*redistest.Server { return slices.Concat(set.Servers, set.Sentinels) },
		do:  func(_ string, args ...any) error { set.Master().Do(args...); return nil },
	}
	r.stir()
	r.look(keyspace.Place{Servers: realmAt(set.Sentinels...), Sentinel: set.Name})
	r.agrees()
	return r, set
}

// TestMasterHangsUnderSentinels: the other one takes over, and the old one comes back as its replica.
func TestMasterHangsUnderSentinels(t *testing.T) {
	t.Parallel()
	r, set := sentinelRealm(t)
	old := set.Master()
	old.Pause()
	r.tells(hangs, old.Addr)
	redistest.Eventually(t, 20*time.Second, func() (bool, string) {
		nodes := r.servers.Nodes()
		return len(nodes) == 1 && nodes[0] != keyspace.Node(old.Addr), fmt.Sprint(nodes)
	})
	old.Resume()
	set.WaitForSwitch(old)
	r.recovers()
	r.leaves()
}

// TestMasterDiesWithoutSentinels: nobody is there to see it. Once they are back, the other one takes over.
func TestMasterDiesWithoutSentinels(t *testing.T) {
	t.Parallel()
	r, set := sentinelRealm(t)
	old := set.Master()
	for _, sentinel := range set.Sentinels {
		sentinel.Kill()
	}
	old.Kill()
	r.tells(dead, old.Addr)
	for _, sentinel := range set.Sentinels {
		sentinel.Revive()
		sentinel.Do("SENTINEL", "DEBUG", "info-period", 200, "publish-period", 750, "ping-period", 200) // as before it died
	}
	set.WaitForSwitch(old)
	old.Revive()
	set.Settle()
	r.recovers()
	r.leaves()
}

// fused waits until each lock of a Redlock what a fresh read of all masters makes of it.
func (r *realm) fused() {
	r.t.Helper()
	redistest.Eventually(r.t, 30*time.Second, func() (bool, string) {
		wrong := r.troubled()
		shot := r.i.Latest()
		seen := make(map[string]*inspector.Lock)
		for _, l := range shot.Locks {
			if l.State != inspector.StateFreed {
				seen[l.Key] = l
			}
		}
		for key := range r.truth() {
			var looks []inspector.Look
			for _, a := range r.servers.ReadEach(r.t.Context(), inspector.Rules(nil), key) {
				looks = append(looks, inspector.Look(a))
			}
			want, is := inspector.Rules(nil).InspectVotes(keyspace.Ref{Key: key}, looks, time.Now())
			got := seen[key]
			delete(seen, key)
			if !is || got == nil || voted(got) != voted(want) {
				wrong = append(wrong, fmt.Sprintf("%s is told to be %s, and is %s", key, voted(got), voted(want)))
			}
		}
		for key, l := range seen {
			wrong = append(wrong, fmt.Sprintf("%s is told to be %s, and nobody has it", key, voted(l)))
		}
		return len(wrong) == 0, fmt.Sprintf("%d: %.600q", len(wrong), wrong)
	})
}

// voted is what a lock is compared by: its state, its holders and its votes.
func voted(l *inspector.Lock) string {
	if l == nil {
		return "unknown"
	}
	text := string(l.State)
	for _, h := range l.Holders {
		text += " " + h.Owner
	}
	return fmt.Sprintf("%s, %d votes", text, l.Quorum.For)
}

// TestFaultsOfARedlock has some of five masters hang, all start again empty, and one have its clock set.
func TestFaultsOfARedlock(t *testing.T) {
	t.Parallel()
	masters := redistest.StartMasters(t, 5)
	link := redistest.NewLink(t, masters[4])
	var hung []*redistest.Server
	alive := func() []*redistest.Server {
		return slices.DeleteFunc(slices.Clone(masters), func(s *redistest.Server) bool { return slices.Contains(hung, s) })
	}
	r := &realm{
		t: t, masters: alive, all: alive,
		do: func(_ string, args ...any) error {
			for _, m := range alive() {
				m.Do(args...)
			}
			return nil
		},
	}
	r.stir()
	at := realmAt(masters...)
	at[4].Addr = link.Addr
	r.look(keyspace.Place{Servers: at})
	r.fused()

	var names []string
	for n, m := range masters[:3] {
		m.Pause()
		hung, names = masters[:n+1], append(names, m.Addr)
		if n > 0 { // two leave a quorum, three do not
			r.tells(hangs, names...)
			r.stir() // of which those that hang do not know
		}
	}
	for _, m := range hung {
		m.Resume()
	}
	hung = nil
	r.fused()

	link.ShiftClock(time.Hour)
	masters[4].Do("CLIENT", "KILL", "TYPE", "pubsub") // so that its clock is looked at
	redistest.Eventually(t, 20*time.Second, func() (bool, string) {
		var offsets []time.Duration
		for _, n := range r.i.Latest().Nodes {
			offsets = append(offsets, n.ClockOffset)
		}
		return slices.ContainsFunc(offsets, func(by time.Duration) bool { return by > 59*time.Minute }), fmt.Sprint(offsets)
	})
	r.fused()
	link.ShiftClock(0)

	for _, m := range masters {
		m.Restart()
	}
	r.stir()
	r.fused()
	r.leaves()
}
