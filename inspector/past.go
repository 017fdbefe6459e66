package inspector

import "locktop/keyspace"

// past keeps the history of locks that are gone, the latest maxPastKeys of them.
type past struct {
	holds map[keyspace.Ref][]Hold
	order []keyspace.Ref // oldest first; a key that came back leaves its old place behind
}

func newPast() past { return past{holds: make(map[keyspace.Ref][]Hold)} }

func (p *past) put(ref keyspace.Ref, holds []Hold) {
	if len(holds) == 0 {
		return
	}
	if _, known := p.holds[ref]; !known {
		p.order = append(p.order, ref)
	}
	p.holds[ref] = holds
	for len(p.holds) > maxPastKeys {
		delete(p.holds, p.order[0])
		p.order = p.order[1:]
	}
	if len(p.order) > 2*maxPastKeys {
		kept := make([]keyspace.Ref, 0, len(p.holds))
		for _, r := range p.order {
			if _, known := p.holds[r]; known {
				kept = append(kept, r)
			}
		}
		p.order = kept
	}
}

// take gives back the history of a key, and forgets it here.
func (p *past) take(ref keyspace.Ref) []Hold {
	holds := p.holds[ref]
	delete(p.holds, ref)
	return holds
}
