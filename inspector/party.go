package inspector

import (
	"slices"
	"strings"
	"time"

	"locktop/keyspace"
)

// party is the holders that are joined by the same links.
type party struct {
	links []link
	// now is what there is to say of them. Where nobody is connected, gone and unsure are what may be said of each lock.
	now, gone, unsure *Presence
	seats             []seat // of now
	declared          bool
	seen              time.Time
	round, version    uint32
}

// of is what there is to say of a lock's holder.
func (a *attendance) of(lock *Lock, owner string) *Presence {
	p := a.joined(lock, owner)
	switch {
	case p == nil:
		return nil
	case p.now.Connection == ConnectionAlive:
		return p.now
	case a.isGone(p, lock.Node, lock.signOfLife(owner)):
		return p.gone
	}
	a.pending = true
	return p.unsure
}

// joined is those to whom an owner of a lock is joined; nil: nobody is known.
func (a *attendance) joined(lock *Lock, owner string) *party {
	var (
		found    [mostParts]link
		n        int
		declared bool
	)
	join := func(l link, byRule bool) {
		k := a.known[l]
		if k == nil && !byRule && (len(a.present[l]) == 0 || !l.specific()) || n == len(found) || slices.Contains(found[:n], l) {
			return
		}
		if k == nil {
			k = &known{declared: byRule}
			a.known[l] = k
			for _, s := range a.present[l] {
				if c := a.nodes[s.node]; c != nil && c.roll != nil && c.roll.TakenAt.After(k.seen) {
					k.seen = c.roll.TakenAt
				}
			}
		}
		k.round = a.round
		declared = declared || byRule
		found[n] = l
		n++
	}
	for i := range a.rules {
		if a.trusts(i) && a.rules[i].covers(lock, owner) {
			a.rules[i].eachReading(owner, func(l link) { join(l, true) })
		}
	}
	eachLink(owner, func(l link) {
		a.addrs = a.addrs || l.kind == linkAddr
		join(l, false)
	})
	if n == 0 {
		return nil
	}
	return a.party(owner, found[:n], declared)
}

// isGone reports whether lists that are newer than the last sign of life show nobody; node is where the lock is.
func (a *attendance) isGone(p *party, node keyspace.Node, active time.Time) bool {
	home := a.nodes[node]
	if home == nil || a.lists == 0 {
		return false
	}
	if p.declared {
		return home.last.After(active) && home.last.After(p.seen)
	}
	if a.lists < 2 || p.seen.IsZero() || !home.before.After(active) {
		return false
	}
	for _, c := range a.nodes {
		if !c.before.After(p.seen) {
			return false
		}
	}
	return true
}

// party is that of the links; who is there may have changed since it was asked for last.
func (a *attendance) party(owner string, links []link, declared bool) *party {
	var name strings.Builder
	for _, l := range links {
		name.WriteByte(byte(l.kind))
		name.WriteString(l.text)
		name.WriteByte('\n')
	}
	if declared { // by a rule, which need not be for all locks of these clients
		name.WriteByte('!')
	}
	p := a.parties[name.String()]
	if p != nil {
		p.round = a.round
	}
	if p != nil && p.version == a.version {
		return p
	}
	var seats []seat
	for _, l := range links {
		for _, s := range a.present[l] {
			if len(seats) < maxSeats && !slices.Contains(seats, s) {
				seats = append(seats, s)
			}
		}
	}
	if p == nil {
		p = &party{links: slices.Clone(links), declared: declared, round: a.round}
		a.parties[name.String()] = p
	}
	if p.now == nil || !slices.Equal(seats, p.seats) || len(seats) == 0 {
		a.fill(p, owner, seats)
	}
	p.version = a.version
	return p
}

// fill makes what there is to say of a party's holders.
func (a *attendance) fill(p *party, owner string, seats []seat) {
	said := Presence{Connection: ConnectionAlive, By: p.links[0].words(owner)}
	for i := range a.rules {
		if p.declared {
			a.rules[i].eachReading(owner, func(l link) {
				if l == p.links[0] {
					said.By = a.rules[i].words()
				}
			})
		}
	}
	p.seats = seats
	for _, s := range seats {
		if c, _, is := a.roll.client(s.node, s.id); is {
			said.Clients = append(said.Clients, c)
		}
	}
	if len(seats) > 0 {
		said.Name = p.name(said.Clients)
		p.now, p.gone, p.unsure = &said, nil, nil
		return
	}
	var lost time.Time
	for _, l := range p.links {
		k := a.known[l]
		if k.seen.After(p.seen) {
			p.seen = k.seen
		}
		if k.lost.After(lost) {
			lost = k.lost
		}
		for _, c := range k.last {
			if !slices.ContainsFunc(said.Clients, func(o keyspace.Client) bool { return o.Node == c.Node && o.ID == c.ID }) && len(said.Clients) < maxSeats {
				said.Clients = append(said.Clients, c)
			}
		}
	}
	if lost.IsZero() {
		lost = a.roll.TakenAt()
	}
	said.Name = p.name(said.Clients)
	said.Connection, said.Seen = ConnectionUnknown, p.seen
	if p.unsure != nil && p.unsure.Seen.Equal(said.Seen) && len(p.unsure.Clients) == len(said.Clients) {
		return // nothing new of those who are not there
	}
	gone := said
	gone.Connection, gone.Since = ConnectionGone, lost
	p.gone, p.unsure = &gone, &said
	p.now = p.unsure
}

// name is what the connections of a party are called.
func (p *party) name(clients []keyspace.Client) string {
	switch l := p.links[0]; {
	case l.kind == linkName:
		return l.text
	case len(clients) > 0:
		return clients[0].Name
	}
	return ""
}

// forget drops what no holder was joined by in the last round.
func (a *attendance) forget() {
	for l, k := range a.known {
		if k.round != a.round {
			delete(a.known, l)
		}
	}
	for name, p := range a.parties {
		if p.round != a.round {
			delete(a.parties, name)
		}
	}
}
