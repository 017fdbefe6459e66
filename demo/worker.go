package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
)

const (
	// retryDelay is how long a worker waits on average before it asks for a lock again.
	retryDelay = 220 * time.Millisecond
	// failureDelay is how long it waits after a command that failed.
	failureDelay = time.Second
	// noTimeout is for those who wait, or work, for as long as it takes.
	noTimeout = 1000 * time.Hour
)

// worker is one process of an imagined company: it has a connection, a name and dice of its own. Its dice depend on the
// demo's seed and on its number alone; what other workers do it cannot foresee. Only its own goroutine and its watchdog use
// it.
type worker struct {
	*stage
	name   string
	number int
	dice   *rand.Rand
	client *redis.Client
	locker *actions.Locker
}

func (s *stage) newWorker() *worker {
	w := s.newWorkerOn(nil)
	w.client = s.conns[0].NewClient(w.name) // its connection has its name, with which its tokens begin
	w.locker = actions.NewLocker(w.client)
	return w
}

// newWorkerOn makes a worker that has a client together with others, and so does not close it.
func (s *stage) newWorkerOn(client *redis.Client) *worker {
	name, number := s.nextName()
	return &worker{
		stage: s, name: name, number: number, client: client, locker: actions.NewLocker(client),
		dice: rand.New(rand.NewPCG(s.seed, uint64(number))),
	}
}

// connect opens the worker's connection before it needs it, as a process does when it starts. Whoever lists the clients of the server
// then knows the worker before it has a lock.
func (w *worker) connect(ctx context.Context) {
	w.try(ctx, func(ctx context.Context) (bool, error) { return true, w.client.Ping(ctx).Err() })
}

// close ends the worker's connection, as the end of its process would.
func (w *worker) close() {
	if err := w.client.Close(); err != nil {
		w.ledger.failed(fmt.Errorf("%s: close: %w", w.name, err))
	}
}

// token is a new proof of ownership that also tells people who has it: "worker-7:3f9c0a51".
func (w *worker) token() string { return fmt.Sprintf("%s:%08x", w.name, w.dice.Uint32()) }

// pause waits by the demo's clock; false: the demo is over.
func (w *worker) pause(ctx context.Context, d time.Duration) bool { return w.clock.sleep(ctx, d) }

// between is a duration by the worker's dice.
func (w *worker) between(low, high time.Duration) time.Duration {
	return low + time.Duration(w.dice.Int64N(int64(high-low)))
}

// about is a duration within a third of d, so that workers do not march in step.
func (w *worker) about(d time.Duration) time.Duration { return w.between(d*2/3, d*4/3) }

// try does something once; a failure is counted, told, and slept over, unless it comes from the demo's end.
func (w *worker) try(ctx context.Context, do func(context.Context) (bool, error)) bool {
	done, err := do(ctx)
	if err != nil {
		w.trouble(ctx, err)
		return false
	}
	return done
}

// trouble is what a worker does about a command that failed.
func (w *worker) trouble(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	w.ledger.failed(fmt.Errorf("%s: %w", w.name, err))
	w.news("%s was not answered: %v", w.name, err)
	w.pause(ctx, failureDelay)
}

// seek asks for a lock again and again until it has it, the patience is over or the demo ends.
func (w *worker) seek(ctx context.Context, l wanted, patience time.Duration) bool {
	if w.try(ctx, l.acquire) {
		return true
	}
	defer w.ledger.wait(l.name())()
	giveUp := w.clock.now().add(patience)
	for w.clock.now() < giveUp && w.pause(ctx, w.about(retryDelay)) {
		if w.try(ctx, l.acquire) {
			return true
		}
	}
	return false
}
