package keyspace

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// watch observes several servers as one: each master by a feed of its own. It follows who they are: a master that leaves hands
// the keys that it had to the one that has them now, so that none is lost, and none is told of by two.
type watch struct {
	servers *Servers
	options ObserveOptions
	updates chan Update
	wake    chan struct{} // one token: who belongs to us may have changed
	running sync.WaitGroup

	mu      sync.Mutex
	members map[Node]*post
	// leaving are masters that left, and whose feeds have not ended yet: one that comes back meanwhile waits for that, so that
	// nothing of its new feed is told before the end of the old one.
	leaving map[Node]struct{}
	// homeless are keys whose master is not known, or that are sent around in a circle: they wait for the next answer.
	homeless map[string]struct{}
	hops     map[string]int // redirections of a key since the last answer
	// guests are nodes without a slot of their own that are being given one, and since when.
	guests map[Node]guest
	// trouble says in words why it is not known who the masters are, or what has none; empty: all is well.
	trouble string
}

// guest is a node that a cluster's slots are moved to.
type guest struct {
	options Options
	key     string // we were sent there for it
	asked   time.Time
}

// post is the feed of one master.
type post struct {
	member
	cancel context.CancelFunc // ends the work, but not the telling of what was learnt by then
	ended  chan struct{}
	// observation is nil until it is connected; [watch.attend] owns it once the watch has begun.
	observation *Observation

	// What follows is guarded by the lock of the watch.
	feed    *feed // nil until it is connected
	adopted []string
	// staleSince is from when on what its last status shows may be old; zero: it is connected. Of a master that comes after one
	// that was silent it is since that one was.
	staleSince time.Time
}

// A guest counts as ours for so long after we were last sent there. Before that is over, the key of which this was is asked for where it
// was: if its slot is still on its way, and some are for days, we are sent there anew, and else the guest leaves.
const (
	guestFor   = 6 * time.Second
	guestAsked = 3 * time.Second
)

// maxHops is how often a key may be sent from node to node between two answers about who has which slots.
const maxHops = 8

// Observe starts a feed for each master, and follows who the masters are. It returns an error where the options cannot be met
// on a master that answers now; everything later is told in the Status of the node. The observation ends with ctx.
func (s *Servers) Observe(ctx context.Context, o ObserveOptions) (*Observation, error) {
	ctx, cancel := context.WithCancel(ctx)
	w := s.newWatch(o)
	now, _ := s.present()
	if err := w.begin(ctx, now.members); err != nil {
		cancel()
		w.running.Wait()
		return nil, err
	}
	if !o.Once && (s.topology == Cluster || s.topology == Sentinel) {
		w.running.Go(func() { w.follow(ctx) })
	}
	return w.told(ctx, cancel), nil
}

func (s *Servers) newWatch(o ObserveOptions) *watch {
	w := &watch{
		servers: s, options: o, updates: make(chan Update), wake: make(chan struct{}, 1),
		members: make(map[Node]*post), leaving: make(map[Node]struct{}), homeless: make(map[string]struct{}),
		hops: make(map[string]int), guests: make(map[Node]guest),
	}
	if s.topology == Cluster {
		w.options.others = w
	}
	return w
}

// told is the observation that the consumer has; it ends after the last goroutine of the watch.
func (w *watch) told(ctx context.Context, cancel context.CancelFunc) *Observation {
	go func() {
		defer close(w.updates)
		defer cancel()
		w.running.Wait()
		if w.options.Once && ctx.Err() == nil {
			w.readStrays(ctx)
		}
	}()
	return &Observation{updates: w.updates, reread: w.reread}
}

