package demo

import (
	"context"
	"sync/atomic"
)

// outage is the time for which a master is being replaced. Commands fail then, which every client has to reckon with. It is safe
// for concurrent use.
type outage struct {
	changes atomic.Int64 // odd while it lasts
}

func (o *outage) begin() { o.changes.Add(1) }
func (o *outage) end()   { o.changes.Add(1) }

// mark is what since is asked about later.
func (o *outage) mark() int64 { return o.changes.Load() }

// since says whether there was an outage at any time since the mark.
func (o *outage) since(mark int64) bool { return mark%2 == 1 || o.changes.Load() != mark }

// takeOver lets another server take the place of the one that workers talk to. It has the leases as they were at a rate of time
// that may have changed since, for what is set on a server that dies soon may never reach its heir.
func (s *show) takeOver(ctx context.Context, at float64, promote func(context.Context) error) error {
	d := s.director
	d.gate.Lock()
	defer d.gate.Unlock()
	err := promote(ctx)
	s.outage.end()
	if now := d.rateNow(); err == nil && now != at {
		return s.stretch(ctx, at/now)
	}
	return err
}
