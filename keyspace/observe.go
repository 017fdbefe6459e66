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
	return c.observe(ctx, ctx, o)
}

// observe is Observe with an end of the work before that of ctx: what the feed had learnt by then is delivered all the same.
func (c *Connection) observe(ctx, work context.Context, o ObserveOptions) (*Observation, error) {
	o = o.withDefaults()
	flags, err := c.Notifications(work)
	if err != nil {
		return nil, err
	}
	if o.Notify == NotifyRequire && flags.Known && !flags.Enough() {
		return nil, fmt.Errorf("keyspace notifications are required, and %s; run: %s", flags.why(), flags.Line())
	}
	if err := c.mayScan(work); err != nil {
		return nil, err
	}
	f := newFeed(c, o, flags)
	var first *session
	if !o.Once && o.Notify != NotifyOff {
		// We listen before the first pass reads anything, so that no change falls between the two.
		if first, err = f.open(work); err != nil {
			return nil, connectError(c.options, err)
		}
		if o.Notify == NotifyRequire && first.hearing != FeedPush {
			first.close()
			return nil, fmt.Errorf("keyspace notifications are required, and %s", first.why)
		}
		f.mail.subscribed(first.hearing, first.why)
	}
	observation := &Observation{updates: make(chan Update), feed: f, reread: f.mail.reread}
	work, stop := context.WithCancel(work)
	var running sync.WaitGroup
	if first != nil {
		running.Go(func() { f.listen(work, first) })
	}
	running.Go(func() { f.herald.run(work) })
	running.Go(func() {
		f.run(work)
		f.out.close()
	})
	go func() {
		defer close(observation.updates)
		defer running.Wait()
		defer stop()
		observation.deliver(ctx)
	}()
	return observation, nil
}

// mayScan asks for one SCAN, without which nothing is found.
func (c *Connection) mayScan(ctx context.Context) error {
	err := c.reader.Scan(ctx, 0, "", 1).Err()
	if isDenied(err) {
		return &ConnectError{Addr: string(c.Node()), Kind: ErrPermission, Err: err, Mend: "locktop finds keys by SCAN: " + c.Mend("+scan")}
	}
	if err != nil {
		return connectError(c.options, err)
	}
	return nil
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
	if o.Keep == nil {
		o.Keep = func(Record) bool { return false }
	}
	return o
}

// Observation is a running feed.
type Observation struct {
	updates chan Update
	reread  func(keys []string)
	feed    *feed // of one server; nil: there are several
}

// Updates delivers what the feed saw; it is closed after the feed's last goroutine has ended. A consumer that is slow
// makes the feed coalesce records, count dropped hints, and leave out keys that came and went; it never makes it block the
// server, or keep more records than there are keys, besides those that the consumer knows of and some thousands.
func (o *Observation) Updates() <-chan Update { return o.updates }

// Reread marks keys dirty, so that their state is delivered once more. It does not block.
func (o *Observation) Reread(keys ...string) { o.reread(keys) }

// deliver hands updates over until the feed has ended and everything is taken, or ctx ends.
func (o *Observation) deliver(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.feed.out.filled:
		}
		u, filled, last := o.feed.out.take()
		if filled {
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
