package demo

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Who was held up since it got a lock stays outside, and does not keep the others waiting until the lease is over.
func TestTooLateToGoInside(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	ctx := t.Context()
	l := w.tokenLock("lock:a", time.Minute)
	if !must(l.acquire(ctx))(t) || w.tooLate(ctx, l) || value(ctx, t, w.client, l.key) != l.owner {
		t.Fatal("who is in time has to stay outside")
	}
	l.until = w.clock.now().add(time.Second) // less than what is left to be safe
	if !w.tooLate(ctx, l) {
		t.Fatal("who is late may go inside")
	}
	if now := value(ctx, t, w.client, l.key); now != "" {
		t.Fatalf("the lock is still there: %s", now)
	}
	if !w.tooLate(ctx, l) {
		t.Fatal("who is later still may go inside")
	}
	if v := s.ledger.verdict(Variant{}); !v.told("^a late release was refused$") {
		t.Errorf("%q", v.Said)
	}
}

// What is not done in time is left to the next one.
func TestFinishIsInTime(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	l := w.tokenLock("lock:a", time.Minute)
	if !must(l.acquire(t.Context()))(t) {
		t.Fatal("a free lock was not acquired")
	}
	w.finish(t.Context(), s.ledger.enter(l.label, w.name), time.Millisecond, &l.claim)
	l.until = w.clock.now() // its time is over
	w.finish(t.Context(), s.ledger.enter(l.label, w.name), time.Millisecond, &l.claim)
	v := s.ledger.verdict(Variant{})
	if said := strings.Join(v.Said, "\n"); s.ledger.holder(l.label) != "" || !strings.Contains(said, "was written 1 time and is 1") {
		t.Fatal(said)
	}
}

// delay makes a worker late: as soon as a command of its has acquired a lock, its lease is over by the clock of the demo. When
// nobody has a lock any more after that, all is over.
type delay struct {
	stage   *stage
	witness *redis.Client
	late    bool
	end     context.CancelFunc
}

func (d *delay) DialHook(next redis.DialHook) redis.DialHook { return next }

func (d *delay) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (d *delay) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		err := next(ctx, command)
		keys := d.stage.keys()
		if len(keys) == 0 {
			return err
		}
		held := d.witness.Exists(context.WithoutCancel(ctx), keys...).Val() > 0
		switch {
		case held && !d.late:
			d.late = true
			d.stage.clock.mu.Lock()
			d.stage.clock.passed += time.Hour
			d.stage.clock.mu.Unlock()
		case !held && d.late:
			d.end()
		}
		return err
	}
}

// Careful workers of every kind stay outside where they were held up.
func TestHeldUpWorkersStayOutside(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(context.Context, *worker){
		"clerk":    clerk,
		"reporter": reporter,
		"importer": importer,
		"storm":    func(ctx context.Context, w *worker) { steady(2)(ctx, hand{w, newQueue(1)}, 0, nil) },
		"heir": func(ctx context.Context, w *worker) {
			steady(2)(ctx, hand{w, newQueue(1)}, 0, &death{worker: "worker-9", lock: "lock:a", at: time.Now()})
		},
		"market": func(ctx context.Context, w *worker) {
			d := deal{seen: func() {}, open: func(context.Context, redis.Cmdable) (bool, error) { return false, nil }}
			if o, err := locked(ctx, &trader{worker: w}, d, marketLock); o != dealAborted || err != nil {
				t.Errorf("a deal that came too late: %v, %v", o, err)
			}
		},
		"reentrant": nesting{label: "lock:a", leaks: &atomic.Pointer[leak]{}}.work,
		"local":     nested{label: "lock:a", counts: &localCounts{of: map[string]int{}}}.work,
		"redisson":  sleepers{label: "lock:a", freed: &atomic.Pointer[freeing]{}}.work,
		"fair":      (&line{waiting: map[string]*place{}}).work,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestStage(t)
			s.measures = newAnswers()
			s.clock.set(testSpeed)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			d := &delay{stage: s, witness: newTestWorker(t, s).client, end: cancel}
			w := newTestWorker(t, s)
			w.client.AddHook(d)
			play(ctx, w)
			if v := judge(s.ledger); !d.late || v.Acquisitions > 0 || errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Fatalf("late %v, %v: %v", d.late, ctx.Err(), v.Said)
			}
		})
	}
}
