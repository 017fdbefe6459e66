package inspector

import (
	"cmp"
	"net"
	"slices"
	"strings"

	"locktop/keyspace"
)

// maxSampledClients bounds how many clients a sample lists.
const maxSampledClients = 100

// sample is everything that was listened to, counted.
func (s *sampler) sample(report *keyspace.ProbeReport, needed int) *Sample {
	out := &Sample{
		Ref: s.lock.Ref, From: report.From, To: report.To, Ended: report.Ended, Lines: report.Lines, Bytes: report.Bytes,
	}
	for _, n := range report.Nodes {
		shown := SampledNode{
			Node: n.Node, Lines: n.Lines, Bytes: n.Bytes, LoadKnown: n.Before.Known && n.During.Known,
			OpsBefore: n.Before.Ops, OpsDuring: n.During.Ops, CPU: n.During.CPU,
		}
		if n.Err != nil {
			shown.Err = n.Err.Error()
		}
		out.Nodes = append(out.Nodes, shown)
	}
	out.Clients = s.grouped(report.Clients, needed)
	for i := range out.Clients {
		c := &out.Clients[i]
		out.add(c.Sampled)
		if c.Waiting {
			out.Waiting++
		}
	}
	if more := len(out.Clients) - maxSampledClients; more > 0 {
		out.Clients, out.More = out.Clients[:maxSampledClients:maxSampledClients], more
	}
	return out
}

func (s *Sampled) add(more Sampled) {
	s.Attempts += more.Attempts
	s.Acquired += more.Acquired
	s.Failed += more.Failed
	s.Extends.add(more.Extends)
	s.Releases.add(more.Releases)
	s.Repaired += more.Repaired
	s.Waits += more.Waits
}

// group is a client, as far as its connections can be told to be one's.
type group struct {
	SampledClient
	byNode map[keyspace.Node]*Sampled
	owners map[int32]bool
}

// grouped are the clients. Connections are one client's where they come from one host under one name; and where several masters vote,
// where they come from one host with one token. Those of one host that were closed by the end may all be one's, who connects for each
// attempt: they count as one, for who waits is told as a lower bound.
func (s *sampler) grouped(known []keyspace.Client, needed int) []SampledClient {
	together := s.join(known, needed > 1)
	byAddr := make(map[sampledConnection]*keyspace.Client, len(known))
	for i := range known {
		byAddr[sampledConnection{known[i].Node, known[i].Addr}] = &known[i]
	}
	groups := make(map[int32]*group)
	seen := make([]bool, len(s.clients))
	for i := range s.tries {
		t := &s.tries[i]
		if t.effort == effortNone {
			continue
		}
		g := groups[together[t.client]]
		if g == nil {
			g = &group{byNode: make(map[keyspace.Node]*Sampled), owners: make(map[int32]bool)}
			g.Addr, g.First = s.clients[t.client].addr, t.at
			groups[together[t.client]] = g
		}
		if !seen[t.client] {
			seen[t.client] = true
			g.Connections++
			if c := byAddr[s.clients[t.client]]; c != nil && g.Name+g.Library == "" {
				g.Name, g.User, g.Library, g.LibraryVersion = c.Name, c.User, c.Library, c.LibraryVersion
			}
		}
		g.count(t)
	}
	var out []SampledClient
	for _, g := range groups {
		out = append(out, g.total(s.names, needed))
	}
	slices.SortFunc(out, func(a, b SampledClient) int {
		return cmp.Or(
			-cmp.Compare(a.Attempts, b.Attempts), -cmp.Compare(a.Failed, b.Failed), -cmp.Compare(a.Waits, b.Waits),
			-cmp.Compare(a.Extends.All+a.Releases.All, b.Extends.All+b.Releases.All),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Addr, b.Addr))
	})
	return out
}

