package keyspace

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Observe starts the feed. It returns an error where the options cannot be met (NotifyRequire without the flags, a
// pattern that the ACL denies); everything later is told in the Status. The feed ends with ctx.
func (c *Connection) Observe(ctx context.Context, o ObserveOptions) (*Observation, error) {
	o = o.withDefaults()
	flags, err := c.Notifications(ctx)
	if err != nil {
		return nil, err
	}
	if o.Notify == NotifyRequire && !flags.Enough() {
		return nil, fmt.Errorf("keyspace notifications are required, and %s; run: %s", flags.why(), flags.Line())
	}
	f := newFeed(c, o, flags)
	observation := &Observation{updates: make(chan Update), feed: f}
	var running sync.WaitGroup
	if !o.Once && o.Notify != NotifyOff {
		running.Go(func() { f.listen(ctx) })
	}
	running.Go(func() {
		f.run(ctx)
		f.out.close()
	})
	go func() {
		defer close(observation.updates)
		observation.deliver(ctx)
		running.Wait()
	}()
	return observation, nil
}

func (o ObserveOptions) withDefaults() ObserveOptions {
	if len(o.Patterns) == 0 {
		o.Patterns = []Pattern{{Glob: "*"}}
	}
	if o.Notify == "" {
		o.Notify = NotifyAuto
	}
	if o.Poll == 0 {
		o.Poll = time.Second
	}
	if o.ScanCount == 0 {
		o.ScanCount = 1000
	}
	if o.Follow == nil {
		o.Follow = Record.Exists
	}
	return o
}

// Observation is a running feed.
type Observation struct {
	updates chan Update
	feed    *feed
}

// Updates delivers what the feed saw; it is closed after the feed's last goroutine has ended. A consumer that is slow
// makes the feed coalesce records and count dropped hints; it never makes it block the server or grow without bound.
func (o *Observation) Updates() <-chan Update { return o.updates }

// Reread marks keys dirty, so that their state is delivered once more. It does not block.
func (o *Observation) Reread(keys ...string) { o.feed.mail.reread(keys) }

// deliver hands updates over until the feed has ended and everything is taken, or ctx ends.
func (o *Observation) deliver(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.feed.out.filled:
		}
		u, any, last := o.feed.out.take()
		if any {
			select {
			case <-ctx.Done():
				return
			case o.updates <- u:
			}
		}
		if last {
			return
		}
	}
}
