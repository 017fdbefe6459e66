package inspector

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"locktop/keyspace"
)

// Roll is the lists of the clients of all nodes. It is immutable.
type Roll struct {
	rolls []*keyspace.Roll // in the order of the nodes
	nodes int              // that there are, also those without a list
	// unlisted is how many clients there are besides, of a roll that was read from a recording.
	unlisted int
}

// NewRoll puts the lists of some nodes together, of which there are so many in all.
func NewRoll(rolls []*keyspace.Roll, nodes int) *Roll {
	rolls = slices.Clone(rolls)
	slices.SortFunc(rolls, func(x, y *keyspace.Roll) int { return cmp.Compare(x.Node, y.Node) })
	return &Roll{rolls: rolls, nodes: nodes}
}

// TakenAt is when the oldest of the lists was taken.
func (r *Roll) TakenAt() time.Time {
	var at time.Time
	for _, one := range r.rolls {
		if at.IsZero() || one.TakenAt.Before(at) {
			at = one.TakenAt
		}
	}
	return at
}

// Clients is how many are connected, ours included.
func (r *Roll) Clients() int {
	n := r.unlisted
	for _, one := range r.rolls {
		n += len(one.Clients)
	}
	return n
}

// Rolls are the lists, in the order of the nodes, and how many nodes there are.
func (r *Roll) Rolls() (rolls []*keyspace.Roll, nodes int) { return r.rolls, r.nodes }

// WithUnlisted is the roll with so many clients more, which are counted only: a recording keeps those that hold something.
func (r *Roll) WithUnlisted(clients int) *Roll {
	more := *r
	more.unlisted = clients
	return &more
}

// Partial says in words why not everybody is listed, so that nobody is said to be gone; empty: everybody is.
func (r *Roll) Partial() string {
	var first *keyspace.Roll
	missing := r.nodes - len(r.rolls)
	for _, one := range r.rolls {
		if one.Partial != "" {
			missing++
			if first == nil {
				first = one
			}
		}
	}
	switch {
	case missing == 0:
		return ""
	case first == nil:
		return fmt.Sprintf("%d of %d nodes have not listed their clients", missing, r.nodes)
	case r.nodes <= 1:
		return first.Partial
	}
	return fmt.Sprintf("%d of %d nodes have not listed their clients (%s: %s)", missing, r.nodes, first.Node, first.Partial)
}

// client is one of them, and when its list was taken.
func (r *Roll) client(node keyspace.Node, id int64) (c keyspace.Client, at time.Time, is bool) {
	if r == nil {
		return c, at, false
	}
	i, found := slices.BinarySearchFunc(r.rolls, node, func(one *keyspace.Roll, node keyspace.Node) int { return cmp.Compare(one.Node, node) })
	if !found {
		return c, at, false
	}
	one := r.rolls[i]
	k, found := slices.BinarySearchFunc(one.Clients, id, func(c keyspace.Client, id int64) int { return cmp.Compare(c.ID, id) })
	if !found {
		return c, at, false
	}
	return one.Clients[k], one.TakenAt, true
}

// Client is a connection as the last list of its node shows it, and when that was taken; false: it shows it no more, or there is
// no list.
func (s *Snapshot) Client(c keyspace.Client) (now keyspace.Client, at time.Time, is bool) {
	return s.Roll.client(c.Node, c.ID)
}
