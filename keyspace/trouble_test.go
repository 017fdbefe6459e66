package keyspace_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// A server that is lost while it is watched says what is wrong, why, and what mends it; and once it serves us again, nothing.
func TestTroubleIsToldInItsParts(t *testing.T) {
	t.Parallel()
	refused := func(s *redistest.Server) { s.Do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") }
	for _, c := range []struct {
		name   string
		server []string
		breaks func(s *redistest.Server)
		want   keyspace.Trouble // parts of each
		heals  func(s *redistest.Server)
	}{
		{
			name: "another password",
			breaks: func(s *redistest.Server) {
				s.Do("ACL", "SETUSER", "somebody", "resetpass", ">another")
				refused(s)
			},
			want:  keyspace.Trouble{Kind: "wrong user or password", Why: "WRONGPASS", Mend: "--user and REDISCLI_AUTH"},
			heals: func(s *redistest.Server) { s.Do("ACL", "SETUSER", "somebody", ">secret") },
		},
		{
			name: "no permission",
			breaks: func(s *redistest.Server) {
				s.Do("ACL", "SETUSER", "somebody", "-scan", "-pexpiretime", "-time", "-type")
			},
			want:  keyspace.Trouble{Kind: "no permission", Why: "NOPERM", Mend: "`locktop check`"},
			heals: func(s *redistest.Server) { s.Do("ACL", "SETUSER", "somebody", "+@all") },
		},
		{
			name: "gone", breaks: (*redistest.Server).Kill,
			want:  keyspace.Trouble{Kind: "nothing answers", Why: "connection refused"},
			heals: nil,
		},
		{
			name: "a replica without its master",
			breaks: func(s *redistest.Server) {
				s.Do("CONFIG", "SET", "replica-serve-stale-data", "no")
				s.Do("REPLICAOF", "127.0.0.1", 1)
			},
			want: keyspace.Trouble{Why: "has lost its master", Mend: "look at its master"},
			heals: func(s *redistest.Server) {
				s.Do("REPLICAOF", "NO", "ONE")
			},
		},
		{
			name:   "loading",
			server: []string{"--enable-debug-command", "yes", "--loading-process-events-interval-bytes", "1024"},
			breaks: func(s *redistest.Server) {
				s.Do("DEBUG", "POPULATE", "500", "other", "100")
				s.Do("CONFIG", "SET", "key-load-delay", "5000")
				client := s.Client(func(o *redis.Options) { o.ReadTimeout = -1 })
				go func() { _ = client.Do(context.Background(), "DEBUG", "RELOAD").Err() }() // it is what is under test
			},
			want:  keyspace.Trouble{Why: "it is loading its data", Mend: "wait until it has"},
			heals: func(s *redistest.Server) { s.Do("CONFIG", "SET", "key-load-delay", "0") },
		},
		{
			name: "does not answer", breaks: (*redistest.Server).Pause,
			want:  keyspace.Trouble{Kind: "no answer in time", Why: "has not answered for"},
			heals: (*redistest.Server).Resume,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t, c.server...)
			p, _ := watch(t, user(t, s, "~* &* +@all"), keyspace.ObserveOptions{PassInterval: 100 * time.Millisecond})
			p.reaches(t, "push", live)
			c.breaks(s)
			p.reaches(t, "its trouble", func(st keyspace.Status) bool {
				return !st.Connected && strings.Contains(st.Trouble.Kind, c.want.Kind) && (c.want.Kind != "" || st.Trouble.Kind == "") &&
					strings.Contains(st.Trouble.Why, c.want.Why) && strings.Contains(st.Trouble.Mend, c.want.Mend)
			})
			if c.heals == nil {
				return
			}
			c.heals(s)
			p.reaches(t, "no trouble", func(st keyspace.Status) bool { return st.Connected && st.Trouble == keyspace.Trouble{} })
		})
	}
}

