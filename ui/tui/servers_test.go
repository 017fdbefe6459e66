package tui

import (
	"fmt"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// nodeAt is a healthy node of a topology.
func nodeAt(addr string, topology keyspace.Topology) keyspace.Status {
	n := status(noon)
	n.Node, n.Topology = keyspace.Node(addr), topology
	return n
}

// silence makes a node one that has not answered for 7 seconds.
func silence(n *keyspace.Status, why string) {
	n.Connected, n.StaleSince, n.Err = false, noon.Add(-7*time.Second), why
}

// clusterFixture is a cluster of three masters with replicas, the second of which does not answer.
func clusterFixture() *inspector.Snapshot {
	s := fixture()
	s.Nodes = nil
	for i := range 3 {
		n := nodeAt(fmt.Sprintf("10.0.0.%d:6379", i+1), keyspace.Cluster)
		n.Slots, n.ClockOffset, n.Lag = 5461, time.Duration(i-1)*1400*time.Microsecond, time.Duration(i+1)*300*time.Microsecond
		n.LastPass.Ended = noon.Add(-time.Duration(4+i*8) * time.Second)
		n.Replication.Replicas = []keyspace.Replica{{Addr: fmt.Sprintf("10.0.0.%d:6379", i+11), Online: true, SinceAck: time.Second}}
		n.Replication.AcknowledgedUntil = []time.Time{noon.Add(-time.Second)}
		s.Nodes = append(s.Nodes, n)
	}
	silence(&s.Nodes[1], "dial tcp 10.0.0.2:6379: connect: connection refused")
	third := &s.Nodes[2]
	third.Slots, third.Feed, third.FeedReason, third.Gaps = 5462, keyspace.FeedPoll, "notify-keyspace-events is empty, and CONFIG is denied", 2
	third.LastGap, third.LastGapWhy = noon.Add(-95*time.Second), "the subscription was lost"
	third.Replication.Replicas = append(third.Replication.Replicas, keyspace.Replica{Addr: "10.0.0.23:6379", Behind: 48_200, SinceAck: 9 * time.Second})
	third.Replication.AcknowledgedUntil = []time.Time{noon.Add(-time.Second), {}}
	for i, l := range s.Locks {
		l.Node = s.Nodes[i%3].Node
	}
	return s
}

// sentinelFixture is a master that sentinels name.
func sentinelFixture() *inspector.Snapshot {
	s := fixture()
	s.Nodes = []keyspace.Status{nodeAt("10.0.0.7:6379", keyspace.Sentinel)}
	s.Nodes[0].Replication = keyspace.Replication{
		Replicas: []keyspace.Replica{
			{Addr: "10.0.0.8:6379", Online: true, SinceAck: time.Second}, {Addr: "10.0.0.9:6379", Online: true, Behind: 140},
		},
		AcknowledgedUntil: []time.Time{noon, noon.Add(-time.Minute)},
	}
	for _, l := range s.Locks {
		l.Node = s.Nodes[0].Node
	}
	return s
}

// replicaFixture is a replica that is looked at by itself.
func replicaFixture() *inspector.Snapshot {
	s := fixture()
	s.Nodes = []keyspace.Status{nodeAt("10.0.0.8:6379", keyspace.Standalone)}
	s.Nodes[0].Role, s.Nodes[0].Replication.MasterAddr = "replica", "10.0.0.1:6379"
	for _, l := range s.Locks {
		l.Node = s.Nodes[0].Node
	}
	return s
}

// votesOf makes a quorum out of one letter a master: f for, o other holder, a absent, w wrong type, n denied, t timeout, d down, u unread.
func votesOf(nodes []keyspace.Status, ballots, owner, other string, left time.Duration) *inspector.Quorum {
	q := &inspector.Quorum{Needed: len(ballots)/2 + 1, Skew: 41 * time.Millisecond}
	for i, b := range ballots {
		v := inspector.Vote{Node: nodes[i].Node}
		switch b {
		case 'f':
			v.Ballot, v.Owner, v.Label = inspector.BallotFor, owner, owner
			q.For++
			if left > 0 {
				v.ExpiresAt = noon.Add(left + time.Duration(i)*10*time.Millisecond)
			}
		case 'o':
			v.Ballot, v.Owner, v.Label, v.ExpiresAt = inspector.BallotOther, other, other, noon.Add(9*time.Second)
		case 'a':
			v.Ballot = inspector.BallotAbsent
		case 'w':
			v.Ballot, v.Detail = inspector.BallotWrong, "a list of 12 elements"
		case 'n':
			v.Ballot, v.Detail = inspector.BallotDenied, "NOPERM this user has no permissions to access one of the keys"
		case 't':
			v.Ballot, v.Detail = inspector.BallotTimeout, "i/o timeout"
		case 'd':
			v.Ballot, v.Detail = inspector.BallotDown, "connection refused"
		default:
			v.Ballot = inspector.BallotUnread
		}
		q.Votes = append(q.Votes, v)
	}
	if q.For >= q.Needed && left > 0 {
		q.ValidUntil = noon.Add(left - 302*time.Millisecond)
	}
	return q
}

// redlockFixture is five independent masters, of which the fourth is down, with locks at every margin.
func redlockFixture() *inspector.Snapshot {
	var nodes []keyspace.Status
	for i := range 5 {
		n := nodeAt(fmt.Sprintf("10.0.0.%d:6379", i+1), keyspace.Redlock)
		n.ClockOffset, n.Lag = time.Duration(i)*400*time.Microsecond, time.Duration(i+2)*200*time.Microsecond
		nodes = append(nodes, n)
	}
	silence(&nodes[3], "dial tcp 10.0.0.4:6379: connect: connection refused")
	redlock := func(key, ballots string, left time.Duration) *inspector.Lock {
		owner, other := "worker-"+key[len(key)-1:], "worker-x"
		l := &inspector.Lock{
			Ref: keyspace.Ref{Node: nodes[0].Node, Key: key}, Scheme: inspector.SchemeToken, Mode: inspector.ModeExclusive,
			State: inspector.StateHeld, Holders: []inspector.Holder{holder(owner, owner, 0)}, HeldSince: noon.Add(left - 30*time.Second),
			HeldExact: true, Waiters: inspector.Waiters{By: inspector.WaitersNone}, Quorum: votesOf(nodes, ballots, owner, other, left),
		}
		if left > 0 {
			l.ExpiresAt = noon.Add(left)
		}
		l.Observed = observed(l)
		for i := range l.Quorum.Votes {
			if v := &l.Quorum.Votes[i]; v.Owner != "" {
				v.Observed = l.Observed
				v.Observed.Node, v.Observed.ExpiresAt = v.Node, v.ExpiresAt
				v.Observed.Value.Text, v.Observed.Size = v.Owner, int64(len(v.Owner))
			}
		}
		l.History = []inspector.Hold{past(noon, owner, (30*time.Second - left).Seconds(), -1, "")}
		return l
	}
	split := redlock("billing:month-3", "ffodo", 14*time.Second)
	split.State, split.History, split.HeldSince = inspector.StateSplit, nil, time.Time{}
	split.Holders = append(split.Holders, holder("worker-x", "worker-x", 0))
	split.Findings = []inspector.Finding{{
		Code: inspector.CodeSplit, Severity: inspector.SeverityCritical,
		Text:   "worker-3 has 2 votes and worker-x has 2 of 5: nobody has the 3 that are needed.",
		Advice: "Wait until the votes run out, or release one of them with r.",
	}}
	minority := redlock("cart:reindex-9", "fadtn", 8*time.Second)
	minority.State, minority.History, minority.HeldSince = inspector.StateMinority, nil, time.Time{}
	minority.Findings = []inspector.Finding{{
		Code: inspector.CodeMinority, Severity: inspector.SeverityWarning,
		Text: "worker-9 has 1 vote of the 3 that are needed.", Advice: "It may be what an acquisition left behind.",
	}}
	weak := redlock("orders:checkout-1", "ffwdf", 22*time.Second)
	weak.Findings = []inspector.Finding{{
		Code: inspector.CodeDegradedQuorum, Severity: inspector.SeverityWarning,
		Text: "It has 3 votes of 5, and may lose none.", Advice: "Look at 10.0.0.4:6379, which is down.",
	}}
	locks := []*inspector.Lock{split, minority, weak}
	for i := range 9 {
		locks = append(locks, redlock(fmt.Sprintf("invoice:%d", 7700+i), []string{"fffdf", "fffuf", "fffdo"}[i%3], time.Duration(5+i*3)*time.Second))
	}
	stuck := redlock("report:4", "fffdf", 0)
	stuck.State = inspector.StateStuck
	s := snapshotOf(1, noon, append(locks, stuck))
	s.Nodes = nodes
	return s
}
