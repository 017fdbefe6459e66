package keyspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// follow asks, every so often and whenever something points to a change, who the masters are.
func (w *watch) follow(ctx context.Context) {
	every := askEvery
	if w.servers.topology == Sentinel {
		every = askEvery / 2
	}
	for {
		asked := time.Now()
		timer := time.NewTimer(every)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-w.wake:
			timer.Stop()
		}
		if !sleep(ctx, time.Until(asked.Add(askSoon))) {
			return
		}
		err := w.servers.ask(ctx)
		if ctx.Err() != nil {
			return
		}
		w.worry(err)
		if err == nil { // else those who are known go on
			w.muster(ctx)
		}
	}
}

// worry notes what is wrong with the whole, which the statuses of all its nodes tell.
func (w *watch) worry(err error) {
	now, few := w.servers.doubtful()
	trouble := ""
	switch unserved := now.unserved(); {
	case err != nil && w.servers.topology == Sentinel:
		trouble = "a fail-over would not be noticed, because no sentinel answers: " + err.Error()
	case w.servers.topology == Sentinel:
		trouble = few
	case err != nil:
		trouble = "moved slots would be noticed late: " + err.Error()
	case w.servers.topology == Cluster && unserved > 0:
		trouble = fmt.Sprintf("%d of %d slots have no master, and their locks are not seen: see CLUSTER INFO", unserved, Slots)
	}
	w.mu.Lock()
	w.trouble = trouble
	w.mu.Unlock()
}

// muster puts feeds where masters are new, ends those of masters that left, and sees to the keys that were theirs.
func (w *watch) muster(ctx context.Context) {
	now, _ := w.servers.present()
	w.mu.Lock()
	for node, g := range w.guests {
		age := time.Since(g.asked)
		if _, stays := now.of(node); stays || age > guestFor {
			delete(w.guests, node)
			continue
		}
		if age > guestAsked {
			w.homeless[g.key] = struct{}{}
		}
		now.members = append(slices.Clip(now.members), member{options: g.options, slots: new(slotSet)})
	}
	var gone []*post
	for node, p := range w.members {
		m, stays := now.of(node)
		if !stays {
			gone = append(gone, p)
			delete(w.members, node)
			w.leaving[node] = struct{}{}
			continue
		}
		if p.slots != nil && *p.slots != *m.slots {
			p.slots, p.count = m.slots, m.count
			if p.feed != nil {
				p.feed.mail.own(m.slots)
			}
		}
	}
	var fresh []member
	for _, m := range now.members {
		if _, leaves := w.leaving[m.options.Node()]; !leaves && w.members[m.options.Node()] == nil {
			fresh = append(fresh, m)
		}
	}
	clear(w.hops)
	var arrive []func()
	for _, m := range fresh {
		work, p := newPost(ctx, m)
		for _, before := range gone {
			if silent := before.staleSince; !silent.IsZero() && before.sharesWith(m) && (p.staleSince.IsZero() || silent.Before(p.staleSince)) {
				p.staleSince = silent
			}
		}
		w.members[m.options.Node()] = p
		arrive = append(arrive, func() {
			w.send(ctx, w.introduce(p, errArrived))
			w.running.Go(func() { w.attend(ctx, work, p, nil) })
		})
	}
	homeless := slices.Collect(maps.Keys(w.homeless))
	clear(w.homeless)
	w.mu.Unlock()
	w.running.Go(func() { // not here: the consumer may be slow
		for _, begin := range arrive { // the consumer knows of them before it hears that others left, lest it take the rest for all
			begin()
		}
		for _, p := range gone {
			w.running.Go(func() { w.relieve(ctx, p) })
		}
	})
	w.assign(homeless...)
}

// sharesWith says whether a master has some of the keys that this one had.
func (p *post) sharesWith(m member) bool {
	if p.slots == nil || m.slots == nil { // under sentinels, there is one master
		return true
	}
	for i := range p.slots {
		if p.slots[i]&m.slots[i] != 0 {
			return true
		}
	}
	return false
}

// errArrived is why nothing is known yet of a master that has just become one.
var errArrived = errors.New("it has just become one of the masters, and is not looked at yet")

// relieve ends the feed of a master that left, says so, and hands on the keys that it followed.
func (w *watch) relieve(ctx context.Context, p *post) {
	node := p.options.Node()
	p.cancel()
	w.servers.leave(node) // which ends what waits for an answer
	<-p.ended
	w.mu.Lock()
	keys := p.adopted
	if p.feed != nil { // its goroutines have ended, and nobody else reads its books and its mail
		keys = slices.AppendSeq(keys, maps.Keys(p.feed.followed))
		keys = slices.AppendSeq(keys, maps.Keys(p.feed.mail.take().adopted))
	}
	w.mu.Unlock()
	if !w.send(ctx, Update{Node: node, Left: true}) {
		return
	}
	w.assign(keys...)
	w.mu.Lock()
	delete(w.leaving, node)
	w.mu.Unlock()
	w.stir() // it may have come back
}

// assign hands keys to the masters that have them now.
func (w *watch) assign(keys ...string) {
	if len(keys) == 0 {
		return
	}
	now, _ := w.servers.present()
	w.mu.Lock()
	defer w.mu.Unlock()
	groups := make(map[*post][]string)
	for _, key := range keys {
		if p := w.postOf(now, key); p != nil {
			groups[p] = append(groups[p], key)
		} else {
			w.homeless[key] = struct{}{}
		}
	}
	for p, group := range groups {
		w.give(p, group...)
	}
}

// postOf is the post of the master that has a key now; nil: there is none. It needs the lock.
func (w *watch) postOf(now roster, key string) *post {
	if w.servers.topology != Cluster {
		for _, p := range w.members {
			return p // there is one at most
		}
		return nil
	}
	m, served := now.owner(Slot(key))
	if !served {
		return nil
	}
	return w.members[m.options.Node()]
}

// give has a master's feed look after keys. It needs the lock.
func (w *watch) give(p *post, keys ...string) {
	if p.feed != nil {
		p.feed.mail.adopt(keys...)
	} else {
		p.adopted = append(p.adopted, keys...)
	}
}