// A server that cannot save refuses every write, which is no trouble for us but for all who want a lock.
func TestRefusedWritesAreNoticed(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	dir := s.Do("CONFIG", "GET", "dir").(map[any]any)["dir"].(string)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	if st := p.reaches(t, "push", live); st.WritesRefused != "" {
		t.Errorf("writes are refused: %s", st.WritesRefused)
	}
	if err := os.Mkdir(filepath.Join(dir, "dump.rdb"), 0o700); err != nil { // so that no file can take its place
		t.Fatal(err)
	}
	s.Do("CONFIG", "SET", "save", "3600 1")
	client := s.Client()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		_ = client.BgSave(context.Background()).Err() // it may be saving already
		err := client.Ping(context.Background()).Err()
		return err != nil && strings.HasPrefix(err.Error(), "MISCONF"), fmt.Sprint(err)
	})
	p.reaches(t, "refused writes", func(st keyspace.Status) bool {
		return st.Connected && strings.HasPrefix(st.WritesRefused, "MISCONF")
	})
	s.Do("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
	p.reaches(t, "writes", func(st keyspace.Status) bool { return st.WritesRefused == "" })
}

func TestAStatusTellsTheDatabases(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	for db, keys := range map[int]int{0: 2, 1: 3, 7: 1} {
		for i := range keys {
			client := s.Client(func(o *redis.Options) { o.DB = db })
			if err := client.Set(t.Context(), fmt.Sprint("key:", i), "v", 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []keyspace.Database{{DB: 0, Keys: 2}, {DB: 1, Keys: 3}, {DB: 7, Keys: 1}}
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: 100 * time.Millisecond})
	st := p.reaches(t, "the databases", func(st keyspace.Status) bool { return slices.Equal(st.Databases, want) })
	if st.Fetched == 0 || st.Sent == 0 || st.Fetched < st.Commands {
		t.Errorf("%d commands, %d bytes fetched, %d sent", st.Commands, st.Fetched, st.Sent)
	}
	s.Do("FLUSHALL")
	p.reaches(t, "no databases", func(st keyspace.Status) bool { return st.Databases != nil && len(st.Databases) == 0 })

	denied, _ := watch(t, user(t, s, "~* &* +@all -info"), keyspace.ObserveOptions{PassInterval: 100 * time.Millisecond})
	if st := denied.reaches(t, "pass", func(st keyspace.Status) bool { return st.LastPass.Generation > 1 }); st.Databases != nil {
		t.Errorf("INFO is denied, and the databases are %v", st.Databases)
	}
}

// A pass that runs says when its figures were taken, so that its pace can be told.
func TestAPassThatRunsTellsItsPace(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("EVAL", "for i=1,20000 do redis.call('SET', 'other:'..i, 'v') end", 0)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Millisecond, ScanCount: 10})
	p.reaches(t, "a pass that runs", func(st keyspace.Status) bool {
		return st.Scanning != nil && st.Scanning.Scanned > 0 && st.Scanning.At.After(st.Scanning.Started) && st.Scanning.KeysInDB == 20_000
	})
}

// What answers at the server's address now, and hangs up on whoever does not greet it by TLS, is told from a server that is gone.
func TestAServerThatWantsTLSNowIsToldOf(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: 100 * time.Millisecond})
	p.reaches(t, "push", live)
	s.Kill()
	var other net.Listener
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		var err error
		other, err = net.Listen("tcp", s.Addr)
		return err == nil, fmt.Sprint(err)
	})
	defer other.Close()
	go func() {
		for {
			conn, err := other.Accept()
			if err != nil {
				return
			}
			_ = conn.Close() // as a TLS server does with what is no handshake
		}
	}()
	p.reaches(t, "its trouble", func(st keyspace.Status) bool {
		return !st.Connected && st.Trouble.Kind == "nothing answers" && strings.Contains(st.Trouble.Mend, "--tls")
	})
}