// join says of each connection which other one stands for its client.
func (s *sampler) join(known []keyspace.Client, byOwner bool) []int32 {
	names := make(map[sampledConnection]string, len(known))
	listed := make(map[keyspace.Node]bool) // of the others it is not known which connections are closed
	for _, c := range known {
		names[sampledConnection{c.Node, c.Addr}], listed[c.Node] = c.Name, true
	}
	parent := make([]int32, len(s.clients))
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := make(map[string]int32)
	same := func(what string, i int32) {
		if other, there := first[what]; there {
			parent[find(i)] = find(other)
		} else {
			first[what] = i
		}
	}
	for i, c := range s.clients {
		name, open := names[c]
		switch {
		case name != "":
			same("name "+hostOf(c.addr)+" "+name, int32(i))
		case !open && listed[c.node] && !strings.HasPrefix(c.addr, "unix:"):
			same("closed "+hostOf(c.addr), int32(i))
		}
	}
	for i := range s.tries {
		if t := &s.tries[i]; byOwner && t.owner != 0 && t.effort != effortNone {
			same("owner "+hostOf(s.clients[t.client].addr)+" "+s.names[t.owner], t.client)
		}
	}
	for i := range parent {
		parent[i] = find(int32(i))
	}
	return parent
}

// hostOf is the host of a client's address; clients on unix sockets are all on the server's own.
func hostOf(addr string) string {
	if strings.HasPrefix(addr, "unix:") {
		return ""
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// count adds an attempt. The attempts of a client come in the order of their time on each master.
func (g *group) count(t *try) {
	at := g.byNode[t.place.node]
	if at == nil {
		at = &Sampled{}
		g.byNode[t.place.node] = at
	}
	g.First, g.Last = earlier(g.First, t.at), later(g.Last, t.at)
	if t.owner != 0 {
		g.owners[t.owner] = true
	}
	switch t.effort {
	case effortAcquire:
		at.Attempts++
		switch t.result {
		case resultDone:
			at.Acquired++
			g.Waiting = false
		case resultFailed:
			at.Failed++
			g.Waiting = true
		case resultUnknown:
		}
	case effortExtend:
		at.Extends.count(t.result)
	case effortRepair:
		at.Repaired++
	case effortRelease:
		at.Releases.count(t.result)
		g.Waiting = false
	case effortWait:
		at.Waits++
		g.Waiting = true
	case effortLeave:
		g.Waiting = false
	case effortNone:
	}
}

// total is the client over all masters. Of a Redlock each attempt goes to all of them, and has acquired it where as many as it needs
// gave their vote: so often at most as that many masters did.
func (g *group) total(names []string, needed int) SampledClient {
	all := make([]Sampled, 0, len(g.byNode))
	for _, at := range g.byNode {
		all = append(all, *at)
	}
	if needed <= 1 {
		for _, at := range all {
			g.add(at)
		}
	} else {
		most := func(of func(Sampled) int, rank int) int {
			counts := make([]int, 0, len(all))
			for _, at := range all {
				counts = append(counts, of(at))
			}
			slices.SortFunc(counts, func(a, b int) int { return b - a })
			if rank > len(counts) {
				return 0
			}
			return counts[rank-1]
		}
		g.Attempts = most(func(at Sampled) int { return at.Attempts }, 1)
		g.Acquired = most(func(at Sampled) int { return at.Acquired }, needed)
		unknown := most(Sampled.Unknown, needed)
		g.Failed = max(0, g.Attempts-g.Acquired-unknown)
		// An extension takes the quorum; a release is one wherever the client had a vote.
		tries := func(of func(Sampled) Tries, rank int) Tries {
			all := most(func(at Sampled) int { return of(at).All }, 1)
			done := most(func(at Sampled) int { return of(at).Done }, rank)
			unknown := most(func(at Sampled) int { return of(at).Unknown() }, rank)
			return Tries{All: all, Done: done, Refused: max(0, all-done-unknown)}
		}
		g.Extends = tries(func(at Sampled) Tries { return at.Extends }, needed)
		g.Releases = tries(func(at Sampled) Tries { return at.Releases }, 1)
		g.Repaired = most(func(at Sampled) int { return at.Repaired }, 1)
		g.Waits = most(func(at Sampled) int { return at.Waits }, 1)
		g.Waiting = g.Failed > 0 && g.Acquired == 0
	}
	g.Owners = len(g.owners)
	if g.Owners == 1 {
		for owner := range g.owners {
			g.Owner = names[owner]
		}
	}
	return g.SampledClient
}
