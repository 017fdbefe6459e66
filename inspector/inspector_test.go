package inspector

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locktop/keyspace"
)

// tape is a Source whose updates a test writes.
type tape chan keyspace.Update

func (c tape) Updates() <-chan keyspace.Update { return c }

// recordNow is a read of a token lock at this moment.
func recordNow(key, owner string, ttl time.Duration) keyspace.Record {
	r := stringRecord(key, owner, 0)
	r.Node, r.ReadAt = sceneNode, time.Now()
	r.ExpiresAt = r.ReadAt.Add(ttl)
	return r
}

func goneNow(key string) keyspace.Record {
	return keyspace.Record{Ref: keyspace.Ref{Node: sceneNode, Key: key}, Type: keyspace.TypeNone, ReadAt: time.Now()}
}

func TestSnapshotsAreAtMostTenASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		feed := make(tape)
		i := Start(ctx, feed, Options{})
		if first := i.Latest(); first.Seq != 0 || len(first.Locks) != 0 {
			t.Errorf("before the first snapshot there is %+v", first)
		}
		began := time.Now()
		for n := range 200 { // for two seconds
			feed <- keyspace.Update{Node: sceneNode, Records: []keyspace.Record{recordNow("lock:a", fmt.Sprint("worker-", n), time.Minute)}}
			time.Sleep(10 * time.Millisecond)
		}
		if n, took := i.Latest().Seq, time.Since(began); n > 21 || n < 15 {
			t.Errorf("%d snapshots in %v", n, took)
		}
		cancel()
		synctest.Wait()
		if !i.Latest().Done || i.Latest().Err != nil {
			t.Errorf("after the end: %+v", i.Latest())
		}
	})
}

func TestNothingChangesNothingIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := make(tape)
		i := Start(t.Context(), feed, Options{})
		feed <- keyspace.Update{Node: sceneNode, Records: []keyspace.Record{recordNow("lock:a", "worker", 10*time.Second)}}
		time.Sleep(time.Second)
		first := i.Latest()
		for range 5 {
			r := first.Locks[0].Observed
			r.ReadAt = time.Now()
			feed <- keyspace.Update{Node: sceneNode, Records: []keyspace.Record{r}}
			time.Sleep(time.Second)
		}
		if last := i.Latest(); last != first {
			t.Errorf("snapshot %d replaced %d, and nothing had changed", last.Seq, first.Seq)
		}
		next, err := i.Next(t.Context(), first.Seq) // time alone makes it
		if err != nil || next.Locks[0].State != StateExpired || next.Totals.ByState[StateExpired] != 1 {
			t.Errorf("%+v %v", next, err)
		}
		if at := next.TakenAt.Sub(first.Locks[0].ExpiresAt); at < 0 || at > 150*time.Millisecond {
			t.Errorf("shown as expired %v after its end", at)
		}
		feed <- keyspace.Update{Node: sceneNode, Records: []keyspace.Record{goneNow("lock:a")}}
		time.Sleep(time.Second)
		if l := i.Latest().Locks[0]; l.State != StateFreed || l.FreedBy != CauseExpired || i.Latest().Totals.Locks != 0 {
			t.Errorf("%+v", l)
		}
		time.Sleep(5 * time.Second)
		if n := len(i.Latest().Locks); n != 0 {
			t.Errorf("%d locks are left", n)
		}
		close(feed)
		synctest.Wait()
	})
}

func TestNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := make(tape)
		i := Start(t.Context(), feed, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := i.Next(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without any update: %v", err)
		}
		status := keyspace.Status{Node: sceneNode, Connected: true}
		feed <- keyspace.Update{Node: sceneNode, Status: &status}
		first, err := i.Next(t.Context(), 0)
		if err != nil || first.Complete || len(first.Nodes) != 1 {
			t.Fatalf("%+v %v", first, err)
		}
		feed <- keyspace.Update{Node: sceneNode, PassEnded: &keyspace.Pass{Generation: 1}}
		second, err := i.Next(t.Context(), first.Seq)
		if err != nil || !second.Complete || second.Seq <= first.Seq {
			t.Fatalf("%+v %v", second, err)
		}
		down := keyspace.Status{Node: sceneNode, Err: "connection refused", StaleSince: time.Now()}
		feed <- keyspace.Update{Node: sceneNode, Records: []keyspace.Record{recordNow("lock:a", "worker", time.Minute)}}
		feed <- keyspace.Update{Node: sceneNode, Status: &down}
		time.Sleep(time.Second)
		if l := i.Latest(); l.Complete || len(l.Locks) != 1 {
			t.Errorf("while the node is down the last picture stays: %+v", l)
		}
		close(feed)
		synctest.Wait()
		last, err := i.Next(t.Context(), 1000)
		if err != nil || !last.Done || last.Err == nil {
			t.Errorf("after the end: %+v %v", last, err)
		}
	})
}

func TestEventsAndNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := make(tape)
		i := Start(t.Context(), feed, Options{})
		feed <- keyspace.Update{Node: sceneNode, PassEnded: &keyspace.Pass{Generation: 1}}
		const total = maxEvents * 2
		for n := range total / 100 {
			u := keyspace.Update{Node: sceneNode}
			for k := range 100 {
				u.Records = append(u.Records, recordNow(fmt.Sprintf("lock:%d:%d", n, k), "worker", time.Minute))
			}
			feed <- u
		}
		synctest.Wait()
		i.Note(Event{Kind: EventOperator, Text: "released"})
		time.Sleep(time.Second)
		events, lost := i.EventsSince(0)
		if uint64(len(events))+lost != total+1 || len(events) < maxEvents || len(events) > 2*maxEvents {
			t.Fatalf("%d events, and %d lost", len(events), lost)
		}
		for k, e := range events {
			if e.Seq != lost+uint64(k)+1 {
				t.Fatalf("event %d has the number %d", k, e.Seq)
			}
		}
		if last := events[len(events)-1]; last.Kind != EventOperator || last.At.IsZero() {
			t.Errorf("%+v", last)
		}
		shown := i.Latest().Events
		if len(shown) != snapshotEvents || shown[len(shown)-1].Seq != total+1 {
			t.Errorf("the snapshot has %d events, the last is %d", len(shown), shown[len(shown)-1].Seq)
		}
		if more, lost := i.EventsSince(total + 1); len(more) != 0 || lost != 0 {
			t.Errorf("%d more, %d lost", len(more), lost)
		}
		close(feed)
		synctest.Wait()
	})
}

func TestLocksKeepTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4000
		feed := make(tape)
		i := Start(t.Context(), feed, Options{})
		u := keyspace.Update{Node: sceneNode}
		for k := range n {
			u.Records = append(u.Records, recordNow(fmt.Sprintf("lock:%05d", k), "worker", time.Hour))
		}
		feed <- u
		time.Sleep(time.Second)
		u = keyspace.Update{Node: sceneNode}
		for k := range n {
			if k%4 != 0 {
				u.Records = append(u.Records, goneNow(fmt.Sprintf("lock:%05d", k)))
			}
		}
		feed <- u
		time.Sleep(10 * time.Second) // they are forgotten, and their holes are closed
		u = keyspace.Update{Node: sceneNode, Records: []keyspace.Record{recordNow("lock:03999", "again", time.Hour), recordNow("lock:00004", "worker-2", time.Hour)}}
		feed <- u
		time.Sleep(time.Second)
		locks := i.Latest().Locks
		if len(locks) != n/4+1 || i.Latest().Totals.Locks != len(locks) {
			t.Fatalf("%d locks, totals %+v", len(locks), i.Latest().Totals)
		}
		for k, l := range locks[:n/4] {
			if want := fmt.Sprintf("lock:%05d", 4*k); l.Key != want {
				t.Fatalf("place %d has %s, want %s", k, l.Key, want)
			}
		}
		if again := locks[n/4]; again.Key != "lock:03999" || len(again.History) != 2 {
			t.Errorf("a key that came back: %+v", again)
		}
		if changed := locks[1]; changed.Holders[0].Owner != "worker-2" {
			t.Errorf("%+v", changed)
		}
		close(feed)
		synctest.Wait()
	})
}

// TestSnapshotsAreImmutable is for the race detector: readers look at every byte that the store might still write.
func TestSnapshotsAreImmutable(t *testing.T) {
	feed := make(tape)
	i := Start(t.Context(), feed, Options{Interval: time.Millisecond})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for seq := uint64(0); ; {
				s, err := i.Next(t.Context(), seq)
				if err != nil {
					t.Error(err)
					return
				}
				before := fmt.Sprintf("%+v", s.Locks[:min(len(s.Locks), 5)])
				sum := 0
				for _, l := range s.Locks {
					c := *l
					sum += len(c.Holders) + len(c.History) + len(c.Findings) + len(c.Evidence) + int(c.Acquisitions[0])
					for _, h := range c.History {
						sum += len(h.Owner) + h.Renewals + h.Until.Second()
					}
					sum += len(c.Holders[0].Owner)
				}
				for _, e := range s.Events {
					sum += len(e.Owner) + len(e.Text)
				}
				if after := fmt.Sprintf("%+v", s.Locks[:min(len(s.Locks), 5)]); after != before || sum < 0 {
					t.Errorf("a snapshot changed")
				}
				if s.Done {
					return
				}
				seq = s.Seq
			}
		})
	}
	for n := range 400 {
		u := keyspace.Update{Node: sceneNode}
		for k := range 100 {
			key := fmt.Sprintf("lock:%d", k)
			ref := keyspace.Ref{Node: sceneNode, Key: key}
			switch (n + k) % 4 {
			case 0:
				u.Hints = append(u.Hints, keyspace.Hint{Ref: ref, Event: "expire", At: time.Now()})
			case 1:
				for _, event := range []string{"del", "new", "set", "expire"} {
					u.Hints = append(u.Hints, keyspace.Hint{Ref: ref, Event: event, At: time.Now()})
				}
			}
			u.Records = append(u.Records, recordNow(key, fmt.Sprint("worker-", (n+k)/4), time.Duration(n+1)*time.Second))
		}
		feed <- u
	}
	close(feed)
	readers.Wait()
}
