package actions

import (
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// BenchmarkRelease measures an operator's release beside the bare DEL that it replaces, turn by turn on the same
// connection: what the guard, the plan and the words cost on top of the round trip.
func BenchmarkRelease(b *testing.B) {
	server := redistest.Start(b)
	for _, way := range []string{"script", "watch"} {
		b.Run(way, func(b *testing.B) {
			client := server.Client()
			ctx := b.Context()
			o := NewOperator(OneServer(client), Options{})
			o.scriptsDenied.Store(way == "watch")
			var del, release time.Duration
			client.Set(ctx, "lock", "A", time.Minute)
			r := Request{Verb: VerbRelease, Owner: "A", Lock: observe(ctx, b, client, inspector.SchemeToken, "lock")}
			n := 0
			for b.Loop() {
				client.Set(ctx, "lock", "A", time.Minute)
				begin := time.Now()
				if err := client.Del(ctx, "lock").Err(); err != nil {
					b.Fatal(err)
				}
				del += time.Since(begin)
				client.Set(ctx, "lock", "A", time.Minute)
				begin = time.Now()
				if out := o.Do(ctx, r); out.Result != ResultReleased {
					b.Fatalf("%+v", out)
				}
				release += time.Since(begin)
				n++
			}
			b.ReportMetric(float64(del.Nanoseconds())/float64(n), "ns/DEL")
			b.ReportMetric(float64(release.Nanoseconds())/float64(n), "ns/release")
			b.ReportMetric(float64(release)/float64(del), "release/DEL")
		})
	}
}
