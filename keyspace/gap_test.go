package keyspace_test

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// turnAway takes the server's place and hangs up on everybody. It returns how many came so far, and what makes room again.
func turnAway(t *testing.T, addr string) (came *atomic.Int64, leave func()) {
	t.Helper()
	var listener net.Listener
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		var err error
		listener, err = net.Listen("tcp", addr)
		return err == nil, fmt.Sprint(err)
	})
	came = new(atomic.Int64)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			came.Add(1)
			_ = conn.Close()
		}
	}()
	return came, func() {
		_ = listener.Close()
		<-ended
	}
}

// An outage costs few attempts, and is one gap however many there are.
func TestOutageIsOneGap(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "1")
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	before := p.reaches(t, "push", live)
	s.Kill()
	came, leave := turnAway(t, s.Addr)
	began := time.Now()
	redistest.Eventually(t, 20*time.Second, func() (bool, string) {
		n := came.Load()
		return n >= 6 && time.Since(began) > 1500*time.Millisecond, fmt.Sprintf("%d attempts", n)
	})
	if n, most := came.Load(), int64(30+10*time.Since(began).Seconds()); n > most {
		t.Errorf("%d attempts in %v", n, time.Since(began))
	}
	leave()
	s.Revive()
	p.shows(t, map[string]string{})
	after := p.reaches(t, "push", func(st keyspace.Status) bool {
		return live(st) && st.LastPass.Generation > before.LastPass.Generation
	})
	if after.Gaps != before.Gaps+1 || after.LastGapWhy == "" {
		t.Errorf("%d gaps, were %d; the last: %s", after.Gaps, before.Gaps, after.LastGapWhy)
	}
	s.Do("CLIENT", "KILL", "TYPE", "pubsub") // the next one counts again
	p.reaches(t, "second gap", func(st keyspace.Status) bool { return live(st) && st.Gaps == before.Gaps+2 })
}

// What went by unheard is a gap, also where the connection was sound all the time.
func TestSilenceIsOneGap(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	before := p.reaches(t, "push", live)
	s.Do("CONFIG", "SET", "notify-keyspace-events", "")
	for i := range 5 {
		s.Do("SET", fmt.Sprintf("lock:%d", i), i)
	}
	after := p.reaches(t, "tracking for lack of flags", func(st keyspace.Status) bool {
		return st.Feed == keyspace.FeedTracking && strings.Contains(st.FeedReason, `is ""`) && st.LastPass.Generation > before.LastPass.Generation
	})
	if after.Gaps != before.Gaps+1 || after.LastGapWhy == "" {
		t.Errorf("%d gaps, were %d; the last: %s", after.Gaps, before.Gaps, after.LastGapWhy)
	}
}
