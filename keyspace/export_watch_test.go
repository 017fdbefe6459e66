package keyspace

import (
	"context"
	"slices"
)

// Hand is an observation of which the test says by hand who the masters are, as sentinels would.
type Hand struct {
	*Observation

	watch *watch
}

// ObserveByHand observes the one server that was dialled, until it is told of another.
func ObserveByHand(ctx context.Context, s *Servers, o ObserveOptions) (*Hand, error) {
	w := s.newWatch(o)
	ctx, cancel := context.WithCancel(ctx)
	if err := w.begin(ctx, s.roster.members); err != nil {
		cancel()
		return nil, err
	}
	w.running.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.wake:
				w.muster(ctx)
			}
		}
	})
	return &Hand{w.told(ctx, cancel), w}, nil
}

// Master makes this server the master.
func (h *Hand) Master(o Options) {
	s := h.watch.servers
	s.mu.Lock()
	s.roster = roster{members: []member{{options: o.withDefaults()}}}
	s.mu.Unlock()
	h.watch.stir()
}

// Members are the masters of which feeds are made or being made.
func (h *Hand) Members() []Node {
	h.watch.mu.Lock()
	defer h.watch.mu.Unlock()
	var nodes []Node
	for node := range h.watch.members {
		nodes = append(nodes, node)
	}
	return nodes
}

// Waits says whether a status, or a record of the key where one is named, waits for a consumer who takes nothing.
func (h *Hand) Waits(node Node, key string) bool {
	h.watch.mu.Lock()
	var f *feed
	if p := h.watch.members[node]; p != nil {
		f = p.feed // it is set while the lock is held
	}
	h.watch.mu.Unlock()
	if f == nil {
		return false
	}
	f.out.mu.Lock()
	defer f.out.mu.Unlock()
	if key == "" {
		return f.out.next.Status != nil
	}
	return slices.ContainsFunc(f.out.next.Records, func(r Record) bool { return r.Key == key })
}

// Relieved are the keys that a master hands on which leaves before its feed has looked at any of these.
func Relieved(ctx context.Context, c *Connection, adopted ...string) map[string]struct{} {
	w := (&Servers{}).newWatch(ObserveOptions{})
	p := &post{member: member{options: c.options}, cancel: func() {}, ended: make(chan struct{}), feed: newFeed(c, ObserveOptions{}, Notifications{})}
	close(p.ended)
	w.give(p, adopted...)
	w.running.Go(func() { w.relieve(ctx, p) })
	<-w.updates
	w.running.Wait()
	return w.homeless
}

// Vote is what most of the servers answer, of which some say nothing before they are told not to; early says that nobody waited
// until they had no more time.
func Vote(ctx context.Context, before string, answers ...string) (words string, votes int, early bool) {
	servers := make([]Options, len(answers))
	ended := make(chan error, len(answers))
	for i := range answers {
		servers[i].Addr = string(rune('a' + i))
	}
	b := vote(ctx, servers, before, func(ctx context.Context, o Options) (struct{}, string, error) {
		answer := answers[o.Addr[0]-'a']
		if answer == "" {
			<-ctx.Done()
			ended <- ctx.Err()
			return struct{}{}, "", ctx.Err()
		}
		return struct{}{}, answer, nil
	})
	early = true
	for _, answer := range answers {
		if answer == "" {
			early = <-ended == context.Canceled && early //nolint:errorlint // it is this very one
		}
	}
	return b.words, b.votes, early
}
