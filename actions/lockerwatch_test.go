package actions

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

// TestReleaseTokenByWatch releases by WATCH what is one's own, and nothing that was changed in between.
func TestReleaseTokenByWatch(t *testing.T) {
	onServers(t, func(t *testing.T, client *redis.Client) {
		ctx := t.Context()
		l := NewLocker(client)
		meddler := &betweenHook{t: t}
		client.AddHook(meddler)
		for _, test := range []struct {
			name      string
			held      string // the value, if there is one
			meddle    func()
			released  bool
			aborted   bool
			remaining string
		}{
			{name: "one's own", held: "t", released: true},
			{name: "another's", held: "other", remaining: "other"},
			{name: "gone"},
			{name: "renewed", held: "t", meddle: func() { client.PExpire(ctx, "lock", time.Hour) }, aborted: true, remaining: "t"},
			{name: "taken over", held: "t", meddle: func() { client.Set(ctx, "lock", "other", time.Hour) }, aborted: true, remaining: "other"},
			{name: "deleted", held: "t", meddle: func() { client.Del(ctx, "lock") }, aborted: true},
		} {
			client.FlushAll(ctx)
			if test.held != "" {
				client.Set(ctx, "lock", test.held, time.Minute)
			}
			if meddler.meddle = test.meddle; test.meddle != nil {
				meddler.times = 1
			}
			released, aborted, err := l.ReleaseTokenByWatch(ctx, "lock", "t")
			if released != test.released || aborted != test.aborted || err != nil || meddler.times != 0 {
				t.Errorf("%s: released %v, aborted %v, %v, %d left", test.name, released, aborted, err, meddler.times)
			}
			if now := client.Get(ctx, "lock").Val(); now != test.remaining {
				t.Errorf("%s: the value is %q, want %q", test.name, now, test.remaining)
			}
			again, aborted, err := l.ReleaseTokenByWatch(ctx, "lock", "t")
			if again != (test.remaining == "t") || aborted || err != nil {
				t.Errorf("%s, again: released %v, aborted %v, %v", test.name, again, aborted, err)
			}
		}
		client.HSet(ctx, "lock", "t", 1)
		if released, _, err := l.ReleaseTokenByWatch(ctx, "lock", "t"); released || err == nil || !strings.Contains(err.Error(), `release "lock" by WATCH: WRONGTYPE`) {
			t.Errorf("a token lock on a hash: %v, %v", released, err)
		}
	})
}

// TestReleaseTokenByWatchDenied denies a user one command after the other: the lock stays.
func TestReleaseTokenByWatchDenied(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client()
	for _, command := range []string{"watch", "get", "multi", "del", "exec"} {
		admin.Set(t.Context(), "lock", "t", time.Minute)
		server.Do("ACL", "SETUSER", "without", "reset", "on", ">x", "~*", "+@all", "-"+command)
		released, aborted, err := NewLocker(server.Client(asUser("without"))).ReleaseTokenByWatch(t.Context(), "lock", "t")
		if released || aborted || err == nil || !strings.Contains(err.Error(), "NOPERM") || admin.Get(t.Context(), "lock").Val() != "t" {
			t.Errorf("without %s: released %v, aborted %v, %v", command, released, aborted, err)
		}
	}
}
