package keyspace_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// A look that is made once ends with the server: with an error where a retry mends nothing.
func TestOnceEndsWhenTheServerDoes(t *testing.T) {
	const keys = 5000
	for _, test := range []struct {
		name    string
		trouble func(*redistest.Server)
		err     string // empty: the look is complete
	}{
		{"the server dies", (*redistest.Server).Kill, "refused"},
		{"the server hangs", (*redistest.Server).Pause, "no answer in time"},
		{"the server refuses", func(s *redistest.Server) { s.Do("ACL", "SETUSER", "default", "-scan") }, "NOPERM"},
		{"the connection is lost", func(s *redistest.Server) { s.Do("CLIENT", "KILL", "TYPE", "normal") }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := redistest.Start(t)
			s.Do("EVAL", "for i=1,ARGV[1] do redis.call('SET', 'lock:'..i, i) end", 0, keys)
			c := connect(t, s, func(o *keyspace.Options) { o.CommandTimeout = 500 * time.Millisecond })
			var scans atomic.Int32
			keyspace.SeeCommands(c, func(name string) {
				if name == "SCAN" && scans.Add(1) == 4 { // one of them was to see whether we may
					test.trouble(s)
				}
			})
			p, _ := watch(t, c, keyspace.ObserveOptions{Once: true})
			redistest.Eventually(t, 30*time.Second, func() (bool, string) {
				p.mu.Lock()
				defer p.mu.Unlock()
				return p.ended, fmt.Sprintf("%d records, %+v", len(p.records), p.status)
			})
			got, st, passes := p.look()
			switch {
			case test.err == "":
				if len(got) != keys || passes != 1 || !st.Connected || st.Err != "" {
					t.Errorf("%d records, %d passes, %+v", len(got), passes, st)
				}
			case passes != 0 || st.Connected || !strings.Contains(st.Err, test.err) || !strings.Contains(st.Err, s.Addr):
				t.Errorf("%d passes, %+v", passes, st)
			}
		})
	}
}
