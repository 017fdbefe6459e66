package keyspace

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

// What a server that is busy with a script does not answer is not denied, and is asked again.
func TestABusyServerDeniesNothing(t *testing.T) {
	s := redistest.Start(t, "--lua-time-limit", "5")
	f := insideFeed(t, s)
	c := f.connection
	asked := map[string]func() error{
		"flags":    func() error { _, err := c.Notifications(t.Context()); return err },
		"waiters":  func() error { _, _, err := c.blockedClients(t.Context()); return err },
		"counters": func() error { return f.checkSweeps(t.Context()) },
		"clock":    func() error { return f.checkClock(t.Context()) },
	}
	beside := s.Client(func(o *redis.Options) { o.PoolSize = 1 })
	if err := beside.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	busy := s.Client(func(o *redis.Options) { o.ReadTimeout = time.Minute })
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		busy.Eval(context.Background(), "while true do end", nil) // it ends in an error, by our will
	}()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		err := beside.Ping(t.Context()).Err()
		return hasPrefix(err, "BUSY"), fmt.Sprint(err)
	})
	for what, ask := range asked {
		if err := ask(); !isRefusal(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := beside.ScriptKill(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	<-ended
	for what, ask := range asked {
		if err := ask(); err != nil {
			t.Errorf("afterwards, %s: %v", what, err)
		}
	}
	if _, known, err := c.blockedClients(t.Context()); !known || err != nil || f.health.blind {
		t.Errorf("afterwards: %v, %v; blind: %v", known, err, f.health.blind)
	}
}
