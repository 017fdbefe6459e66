package demo

import (
	"context"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

func TestLocal(t *testing.T) {
	play(t, "local", func(t *testing.T, d *Demo, client *redis.Client) {
		extending, trusting := listen(t, client, extendingLock), listen(t, client, trustingLock)
		eventually(t, "an owner of either lock, with a lease and without a count", func(ctx context.Context) bool {
			for _, key := range []string{extendingLock, trustingLock} {
				owner := value(ctx, t, client, key)
				if !strings.HasPrefix(owner, "worker-") || client.PTTL(ctx, key).Val() <= 0 {
					return false
				}
			}
			return true
		})
		eventually(t, "the lease of a holder that only counts ends under it", func(context.Context) bool { return trusting("expired") > 0 })
		eventually(t, "two are inside", func(context.Context) bool { return laneOf(t, d, "trusts-its-count").Violations > 0 })
		eventually(t, "its release is refused", func(context.Context) bool {
			return says(laneOf(t, d, "trusts-its-count"), "a release was refused to a worker that still counted its entries")
		})
		eventually(t, "a slow job is alone whose entries extend the lease", func(context.Context) bool {
			return says(laneOf(t, d, "extends"), "every entry had extended")
		})
		if v := laneOf(t, d, "extends"); v.Faults > 0 || extending("expired") > 0 {
			t.Fatalf("%+v", v)
		}
		if trusting("set") == 0 || trusting("expire") > trusting("set") || extending("expire") < 2*laneOf(t, d, "extends").Played {
			t.Fatalf("one renews with every entry, the other never: %d and %d", extending("expire"), trusting("expire"))
		}
	})
}

// A further entry finds out that the lock was taken away only if it looks.
func TestFurtherEntry(t *testing.T) {
	for _, trusts := range []bool{false, true} {
		s := newTestStage(t)
		w := newTestWorker(t, s)
		n := nested{label: "lock:a", trusts: trusts}
		l := w.tokenLock("lock:a", localLease)
		if !must(l.acquire(t.Context()))(t) || !n.enter(t.Context(), w, l) {
			t.Fatal("one's own lock was not entered")
		}
		if err := w.client.Set(t.Context(), "lock:a", "another's", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if entered := n.enter(t.Context(), w, l); entered != trusts {
			t.Fatalf("trusts %v: entered another's lock: %v", trusts, entered)
		}
	}
}
