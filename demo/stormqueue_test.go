package demo

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestQueueWaitsForAsLongAsItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, free := newQueue(1), make(chan struct{})
		running, most := 0, 0
		done := make(chan error, 3)
		send := func(ctx context.Context) {
			go func() {
				_, err := q.turn(ctx, func(context.Context) (bool, error) {
					running++
					most = max(most, running)
					<-free
					running--
					return true, nil
				})
				done <- err
			}()
		}
		impatient, cancel := context.WithCancel(t.Context())
		send(t.Context())
		synctest.Wait()
		send(t.Context())
		send(impatient)
		time.Sleep(time.Hour)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatalf("the end of its context did not end the wait: %v", err)
		}
		close(free)
		for range 2 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if most != 1 {
			t.Fatalf("%d had the connection at once", most)
		}
	})
}
