package inspector_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

var (
	soakFor  = flag.Duration("soak", 0, "for how long TestSoak and TestSoakCluster go on; 0: some seconds, or longer where CI=true")
	soakSeed = flag.Uint64("soak.seed", 0, "what they draw their faults from; 0: another one each time")
)

const (
	soakClients = 4
	// soakLate is for how long what is shown of a lock may be wrong while the feed is live: much longer than it takes on a
	// machine that does much else.
	soakLate = 7 * time.Second
	// soakOwn is what the scene itself keeps until the test ends: its server, its link, and the client beside.
	soakOwn = 8
	// soakHeap is by how much what is remembered may grow from the first quiet point to the last.
	soakHeap = 48 << 20
)

// soak is a scene that goes on: clients that acquire and release, one fault after the other, and a look at it all the time.
type soak struct {
	*scene
	random  *rand.Rand
	traffic *traffic
	quick   bool // there is no time for faults that take long to be noticed
	done    []string
	// wrong is since when each lock has been shown wrong, at every look.
	wrong map[string]since
	heap  uint64 // at the first quiet point
	told  *chronicle
}

// since is a difference, and when it was seen first.
type since struct {
	at   time.Time
	what string
}

// soaks is for how long a test that goes on does, and what it draws from: what the flags say, else this long, and this long where
// CI=true.
func soaks(t *testing.T, usually, thoroughly time.Duration) (time.Duration, uint64) {
	t.Helper()
	duration, seed := *soakFor, *soakSeed
	if duration == 0 {
		duration = usually
		if os.Getenv("CI") == "true" {
			duration = thoroughly
		}
	}
	if end, has := t.Deadline(); has && time.Until(end) < duration+time.Minute {
		t.Fatalf("-soak %v needs a longer -timeout", duration)
	}
	if seed == 0 {
		seed = rand.Uint64()
	}
	return duration, seed
}

// again says how to repeat what failed.
func again(t *testing.T, duration time.Duration, seed uint64, done []string) {
	t.Helper()
	if t.Failed() {
		t.Logf("again: go test ./inspector -run '%s$' -soak %v -soak.seed %d\nits last faults:\n%s",
			t.Name(), duration, seed, strings.Join(done[max(0, len(done)-10):], "\n"))
	}
}

// TestSoak draws faults from a seed while clients use locks. Whenever they pause, the picture must come to be what the server
// holds; while they do not, nothing may be shown wrong for long, and events must follow from one another.
func TestSoak(t *testing.T) {
	duration, seed := soaks(t, 3*time.Second, time.Minute)
	before := usedBy(t)
	s := newSoak(t, seed, duration < 30*time.Second)
	t.Cleanup(func() { again(t, duration, seed, s.done) })
	for start := time.Now(); time.Since(start) < duration; {
		s.works(time.Duration(200+s.random.IntN(600)) * time.Millisecond)
		s.suffers()
		s.works(time.Duration(s.random.IntN(400)) * time.Millisecond)
		s.pauses()
	}
	s.traffic.stop()
	s.leaves()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		after := usedBy(t)
		return after.goroutines <= before.goroutines+soakOwn && after.files <= before.files+soakOwn,
			fmt.Sprintf("%+v are left, were %+v", after, before)
	})
}

func newSoak(t *testing.T, seed uint64, quick bool) *soak {
	t.Helper()
	s := &soak{
		random: rand.New(rand.NewPCG(seed, 0)), quick: quick, wrong: make(map[string]since),
	}
	feeds := [...]keyspace.Feed{keyspace.FeedPush, keyspace.FeedPush, keyspace.FeedTracking, keyspace.FeedPoll}
	s.scene = newSceneBy(t, feeds[s.random.IntN(len(feeds))], []string{
		"--lua-time-limit", "20", "--enable-debug-command", "yes", "--loading-process-events-interval-bytes", "1024",
	}, nil)
	s.told = newChronicle(t, s.i)
	s.traffic = newTraffic(s.scene, seed)
	return s
}

// used is what a process has in use that may leak.
type used struct{ goroutines, files int }

func usedBy(t *testing.T) used {
	t.Helper()
	u := used{goroutines: runtime.NumGoroutine()}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil { // on Linux
		u.files = len(files)
	}
	return u
}

// works lets the clients work for a while, and looks at it.
func (s *soak) works(long time.Duration) {
	s.t.Helper()
	s.traffic.run()
	for start := time.Now(); time.Since(start) < long; time.Sleep(20 * time.Millisecond) {
		s.watches()
	}
}

// suffers has one fault come and go.
func (s *soak) suffers() {
	s.t.Helper()
	f := faults[s.random.IntN(len(faults))]
	switch {
	case f.user != nil, s.quick && f.slow:
		return
	case s.feed != keyspace.FeedPush && f.name == notificationsOff:
		return
	}
	s.done = append(s.done, fmt.Sprintf("%s %s", time.Now().Format("15:04:05.000"), f.name))
	s.breaks(f)
	switch {
	case s.feed != keyspace.FeedPush: // where other things are noticed
		time.Sleep(time.Duration(s.random.IntN(2000)) * time.Millisecond)
	case f.slow, s.random.IntN(2) == 0: // else it is over before anybody can tell of it
		s.reaches("word of "+f.name, func(st keyspace.Status) bool { return f.told(s.scene, st) })
	}
	if f.compares {
		s.traffic.pause()
	}
	f.heals(s.scene)
	s.traffic.run()
	s.reaches("live feed after "+f.name, s.live)
	clear(s.wrong)
}

// pauses compares the picture with the server while nobody changes it.
func (s *soak) pauses() {
	s.t.Helper()
	s.traffic.pause()
	s.agrees()
	s.told.follows()
	heap := heapInUse()
	if s.heap == 0 {
		s.heap = heap
	}
	if heap > s.heap+soakHeap {
		s.t.Fatalf("%d MB are in use, at the first pause %d MB", heap>>20, s.heap>>20)
	}
}

// watches looks at a picture that is changing: what is shown wrong must not stay so.
func (s *soak) watches() {
	s.t.Helper()
	s.told.follows()
	shot := s.i.Latest()
	if !s.live(s.status()) {
		clear(s.wrong)
		return
	}
	now := time.Now()
	wrong := make(map[string]since)
	for _, line := range differences(shot, s.truth()) {
		key := keyIn(line)
		first, known := s.wrong[key]
		if !known {
			first.at = now
		}
		wrong[key] = since{first.at, line}
		if now.Sub(first.at) > soakLate {
			s.t.Fatalf("for %v: %s; %+v", now.Sub(first.at), line, s.status())
		}
	}
	s.wrong = wrong
}

// keyIn is the key that a difference is about.
func keyIn(line string) string {
	key, _, _ := strings.Cut(line, " ")
	return key
}
