package actions

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// register is the state of a lock in the model: who has it, and how often. Nobody has it where the owner is empty.
type register struct {
	owner string
	count int64
}

type registerKind string

const (
	kindAcquire registerKind = "acquire"
	kindLeave   registerKind = "leave" // the worker's own release of one entry
	kindObserve registerKind = "observe"
	kindRelease registerKind = "operator releases" // what was observed
)

// registerInput is what was asked, and registerOutput what was answered: did says that it was done, and now is what the
// answer said of the lock.
type (
	registerInput struct {
		kind registerKind
		who  register
	}
	registerOutput struct {
		did bool
		now register
		// renewed: the end of the lease was another than the one that was seen, though the rest was the same.
		renewed bool
	}
)

// lockModel is what a lock is: one owner at a time, released by nobody but its owner, or by an operator who saw it as it
// is.
var lockModel = porcupine.Model{
	Init: func() any { return register{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(register), input.(registerInput), output.(registerOutput)
		switch in.kind {
		case kindAcquire:
			if !out.did {
				return s.owner != "" && s.owner != in.who.owner, s
			}
			if s.owner == "" {
				return true, register{in.who.owner, 1}
			}
			return s.owner == in.who.owner, register{s.owner, s.count + 1}
		case kindLeave:
			if !out.did {
				return s.owner != in.who.owner, s
			}
			if s.count > 1 {
				return s.owner == in.who.owner, register{s.owner, s.count - 1}
			}
			return s.owner == in.who.owner, register{}
		case kindObserve:
			return s == out.now, s
		default:
			if out.did {
				return s == in.who, register{}
			}
			return (s != in.who || out.renewed) && s == out.now, s
		}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// contender is a lock of one scheme as the race needs it. acquire returns the proof of ownership, which no acquisition
// before it had.
type contender struct {
	scheme  inspector.Scheme
	acquire func(ctx context.Context, l *Locker, key string, nth int) (owner string, ok bool, err error)
	leave   func(ctx context.Context, l *Locker, key, owner string) (bool, error)
}

var contenders = []contender{
	{
		inspector.SchemeToken,
		func(ctx context.Context, l *Locker, key string, nth int) (string, bool, error) {
			token := strconv.Itoa(nth)
			ok, err := l.AcquireToken(ctx, key, token, time.Minute)
			return token, ok, err
		},
		func(ctx context.Context, l *Locker, key, owner string) (bool, error) {
			return l.ReleaseToken(ctx, key, owner)
		},
	},
	{
		inspector.SchemeTimestamp,
		func(ctx context.Context, l *Locker, key string, nth int) (string, bool, error) {
			return l.AcquireTimestamp(ctx, key, time.Hour+time.Duration(nth)*time.Millisecond)
		},
		func(ctx context.Context, l *Locker, key, owner string) (bool, error) {
			return l.ReleaseTimestamp(ctx, key, owner)
		},
	},
	{
		inspector.SchemeReentrant,
		func(ctx context.Context, l *Locker, key string, nth int) (string, bool, error) {
			owner := strconv.Itoa(nth / 2) // each owner enters twice
			n, err := l.AcquireReentrant(ctx, key, owner, time.Minute)
			return owner, n > 0, err
		},
		func(ctx context.Context, l *Locker, key, owner string) (bool, error) {
			left, err := l.ReleaseReentrant(ctx, key, owner, 0)
			return left >= 0, err
		},
	},
	{
		inspector.SchemeRedisson,
		func(ctx context.Context, l *Locker, key string, nth int) (string, bool, error) {
			owner := strconv.Itoa(nth / 2)
			n, _, err := l.AcquireRedisson(ctx, key, owner, time.Minute)
			return owner, n > 0, err
		},
		func(ctx context.Context, l *Locker, key, owner string) (bool, error) {
			left, err := l.ReleaseRedisson(ctx, key, owner, time.Minute)
			return left >= 0, err
		},
	},
}

// TestRace lets two operators and a worker loose on one lock, round after round, and checks that what each of them was
// told can have happened in some order: so no release ever removed the lock of a holder that it was not meant for.
func TestRace(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for _, c := range contenders {
		for _, watch := range []bool{false, true} {
			rounds := 1000
			switch {
			case testing.Short():
				rounds = 200
			case c.scheme == inspector.SchemeToken && !watch:
				rounds = 10_000
			}
			t.Run(fmt.Sprintf("%s/watch=%v", c.scheme, watch), func(t *testing.T) { race(t, server, c, watch, rounds) })
		}
	}
}

func race(t *testing.T, server *redistest.Server, c contender, watch bool, rounds int) {
	const key = "lock"
	worker := server.Client()
	players := []func(h *history, round int){
		func(h *history, round int) { h.work(t, NewLocker(worker), c, key, round*4) },
	}
	for range 2 {
		client := server.Client()
		o := NewOperator(OneServer(client), Options{})
		o.scriptsDenied.Store(watch)
		players = append(players, func(h *history, _ int) { h.operate(t, o, client, c.scheme, key) })
	}
	begin := time.Now()
	done := map[registerKind]int{}
	for round := range rounds {
		if err := worker.Del(t.Context(), key).Err(); err != nil {
			t.Fatal(err)
		}
		histories := make([]history, len(players))
		var all sync.WaitGroup
		for i, play := range players {
			histories[i] = history{client: i, begin: begin}
			all.Go(func() { play(&histories[i], round) })
		}
		all.Wait()
		var together []porcupine.Operation
		for _, h := range histories {
			together = append(together, h.operations...)
			for _, op := range h.operations {
				if op.Output.(registerOutput).did {
					done[op.Input.(registerInput).kind]++
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
		if !porcupine.CheckOperations(lockModel, together) {
			for _, op := range together {
				t.Logf("%d: %d to %d: %s", op.ClientId, op.Call, op.Return, lockModel.DescribeOperation(op.Input, op.Output))
			}
			t.Fatalf("round %d cannot have happened with a lock", round)
		}
	}
	t.Logf("%d rounds in %v: %v", rounds, time.Since(begin).Round(time.Millisecond), done)
	enough := rounds / 100
	if watch {
		enough = 1 // whoever watches a key that others write all the time seldom gets to act
	}
	for _, kind := range []registerKind{kindAcquire, kindLeave, kindObserve, kindRelease} {
		if done[kind] < enough {
			t.Errorf("the race is none: %s was done %d times in %d rounds", kind, done[kind], rounds)
		}
	}
}

// history is what one client did in one round.
type history struct {
	client     int
	begin      time.Time
	operations []porcupine.Operation
}

func (h *history) add(call time.Time, in registerInput, out registerOutput) {
	h.operations = append(h.operations, porcupine.Operation{
		ClientId: h.client, Input: in, Output: out,
		Call: call.Sub(h.begin).Nanoseconds(), Return: time.Since(h.begin).Nanoseconds(),
	})
}

// work acquires twice and releases twice, twice.
func (h *history) work(t *testing.T, l *Locker, c contender, key string, nth int) {
	for range 2 {
		var owners []string
		for range 2 {
			call := time.Now()
			owner, ok, err := c.acquire(t.Context(), l, key, nth)
			if err != nil {
				t.Error(err)
				return
			}
			h.add(call, registerInput{kindAcquire, register{owner: owner}}, registerOutput{did: ok})
			owners = append(owners, owner)
			nth++
		}
		for _, owner := range owners {
			if owner == "" {
				continue // not acquired, and the scheme has no proof for what was not
			}
			call := time.Now()
			ok, err := c.leave(t.Context(), l, key, owner)
			if err != nil {
				t.Error(err)
				return
			}
			h.add(call, registerInput{kindLeave, register{owner: owner}}, registerOutput{did: ok})
		}
	}
}

// operate looks at the lock and releases what it saw, three times.
func (h *history) operate(t *testing.T, o *Operator, client *redis.Client, scheme inspector.Scheme, key string) {
	for range 3 {
		call := time.Now()
		lock := observe(t.Context(), t, client, scheme, key)
		var saw register
		if len(lock.Holders) > 0 {
			saw = register{lock.Holders[0].Owner, max(lock.Holders[0].Count.N, 1)}
		}
		h.add(call, registerInput{kind: kindObserve}, registerOutput{did: saw.owner != "", now: saw})
		if saw.owner == "" {
			continue
		}
		call = time.Now()
		out := o.Do(t.Context(), Request{Verb: VerbRelease, Owner: saw.owner, Lock: lock})
		answered := registerOutput{did: out.Result == ResultReleased}
		switch out.Result {
		case ResultReleased, ResultGone:
		case ResultNotHolder, ResultChanged:
			answered.now, answered.renewed = register{out.Holder, max(out.Count, 1)}, out.Renewed
		default:
			t.Errorf("%+v", out)
			return
		}
		h.add(call, registerInput{kindRelease, saw}, answered)
	}
}
