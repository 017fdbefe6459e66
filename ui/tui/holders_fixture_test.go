package tui

import (
	"fmt"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// clientAt is a connection of the fixture.
func clientAt(id int64, name, addr string) keyspace.Client {
	return keyspace.Client{
		Node: testNode, ID: id, Name: name, Addr: addr, User: "default", Age: 4 * time.Minute, Idle: 3 * time.Second,
		Library: "go-redis", LibraryVersion: "9.23.0", Command: "set", Flags: "N", Subscriptions: int(id % 2),
	}
}

// holdersFixture is the fixture with the clients of some holders: worker-7 is gone, worker-0 to worker-4 are there, and the others
// are unknown. worker-0 holds each of its locks with a token of its own.
func holdersFixture() *inspector.Snapshot {
	locks := fixtureLocks(noon)
	alive := make(map[string]*inspector.Presence)
	roll := &keyspace.Roll{Node: testNode, TakenAt: noon.Add(-2 * time.Second)}
	for i := range 5 {
		name := fmt.Sprintf("worker-%d", i)
		p := &inspector.Presence{Connection: inspector.ConnectionAlive, Name: name, By: "the connection's name is a part of the owner"}
		for k := range 1 + i%3 {
			c := clientAt(int64(10*i+k), name, fmt.Sprintf("10.0.0.%d:4121%d", i, k))
			p.Clients = append(p.Clients, c)
			roll.Clients = append(roll.Clients, c)
		}
		alive[name] = p
	}
	gone := &inspector.Presence{
		Connection: inspector.ConnectionGone, Name: "worker-7", By: "the connection's name is the owner",
		Clients: []keyspace.Client{clientAt(77, "worker-7", "10.0.0.7:41212")}, Seen: noon.Add(-3 * time.Minute), Since: noon.Add(-175 * time.Second),
	}
	for _, l := range locks {
		for i := range l.Holders {
			h := &l.Holders[i]
			h.Presence = alive[h.Label]
			if h.Label == "worker-7" {
				h.Presence = gone
				l.Findings = append(l.Findings, inspector.Finding{
					Code: inspector.CodeOrphaned, Severity: inspector.SeverityCritical,
					Text: "worker-7 was last seen at 14:00:27, connected from 10.0.0.7:41212 (go-redis 9.23.0); its connection is gone since 14:00:32.", Advice: "Make sure that the process is dead, and release the lock.",
				})
			}
		}
	}
	s := snapshotOf(1, noon, locks)
	s.Roll = inspector.NewRoll([]*keyspace.Roll{roll}, 1)
	return s
}
