package inspector

import (
	"cmp"
	"errors"
	"slices"

	"locktop/keyspace"
)

// This file keeps the nodes of a store: which there are, and how they all see together.

func (s *store) node(of keyspace.Ref) *node {
	ref := nodeRef{of.Node, of.DB}
	if s.last != nil && s.last.nodeRef == ref {
		return s.last
	}
	n := s.nodes[ref]
	if n == nil {
		// Whatever was read before, it may have been read there, and nothing was heard since.
		n = &node{nodeRef: ref, trails: make(map[string]*trail), passes: s.passesOf(ref.name), lastGap: s.lastRead}
		s.nodes[ref] = n
	}
	s.last = n
	return n
}

func (s *store) passesOf(node keyspace.Node) *passes {
	p := s.passes[node]
	if p == nil {
		p = &passes{known: s.whole}
		s.passes[node] = p
	}
	return p
}

// passed notes that a node's pass ended. Where the locks of all nodes are known for once, and one master takes over from another, what
// appears on it was acquired meanwhile.
func (s *store) passed(node keyspace.Node) {
	*s.passesOf(node) = passes{complete: true, known: true}
	s.changed = true
	for ref, n := range s.nodes {
		if ref.name == node && n.status != nil && n.status.Connected {
			s.sightings.end(ref)
		}
	}
	if s.whole {
		return
	}
	for _, n := range s.nodes {
		if n.status == nil || !n.passes.known || n.status.Topology != keyspace.Cluster && n.status.Topology != keyspace.Sentinel {
			return
		}
	}
	s.whole = true
}

// leave forgets a node, but not the keys that were there: another node has them now, and tells of them.
func (s *store) leave(name keyspace.Node) {
	for ref := range s.nodes {
		if ref.name == name {
			delete(s.nodes, ref)
		}
	}
	delete(s.passes, name)
	s.sightings.forget(name)
	s.left[name] = struct{}{}
	s.last = nil
	s.changed = true
}

// statuses are in the order of their addresses; complete says that each of the nodes was passed over.
func (s *store) statuses() (nodes []keyspace.Status, complete bool) {
	complete = true
	for _, st := range s.stations {
		theirs, passed := st.statuses()
		nodes = append(nodes, theirs...)
		complete = complete && (passed || len(theirs) == 0)
	}
	for _, n := range s.nodes {
		if n.status == nil {
			continue
		}
		nodes = append(nodes, *n.status)
		complete = complete && n.passes.complete
	}
	slices.SortFunc(nodes, func(a, b keyspace.Status) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.DB, b.DB))
	})
	return nodes, complete && len(nodes) > 0
}

// failure is why the source ended, where its own last word was that it could not go on: no node answered any more.
func (s *store) failure() error {
	nodes, _ := s.statuses()
	var first error
	for _, n := range nodes {
		switch {
		case n.Connected:
			return nil
		case n.Err != "" && first == nil:
			first = errors.New(n.Err) // it names the server
		}
	}
	return first
}
