package inspector_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// connected is a client that calls itself so.
func connected(t *testing.T, s *redistest.Server, name string) *redis.Client {
	t.Helper()
	c := s.Client(func(o *redis.Options) { o.ClientName, o.PoolSize = name, 1 })
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// Of two clients that lose their connection, the one that comes back under its name is not gone.
func TestClientsThatAreKilled(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzxen")
	dead, back := connected(t, s, "worker-7"), connected(t, s, "worker-8")
	how := keyspace.ObserveOptions{Clients: true}
	i := startBy(t, keyspace.Options{Network: "unix", Addr: s.Socket}, how, inspector.Options{}, keyspace.FeedPush)
	take := func(c *redis.Client, key, owner string) {
		if err := c.SetNX(t.Context(), key, owner, time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
	}
	take(dead, "lock:dead", "worker-7:3f9c")
	take(back, "lock:back", "worker-8:77aa")
	take(back, "lock:own", "another-9:1")
	is := func(key string, want inspector.Connection) *inspector.Lock {
		t.Helper()
		var found *inspector.Lock
		redistest.Eventually(t, 90*time.Second, func() (bool, string) {
			for _, l := range i.Latest().Locks {
				if l.Key == key {
					found = l
					return l.Holders[0].Connection() == want, fmt.Sprintf("%+v", l.Holders[0].Presence)
				}
			}
			return false, "there is no lock " + key
		})
		return found
	}
	is("lock:dead", inspector.ConnectionAlive)
	alive := is("lock:back", inspector.ConnectionAlive)
	before := alive.Holders[0].Presence.Clients[0]
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	s.Do("CLIENT", "KILL", "ID", before.ID)
	if err := back.Ping(t.Context()).Err(); err != nil {
		if err := back.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	l := is("lock:dead", inspector.ConnectionGone)
	if !hasFinding(l, inspector.CodeOrphaned) {
		t.Errorf("%+v", l.Findings)
	}
	l = is("lock:back", inspector.ConnectionAlive)
	now, _, there := i.Latest().Client(l.Holders[0].Presence.Clients[0])
	if !there || now.ID == before.ID || now.Name != "worker-8" || hasFinding(l, inspector.CodeOrphaned) {
		t.Errorf("%+v, %+v", now, l.Findings)
	}
	is("lock:own", inspector.ConnectionUnknown)
	again := connected(t, s, "worker-7")
	take(again, "lock:again", "worker-7:1")
	is("lock:dead", inspector.ConnectionAlive)
}

func hasFinding(l *inspector.Lock, code inspector.Code) bool {
	for _, f := range l.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}
