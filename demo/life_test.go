package demo

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"locktop/keyspace"
)

// ends are the two ways in which a demo can end.
var ends = map[string]func(t *testing.T, d *Demo, cancel context.CancelFunc){
	"close": func(t *testing.T, d *Demo, _ context.CancelFunc) {
		t.Helper()
		var both sync.WaitGroup // at once, and again
		for range 2 {
			both.Go(func() {
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	},
	"cancel": func(t *testing.T, d *Demo, cancel context.CancelFunc) {
		t.Helper()
		cancel()
		select {
		case <-d.ended:
		case <-time.After(patience):
			t.Fatal("it did not end")
		}
	},
}

func TestNothingIsLeft(t *testing.T) {
	for _, scenario := range Scenarios() {
		for how, end := range ends {
			t.Run(scenario.Name+"/"+how, func(t *testing.T) {
				onServersFor(t, scenario.Needs, func(t *testing.T, server Server) {
					before := goleak.IgnoreCurrent()
					files := tempDirs(t)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					d, err := Start(ctx, Options{Scenario: scenario.Name, Server: server, Speed: shortSpeed})
					if err != nil {
						t.Fatal(err)
					}
					isOne := scenario.Needs == NeedsOne || scenario.Needs == NeedsReal // in a directory of its own
					if made := files(); isOne != (len(made) == 1) {
						t.Fatalf("files while it runs: %v", made)
					}
					eventually(t, "five acquisitions", func(context.Context) bool { return d.Verdict().Acquisitions >= 5 })
					end(t, d, cancel)
					if left := files(); len(left) > 0 {
						t.Errorf("left behind: %v", left)
					}
					if v := d.Verdict(); v.Acquisitions < 5 || strings.Contains(v.Text, "failed") {
						t.Errorf("verdict after the end: %+v", v)
					}
					goleak.VerifyNone(t, before)
				})
			})
		}
	}
}

// An operator may break any lock at any moment: the workers go on.
func TestLocksAreBroken(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"crash", "reentrant", "renewal", "local", "redisson", "repair"} {
		t.Run(scenario, func(t *testing.T) {
			onServers(t, func(t *testing.T, server Server) {
				t.Parallel()
				d := begin(t, Options{Scenario: scenario, Server: server, Seed: 7, Speed: testSpeed})
				client := look(t, d.address())
				eventually(t, "acquisitions in every lane", func(ctx context.Context) bool {
					for _, key := range d.show.Load().keys() {
						if err := client.Del(ctx, key).Err(); err != nil {
							t.Fatal(err)
						}
					}
					return !slices.ContainsFunc(d.Verdict().Lanes, func(l LaneVerdict) bool { return l.Acquisitions < 10 })
				})
				if v := d.Verdict(); strings.Contains(v.Text, "failed") {
					t.Fatal(v.Text)
				}
			})
		})
	}
}

func TestStartRefuses(t *testing.T) {
	files := tempDirs(t)
	before := goleak.IgnoreCurrent()
	ended, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		o    Options
		want string
	}{
		"scenario": {t.Context(), Options{Scenario: "chaos"}, `no scenario "chaos": there are contention, `},
		"speed":    {t.Context(), Options{Speed: -1}, "speed -1: give more than 0 and at most 100"},
		"no speed": {t.Context(), Options{Speed: math.NaN()}, "speed NaN: give more than 0 and at most 100"},
		"server":   {t.Context(), Options{Server: "sqlite"}, `unknown kind of server "sqlite": there are auto, redis and embedded`},
		"context":  {ended, Options{}, "context canceled"},
		"process":  {ended, Options{Server: ServerRedis}, "context canceled"},
		"masters":  {t.Context(), Options{Scenario: "redlock", Target: &keyspace.Options{}}, "servers of its own: leave out --url"},
		"clock":    {t.Context(), Options{Scenario: "redlock", Variant: "clock", Server: ServerRedis}, "is not ours to set: run the demo with --server embedded"},
		"target":   {t.Context(), Options{Target: &keyspace.Options{Network: "unix", Addr: "/nowhere"}}, "nothing answers"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Start(c.ctx, c.o)
			if err == nil {
				t.Fatalf("started: %v", d.Close())
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q, want %q in one line", err, c.want)
			}
		})
	}
	if left := files(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	goleak.VerifyNone(t, before)
}

func TestTwoDemosAtOnce(t *testing.T) {
	onServers(t, func(t *testing.T, server Server) {
		a, b := begin(t, Options{Server: server, Seed: 1, Speed: testSpeed}), begin(t, Options{Server: server, Seed: 1, Speed: testSpeed})
		if a.address().Addr == b.address().Addr {
			t.Fatalf("both run on %s", a.address().Addr)
		}
		busy := func(d *Demo, more int) {
			t.Helper()
			n := d.Verdict().Acquisitions + more
			eventually(t, "more acquisitions", func(context.Context) bool { return d.Verdict().Acquisitions >= n })
		}
		busy(a, 5)
		busy(b, 5)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		busy(b, 10)
		if v := b.Verdict(); unsound(v) || strings.Contains(v.Text, "failed") {
			t.Fatalf("the other one: %+v", v)
		}
	})
}

func TestWorkersAreNamedClients(t *testing.T) {
	d := begin(t, Options{Server: ServerEmbedded, Speed: testSpeed})
	client := look(t, d.address())
	eventually(t, "twelve workers are connected, by name", func(ctx context.Context) bool {
		list := client.ClientList(ctx).Val()
		for n := range 12 {
			if !strings.Contains(list, "name=worker-"+strconv.Itoa(n+1)+" ") {
				return false
			}
		}
		return true
	})
}

func TestTroubleIsTold(t *testing.T) {
	d := begin(t, Options{Server: ServerEmbedded, Speed: testSpeed})
	eventually(t, "acquisitions", func(context.Context) bool { return d.Verdict().Acquisitions > 5 })
	if err := d.backend.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the verdict and the narration tell of failures", func(context.Context) bool {
		return strings.Contains(d.Verdict().Text, "failed, the last one with: worker-") &&
			strings.Contains(d.Narration().Text, " was not answered: ")
	})
}

func TestSameSeedSameDice(t *testing.T) {
	roll := func(seed uint64) []time.Duration {
		s := newTestStage(t)
		s.seed = seed
		w := newTestWorker(t, s)
		var rolled []time.Duration
		for range 20 {
			rolled = append(rolled, w.about(time.Second))
		}
		return rolled
	}
	first, second, other := roll(1), roll(1), roll(2)
	if !slices.Equal(first, second) || slices.Equal(first, other) {
		t.Fatalf("%v\n%v\n%v", first, second, other)
	}
}
