package keyspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// roster is which servers there are at present.
type roster struct {
	// members are the masters, in the order of their names.
	members []member
	// others are addresses of replicas, and of sentinels and seeds: where to ask when no master answers.
	others []Options
}

// member is a master.
type member struct {
	options Options
	slots   *slotSet // in a cluster, else nil
	count   int      // of slots
}

// of finds a master by its name.
func (r roster) of(node Node) (member, bool) {
	for _, m := range r.members {
		if m.options.Node() == node {
			return m, true
		}
	}
	return member{}, false
}

// owner is the master of a slot; false where nobody serves it.
func (r roster) owner(slot int) (member, bool) {
	for _, m := range r.members {
		if m.slots != nil && m.slots.has(slot) {
			return m, true
		}
	}
	return member{}, false
}

// unserved is the number of slots that have no master.
func (r roster) unserved() int {
	left := Slots
	for _, m := range r.members {
		left -= m.count
	}
	return left
}

// add adds slots to the master at an address.
func (r *roster) add(o Options, first, last int) {
	i := slices.IndexFunc(r.members, func(m member) bool { return m.options.Addr == o.Addr })
	if i < 0 {
		i = len(r.members)
		r.members = append(r.members, member{options: o, slots: new(slotSet)})
	}
	for slot := first; slot <= last; slot++ {
		r.members[i].slots.add(slot)
	}
	r.members[i].count += last - first + 1
}

// ErrNoMaster says that sentinels watch no master of that name.
var ErrNoMaster = errors.New("no such master")

// askSlots asks a node of a cluster who has which slots.
func askSlots(ctx context.Context, c *Connection) (roster, string, error) {
	ranges, err := c.reader.ClusterSlots(ctx).Result() //nolint:staticcheck // CLUSTER SHARDS is unknown before 7.0
	if err != nil {
		return roster{}, "", wrap("cluster slots", err)
	}
	var (
		r     roster
		words []string
	)
	for _, span := range ranges {
		for i, node := range span.Nodes {
			o := c.options.at(c.reachable(node.Addr))
			if i == 0 {
				r.add(o, span.Start, span.End)
				words = append(words, fmt.Sprintf("%d-%d %s", span.Start, span.End, o.Addr))
			} else {
				r.others = append(r.others, o)
			}
		}
	}
	slices.SortFunc(r.members, func(a, b member) int { return cmp.Compare(a.options.Node(), b.options.Node()) })
	if len(words) == 0 {
		return roster{}, "", errors.New("no node of the cluster serves any slot: see CLUSTER INFO")
	}
	slices.Sort(words)
	return r, strings.Join(words, "\n"), nil
}

// reachable is an address that the server gave, as it can be dialled.
func (c *Connection) reachable(addr string) string { return Resolve(addr, c.options.Addr) }

// askSentinel asks a sentinel where the master is.
func askSentinel(ctx context.Context, c *Connection, name string) (string, error) {
	words, err := c.reader.Do(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", name).StringSlice()
	if errors.Is(err, redis.Nil) || err == nil && len(words) != 2 {
		return "", fmt.Errorf("%w as %q: %s", ErrNoMaster, name, watched(ctx, c))
	}
	if err != nil {
		return "", wrap("sentinel get-master-addr-by-name", err)
	}
	return c.reachable(net.JoinHostPort(words[0], words[1])), nil
}

// watched names the masters that a sentinel watches, for an error.
func watched(ctx context.Context, c *Connection) string {
	masters, err := c.reader.Do(ctx, "SENTINEL", "MASTERS").Slice()
	if err != nil {
		return "and its sentinel does not say which there are: " + err.Error()
	}
	var names []string
	for _, m := range masters {
		if fields, is := m.(map[any]any); is {
			name, _ := fields["name"].(string)
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	if len(names) == 0 {
		return "this sentinel watches none"
	}
	return "this sentinel watches " + strings.Join(names, ", ")
}
