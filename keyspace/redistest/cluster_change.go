package redistest

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// AddMaster lets a new server join, as a master without slots, and returns when the cluster has settled.
func (c *Cluster) AddMaster() *Server {
	c.tb.Helper()
	s := c.launch(1)[0]
	c.meet(s, c.alive())
	c.Nodes = append(c.Nodes, s)
	c.Settle()
	return s
}

// AddReplica lets a new server join, as a replica of the master, and returns when the cluster has settled.
func (c *Cluster) AddReplica(of *Server) *Server {
	c.tb.Helper()
	s := c.launch(1)[0]
	c.meet(s, c.alive())
	c.Nodes = append(c.Nodes, s)
	c.replicate(s, of)
	c.Settle()
	return s
}

func (c *Cluster) alive() []*Server {
	return slices.DeleteFunc(slices.Clone(c.Nodes), func(s *Server) bool { return !s.running() })
}

// Failover makes the replica the master of its slots, with the consent of the master that it had, and returns when the
// cluster has settled.
func (c *Cluster) Failover(to *Server) {
	c.tb.Helper()
	to.Do("CLUSTER", "FAILOVER")
	c.settle(func(seen view) bool { return seen[to.known()].role == master })
}

// Crash kills a master that has replicas, and returns the replica that the others have made the master of its slots,
// when the cluster has settled. A Revive of the old master makes it a replica of the new one.
func (c *Cluster) Crash(old *Server) *Server {
	c.tb.Helper()
	replicas := c.ReplicasOf(old)
	old.Kill()
	var promoted *Server
	c.settle(func(seen view) bool {
		i := slices.IndexFunc(replicas, func(s *Server) bool { return seen[s.known()].role == master })
		if i >= 0 {
			promoted = replicas[i]
		}
		return i >= 0
	})
	return promoted
}

// Forget takes a node out of the cluster: one without slots, or one that was killed and whose slots others have now. One
// that runs is then alone, and knows nobody; it stays up until the test ends.
func (c *Cluster) Forget(node *Server) {
	c.tb.Helper()
	id := c.view()[node.known()].id
	c.Nodes = slices.DeleteFunc(slices.Clone(c.Nodes), func(s *Server) bool { return s == node })
	for _, s := range c.alive() {
		s.Do("CLUSTER", "FORGET", id)
	}
	if node.running() {
		node.Do("CLUSTER", "RESET")
	}
	c.Settle()
}

// SlotMove is a slot on its way from one master to another, step by step as an operator's tools do it. Until Finish it
// belongs to From, which sends those who ask for a key that is gone from it on to To (ASK).
type SlotMove struct {
	Slot     int
	From, To *Server

	cluster *Cluster
}

// BeginMove marks the slot as moving, on both masters. Nothing has moved yet.
func (c *Cluster) BeginMove(slot int, from, to *Server) *SlotMove {
	c.tb.Helper()
	to.Do("CLUSTER", "SETSLOT", slot, "IMPORTING", c.ID(from))
	from.Do("CLUSTER", "SETSLOT", slot, "MIGRATING", c.ID(to))
	return &SlotMove{Slot: slot, From: from, To: to, cluster: c}
}

// Keys moves at most so many keys of the slot, each of them in one step, and says how many it was; 0 when none is left.
func (m *SlotMove) Keys(most int) int {
	tb := m.cluster.tb
	tb.Helper()
	keys := m.From.Do("CLUSTER", "GETKEYSINSLOT", m.Slot, most).([]any)
	if len(keys) == 0 {
		return 0
	}
	host, port, err := net.SplitHostPort(m.To.Addr)
	if err != nil {
		tb.Fatal(err)
	}
	// NOKEY: all of them have ended meanwhile. The servers have three seconds, as long as Do waits for them.
	if said := m.From.Do(append([]any{"MIGRATE", host, port, "", 0, 3000, "KEYS"}, keys...)...); fmt.Sprint(said) != "OK" && fmt.Sprint(said) != "NOKEY" {
		tb.Fatalf("MIGRATE of slot %d: %v", m.Slot, said)
	}
	return len(keys)
}

// Finish makes the slot belong to To, and returns when the cluster has settled. All keys must have moved. A master that has
// given its last slot away is a replica of To by then (cluster-allow-replica-migration).
func (m *SlotMove) Finish() {
	c := m.cluster
	c.tb.Helper()
	id := c.ID(m.To)
	told := []*Server{m.To, m.From} // in this order, so that there is an owner at every moment
	for _, s := range c.Masters() {
		if !slices.Contains(told, s) {
			told = append(told, s)
		}
	}
	tell := func() {
		for _, s := range told {
			client := s.briefly(time.Second)
			err := client.Do(context.Background(), "CLUSTER", "SETSLOT", m.Slot, "NODE", id).Err()
			_ = client.Close()
			// It may have heard from To by itself that its last slot is gone, and be its replica already.
			if err != nil && (s != m.From || !strings.Contains(err.Error(), "only with masters")) {
				c.tb.Fatalf("%s: SETSLOT %d: %v", s.Addr, m.Slot, err)
			}
		}
	}
	tell()
	// Two masters that were given slots at nearly the same time may have the same epoch for a moment, and what an old owner says
	// then may undo what the others were told: redis-cli --cluster fix tells them again, too.
	c.settleBy(func(seen view) bool { return seen[m.To.known()].owns(m.Slot) }, tell)
}

// MoveSlot moves a slot with all its keys, in batches of ten. step, if there is one, is called in between: when the slot
// is marked, and after each batch. The slot changes its owner after the last call.
func (c *Cluster) MoveSlot(slot int, from, to *Server, step func()) {
	c.tb.Helper()
	if step == nil {
		step = func() {}
	}
	move := c.BeginMove(slot, from, to)
	step()
	for move.Keys(10) > 0 {
		step()
	}
	move.Finish()
}
