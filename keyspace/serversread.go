package keyspace

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Read reads the named keys once, each from the server that has it now; of independent masters from the first. The records are in the
// order of the keys, without companions.
func (s *Servers) Read(ctx context.Context, keys ...string) ([]Record, error) {
	return s.ReadWith(ctx, nil, keys...)
}

// ReadWith is [Servers.Read] with what belongs to the keys; nil: nothing.
func (s *Servers) ReadWith(ctx context.Context, companions Companions, keys ...string) ([]Record, error) {
	records := make([]Record, len(keys))
	left := make(map[string]Options, len(keys))
	at := make(map[string][]int, len(keys))
	now, _ := s.present()
	for i, key := range keys {
		o, err := s.who(Ref{Node: now.members[0].options.Node(), Key: key})
		if err != nil {
			return nil, err
		}
		left[key] = o
		at[key] = append(at[key], i)
	}
	for range readHops {
		groups := make(map[Node][]string)
		where := make(map[Node]Options)
		for key, o := range left {
			groups[o.Node()] = append(groups[o.Node()], key)
			where[o.Node()] = o
		}
		clear(left)
		for node, group := range groups {
			c, err := s.connection(ctx, where[node])
			if err != nil {
				return nil, err
			}
			found, err := c.readAll(ctx, companions, group)
			if err != nil {
				return nil, fmt.Errorf("read %d keys of %s: %w", len(group), node, err)
			}
			for _, r := range found {
				if r.Type == typeElsewhere {
					left[r.Key] = s.follow(ctx, c, r)
					continue
				}
				for _, i := range at[r.Key] {
					records[i] = r
				}
			}
		}
		if len(left) == 0 {
			return records, nil
		}
	}
	return nil, fmt.Errorf("read %d keys: the cluster sent us from node to node %d times; its slots are being moved: try again", len(keys), readHops)
}

// readHops is how many redirections a read follows.
const readHops = 6

// follow is where a redirection sends us, which is told of it where it is to answer for a slot on its way.
func (s *Servers) follow(ctx context.Context, c *Connection, r Record) Options {
	to := r.redirection()
	o := c.options.at(c.reachable(to.Addr))
	if to.Asking {
		if target, err := s.connection(ctx, o); err == nil { // else the read says so
			target.asking.add(Slot(r.Key))
		}
	}
	return o
}

// readBeside reads companions of keys of one node, which may be another's.
func (s *Servers) readBeside(ctx context.Context, c *Connection, keys []string) ([]Record, error) {
	now, _ := s.present()
	records := make([]Record, len(keys))
	groups := make(map[*Connection][]int)
	for i, key := range keys {
		from := c
		if m, served := now.owner(Slot(key)); served && m.options.Node() != c.Node() {
			if others := s.connected([]Options{m.options}); len(others) > 0 {
				from = others[0]
			}
		}
		groups[from] = append(groups[from], i)
	}
	for from, places := range groups {
		var group []string
		for _, i := range places {
			group = append(group, keys[i])
		}
		found, err := from.readBatch(ctx, group)
		switch {
		case err != nil && from == c:
			return nil, err
		case err != nil: // the keys that they belong to are here, and more important
			found = make([]Record, len(group))
			for n, key := range group {
				found[n] = Record{Ref: Ref{Node: from.Node(), DB: from.DB(), Key: key}, Type: TypeNone}
			}
		}
		for n, i := range places {
			records[i] = found[n]
		}
	}
	return records, nil
}

// Rolls are the lists of the clients of all masters, asked for at the same time. Of one that does not answer, the list says so.
func (s *Servers) Rolls(ctx context.Context) []*Roll {
	now, _ := s.present()
	rolls := make([]*Roll, len(now.members))
	var asked sync.WaitGroup
	for i, m := range now.members {
		asked.Go(func() {
			c, err := s.connection(ctx, m.options)
			if err == nil {
				rolls[i], _, err = c.nextRoll(ctx)
			}
			if err != nil {
				rolls[i] = &Roll{Node: m.options.Node(), TakenAt: time.Now(), Partial: err.Error()}
			}
		})
	}
	asked.Wait()
	return rolls
}

// Answer is what one of several independent masters says of a key.
type Answer struct {
	Node   Node
	Record Record
	// Err is why it gave none.
	Err error
}

// ReadEach reads a key from every independent master at the same time, and waits for each as long as its own timeout allows.
func (s *Servers) ReadEach(ctx context.Context, companions Companions, key string) []Answer {
	now, _ := s.present()
	answers := make([]Answer, len(now.members))
	var asked sync.WaitGroup
	for i, m := range now.members {
		answers[i].Node = m.options.Node()
		asked.Go(func() {
			c, err := s.connection(ctx, m.options)
			if err == nil {
				var records []Record
				if records, err = c.ReadWith(ctx, companions, key); err == nil {
					answers[i].Record = records[0]
				}
			}
			answers[i].Err = err
		})
	}
	asked.Wait()
	return answers
}