// begin starts the first feeds. It fails where no master can be observed, or where one that answers does not allow it.
func (w *watch) begin(ctx context.Context, members []member) error {
	posts := make([]*post, len(members))
	errs := make([]error, len(members))
	var started sync.WaitGroup
	introduced := make(chan struct{})
	for i, m := range members {
		work, p := newPost(ctx, m)
		posts[i] = p
		started.Go(func() { p.observation, errs[i] = w.observe(ctx, work, p) })
		w.running.Go(func() {
			<-introduced
			w.attend(ctx, work, p, errs[i])
		})
	}
	w.running.Go(func() {
		defer close(introduced)
		started.Wait()
		for i, p := range posts { // the consumer knows of all of them before one has ended its first pass
			w.send(ctx, w.introduce(p, errs[i]))
		}
	})
	started.Wait()
	if err := hopeless(errs); err != nil {
		for _, p := range posts {
			p.cancel()
		}
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range posts {
		w.members[p.options.Node()] = p
	}
	return nil
}

// hopeless is the error of a beginning that another look will not mend: a master that answers does not allow it, or none answers.
func hopeless(errs []error) error {
	var first error
	failed := 0
	for _, err := range errs {
		var unreached *ConnectError
		switch {
		case err == nil:
			continue
		case !errors.As(err, &unreached), errors.Is(err, ErrPermission):
			return err
		}
		first = cmp.Or(first, err)
		failed++
	}
	if failed < len(errs) {
		return nil
	}
	return first
}

// drain waits for the end of an observation whose context is over.
func drain(o *Observation) {
	for range o.Updates() {
	}
}

func newPost(ctx context.Context, m member) (work context.Context, p *post) {
	work, cancel := context.WithCancel(ctx)
	return work, &post{member: m, cancel: cancel, ended: make(chan struct{})}
}

func (w *watch) observe(ctx, work context.Context, p *post) (*Observation, error) {
	c, err := w.servers.connection(work, p.options)
	if err != nil {
		return nil, err
	}
	return c.observe(ctx, work, w.options)
}

// attend passes on what a master's feed says, and connects to it first where that is still to be done, be it because of err.
func (w *watch) attend(ctx, work context.Context, p *post, err error) {
	defer close(p.ended)
	defer p.cancel()
	late := p.observation == nil
	for p.observation == nil {
		if err != nil {
			w.send(ctx, w.introduce(p, err))
			w.stir()
			if w.options.Once || !sleep(work, redialEvery) {
				return
			}
		}
		if p.observation, err = w.observe(ctx, work, p); work.Err() != nil {
			break
		}
	}
	observation := p.observation
	if observation == nil {
		return
	}
	w.mu.Lock()
	p.feed = observation.feed
	p.feed.mail.adopt(p.adopted...)
	if late {
		p.feed.mail.missed("this master is looked at from now on only")
	}
	p.adopted = nil
	w.mu.Unlock()
	connected := true
	for u := range observation.Updates() {
		if u.Status != nil {
			if connected && !u.Status.Connected {
				w.stir()
			}
			connected = u.Status.Connected
			u.Status = w.stamp(p, *u.Status)
		}
		if !w.send(ctx, u) {
			drain(observation)
			return
		}
	}
}

// stamp completes a status by what the node is a part of.
func (w *watch) stamp(p *post, s Status) *Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Topology, s.Slots = w.servers.topology, p.count
	if !s.Connected && p.observation == nil && !p.staleSince.IsZero() {
		s.StaleSince = p.staleSince // the tries to connect to it make nothing older
	}
	p.staleSince = s.StaleSince
	if s.Connected && w.trouble != "" {
		s.Err = strings.TrimPrefix(s.Err+"; "+w.trouble, "; ")
	}
	return &s
}

// introduce is the status of a master of whose feed nothing was heard yet, be it because of err.
func (w *watch) introduce(p *post, err error) Update {
	s := Status{Node: p.options.Node(), DB: p.options.DB, Role: "master", Feed: FeedPoll}
	if err == nil {
		server := p.observation.feed.connection.server
		s.Connected, s.Software, s.Version, s.Role = true, server.Software, server.Version, server.Role
		s.FeedReason = "its feed has just begun"
	} else {
		s.StaleSince, s.Err, s.TimedOut = time.Now(), err.Error(), errors.Is(err, ErrNoAnswer)
		if lost := (*ConnectError)(nil); errors.As(err, &lost) {
			s.Trouble = lost.trouble()
		}
		s.FeedReason = "it was not reached yet"
	}
	for _, pattern := range w.options.Patterns {
		s.Patterns = append(s.Patterns, pattern.String())
	}
	return Update{Node: s.Node, Status: w.stamp(p, s)}
}

// send hands an update over; false: the context ended before.
func (w *watch) send(ctx context.Context, u Update) bool {
	select {
	case w.updates <- u:
		return true
	case <-ctx.Done():
		return false
	}
}

// stir has the servers asked soon who belongs to us.
func (w *watch) stir() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// moved is of [neighbours].
func (w *watch) moved(from Node, key string, to Redirection) {
	now, _ := w.servers.present()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hops[key]++
	target := w.postOf(now, key)
	if to.Addr != "" {
		target = nil
		if p := w.members[from]; p != nil && p.feed != nil {
			c := p.feed.connection
			o := c.options.at(c.reachable(to.Addr))
			target = w.members[o.Node()]
			if _, known := w.guests[o.Node()]; to.Asking && (known || target == nil) { // else it has slots of its own
				w.guests[o.Node()] = guest{o, key, time.Now()}
			}
			if to.Asking && target != nil && target.feed != nil {
				target.feed.connection.asking.add(Slot(key))
			}
		}
		if !to.Asking {
			w.stir() // our map of the slots is old
		}
	}
	if target == nil || target.options.Node() == from || w.hops[key] > maxHops || w.options.Once {
		w.homeless[key] = struct{}{}
		w.stir()
		return
	}
	w.give(target, key)
}

// related is of [neighbours].
func (w *watch) related(from Node, owner string) bool {
	now, _ := w.servers.present()
	m, served := now.owner(Slot(owner))
	if !served || m.options.Node() == from {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.members[m.options.Node()]; p != nil && p.feed != nil {
		p.feed.mail.relate(owner)
	}
	return true
}

// reread is [Observation.Reread] for keys of whichever master.
func (w *watch) reread(keys []string) {
	now, _ := w.servers.present()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, key := range keys {
		for _, p := range w.members {
			if p.feed != nil && (w.servers.topology == Redlock || p == w.postOf(now, key)) {
				p.feed.mail.reread([]string{key})
			}
		}
	}
}

// readStrays reads, at the end of a single look, the keys of slots that were being moved meanwhile.
func (w *watch) readStrays(ctx context.Context) {
	keys := slices.Collect(maps.Keys(w.homeless))
	if len(keys) == 0 {
		return
	}
	records, err := w.servers.ReadWith(ctx, w.options.Companions, keys...)
	if err != nil {
		return // the master that did not answer has said so
	}
	for _, r := range records {
		w.send(ctx, Update{Node: r.Node, Records: []Record{r}})
	}
}
