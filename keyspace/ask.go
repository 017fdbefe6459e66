package keyspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// askWithin is how long the servers that are asked who belongs together may take. Those who hang are outvoted.
const askWithin = 1500 * time.Millisecond

// ballot is what one server answers, in words that can be compared.
type ballot[T any] struct {
	answer T
	words  string
	err    error
	votes  int // of those who give the same answer
}

// vote asks several servers the same, and returns the answer that most of them give; where as many say so as otherwise, the one
// that was believed until now, else the first server's. The error is the first of all, where none answers. Nobody is waited for
// once more than half agree: whoever hangs must not delay what the others know.
func vote[T any](ctx context.Context, servers []Options, before string, ask func(context.Context, Options) (T, string, error)) ballot[T] {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	ballots := make([]ballot[T], len(servers))
	type cast struct {
		by int
		ballot[T]
	}
	arrived := make(chan cast, len(servers)) // so that whoever is late does not wait for us
	for i, o := range servers {
		ballots[i].err = connectError(o, context.DeadlineExceeded) // unless it answers
		go func() {
			b := cast{by: i}
			b.answer, b.words, b.err = ask(ctx, o)
			arrived <- b
		}()
	}
	votes, most := make(map[string]int), 0
	for left := len(servers); left > 0 && most <= len(servers)/2; left-- {
		select {
		case b := <-arrived:
			ballots[b.by] = b.ballot
			if b.err == nil {
				votes[b.words]++
				most = max(most, votes[b.words])
			}
		case <-ctx.Done():
			left = 0
		}
	}
	var (
		best   *ballot[T]
		failed ballot[T]
	)
	for i := range ballots {
		b := &ballots[i]
		b.votes = votes[b.words]
		switch {
		case b.err != nil:
			failed.err = cmp.Or(failed.err, b.err)
		case best == nil || b.votes > best.votes || b.votes == best.votes && b.words == before:
			best = b
		}
	}
	if best == nil {
		return failed
	}
	return *best
}

// ask finds out who belongs to us now.
func (s *Servers) ask(ctx context.Context) error {
	var (
		next ballot[roster]
		few  string
	)
	switch s.topology {
	case Cluster:
		next = s.askCluster(ctx)
	case Sentinel:
		if next = s.askSentinels(ctx); next.votes <= len(s.place.Servers)/2 {
			few = fmt.Sprintf("only %d of %d sentinels say that this is the master, and the others may know better", next.votes, len(s.place.Servers))
		}
	case Standalone, Redlock:
		return nil
	}
	if next.err != nil {
		return next.err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roster, s.words, s.few = next.answer, next.words, few
	return nil
}

// askCluster asks the masters, and, where none of those that we knew answers, all other nodes at the same time: by connections
// that are closed again, since they are none of those that are looked at.
func (s *Servers) askCluster(ctx context.Context) ballot[roster] {
	now, before := s.present()
	var masters []Options
	for _, m := range now.members {
		masters = append(masters, m.options)
	}
	if len(masters) == 0 {
		masters = s.place.Servers
	}
	first := vote(ctx, masters, before, func(ctx context.Context, o Options) (roster, string, error) {
		c, err := s.connection(ctx, o)
		if err != nil {
			return roster{}, "", err
		}
		return askSlots(ctx, c)
	})
	if first.err == nil {
		return first
	}
	var others []Options
	for _, o := range slices.Concat(now.others, s.place.Servers) {
		known := func(other Options) bool { return other.Node() == o.Node() }
		if !slices.ContainsFunc(masters, known) && !slices.ContainsFunc(others, known) {
			others = append(others, o)
		}
	}
	second := vote(ctx, others, before, func(ctx context.Context, o Options) (roster, string, error) {
		c, err := Connect(ctx, o)
		if err != nil {
			return roster{}, "", err
		}
		defer c.Close() //nolint:errcheck // it has answered
		return askSlots(ctx, c)
	})
	if len(others) == 0 || second.err != nil {
		return first
	}
	return second
}

// askSentinels asks all of them each time: one that was away when we came may know better than those that were there.
func (s *Servers) askSentinels(ctx context.Context) ballot[roster] {
	_, before := s.present()
	return vote(ctx, s.place.Servers, before, func(ctx context.Context, o Options) (roster, string, error) {
		c, err := s.connection(ctx, o)
		if err != nil {
			return roster{}, "", err
		}
		addr, err := askSentinel(ctx, c, s.place.Sentinel)
		return roster{members: []member{{options: s.place.Master.withDefaults().at(addr)}}}, addr, err
	})
}
