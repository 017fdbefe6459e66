package keyspace_test

import (
	"bytes"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// A key that changes between two stages of a read: the record is of one state, and never of none.
func TestARecordIsOfOneState(t *testing.T) {
	const hash = "redis.call('DEL', KEYS[1]) redis.call('HSET', KEYS[1], ARGV[1], 1) redis.call('PEXPIRE', KEYS[1], ARGV[2])"
	long, short := []any{"SET", "lock", "long", "PX", 1000000}, []any{"SET", "lock", "short", "PX", 10000}
	longHash, shortHash := []any{"EVAL", hash, 1, "lock", "long", 1000000}, []any{"EVAL", hash, 1, "lock", "short", 10000}
	gone := []any{"DEL", "lock"}
	s := redistest.Start(t)
	for _, test := range []struct {
		name          string
		before, after []any
		between       string // the command that is about to be sent when the change comes
		kind          keyspace.Type
		owner         string
		lease         time.Duration
	}{
		{"a string is deleted", long, gone, "GETRANGE", keyspace.TypeNone, "", 0},
		{"a string is handed over", long, short, "GETRANGE", keyspace.TypeString, "short", 10 * time.Second},
		{"a string loses its TTL", long, []any{"SET", "lock", "ever"}, "GETRANGE", keyspace.TypeString, "ever", 0},
		{"a string becomes a hash", long, shortHash, "GETRANGE", keyspace.TypeHash, "short", 10 * time.Second},
		{"an empty string stays", []any{"SET", "lock", ""}, []any{"SET", "other", ""}, "GETRANGE", keyspace.TypeString, "", 0},
		{"a hash is deleted", longHash, gone, "HLEN", keyspace.TypeNone, "", 0},
		{"a small hash is deleted", longHash, gone, "HGETALL", keyspace.TypeNone, "", 0},
		{"a hash is handed over", longHash, shortHash, "HGETALL", keyspace.TypeHash, "short", 10 * time.Second},
		{"a hash becomes a string", longHash, short, "HGETALL", keyspace.TypeString, "short", 10 * time.Second},
		{"a list is deleted", []any{"RPUSH", "lock", "x"}, gone, "LLEN", keyspace.TypeNone, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.Do("FLUSHALL")
			s.Do(test.before...)
			c := connect(t, s)
			var once sync.Once
			keyspace.SeeCommands(c, func(name string) {
				if name == test.between {
					once.Do(func() { s.Do(test.after...) })
				}
			})
			r := readOne(t, c, "lock")
			var owner string
			switch {
			case r.Type == keyspace.TypeString:
				owner = r.Value.Text
			case len(r.Value.Fields) > 0:
				owner = r.Value.Fields[0].Name
			}
			if r.Type != test.kind || owner != test.owner || r.Truncated {
				t.Errorf("%+v, want a %s of %q", r, test.kind, test.owner)
			}
			isLease(t, r, test.lease)
		})
	}
}

// isLease fails the test unless the record ends about so long after now; zero: never.
func isLease(t *testing.T, r keyspace.Record, want time.Duration) {
	t.Helper()
	if want == 0 {
		if !r.ExpiresAt.IsZero() {
			t.Errorf("%q ends at %v, want never", r.Key, r.ExpiresAt)
		}
		return
	}
	if left := time.Until(r.ExpiresAt); left > want+time.Second || left < want/2 {
		t.Errorf("%q ends in %v, want about %v", r.Key, left, want)
	}
}

func readOne(t *testing.T, c *keyspace.Connection, key string) keyspace.Record {
	t.Helper()
	records, err := c.Read(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return records[0]
}

// The server may serve somebody else between two commands of one pipeline.
func TestARecordIsOfOneStateWithinAPipeline(t *testing.T) {
	for _, command := range []string{"PEXPIRETIME", "PTTL"} {
		t.Run(command, func(t *testing.T) {
			s := redistest.Start(t)
			s.Do("SET", "lock", "long", "PX", 1000000)
			s.Do("ACL", "SETUSER", "observer", "on", ">secret", "~*", "&*", "+@all")
			if command == "PTTL" {
				s.Do("ACL", "SETUSER", "observer", "-pexpiretime")
			}
			addr := cutBeforeLast(t, s, "GETRANGE", command, func() {
				redistest.Eventually(t, 5*time.Second, func() (bool, string) {
					stats := s.Do("INFO", "commandstats").(string)
					return strings.Contains(stats, "cmdstat_getrange"), stats // what was sent before has been answered
				})
				s.Do("SET", "lock", "short", "PX", 10000)
			})
			c := connect(t, s, func(o *keyspace.Options) { o.Addr, o.Username, o.Password = addr, "observer", "secret" })
			r := readOne(t, c, "lock")
			if r.Value.Text != "short" {
				t.Errorf("%+v", r)
			}
			isLease(t, r, 10*time.Second)
		})
	}
}

// An empty list does not exist: one that seems to be empty was replaced.
func TestNoCollectionIsEmpty(t *testing.T) {
	s := redistest.Start(t)
	s.Do("RPUSH", "lock", "x", "y")
	addr := cutBeforeLast(t, s, "LLEN", "PEXPIRETIME", func() {
		redistest.Eventually(t, 5*time.Second, func() (bool, string) {
			stats := s.Do("INFO", "commandstats").(string)
			return strings.Contains(stats, "cmdstat_llen"), stats
		})
		s.Do("RPUSH", "lock", "z")
	})
	c := connect(t, s, func(o *keyspace.Options) { o.Addr = addr })
	var once sync.Once
	keyspace.SeeCommands(c, func(name string) {
		if name == "LLEN" {
			once.Do(func() { s.Do("DEL", "lock") })
		}
	})
	if r := readOne(t, c, "lock"); r.Type != keyspace.TypeList || r.Size != 1 {
		t.Errorf("%+v", r)
	}
}

// cutBeforeLast is the address of a way to the server that stops once within a pipeline that has some command, before the
// last one of the given name, for the time that the pause takes.
func cutBeforeLast(t *testing.T, s *redistest.Server, having, name string, pause func()) (addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var passing sync.WaitGroup
	t.Cleanup(passing.Wait)
	t.Cleanup(func() { _ = listener.Close() })
	var once sync.Once
	forward := func(from, to net.Conn) {
		defer func() { _, _ = from.Close(), to.Close() }() // the other way ends with it
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if err != nil {
				return
			}
			rest := buffer[:n]
			if at := bytes.LastIndex(rest, []byte(name)); at > 0 && bytes.Contains(bytes.ToUpper(rest), []byte(having)) {
				once.Do(func() {
					at = bytes.LastIndexByte(rest[:at], '*')
					_, err = to.Write(rest[:at])
					pause()
					rest = rest[at:]
				})
			}
			if _, failed := to.Write(rest); failed != nil || err != nil {
				return
			}
		}
	}
	passing.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", s.Addr)
			if err != nil {
				_ = near.Close()
				continue
			}
			passing.Go(func() { forward(near, far) })
			passing.Go(func() { forward(far, near) })
		}
	})
	return listener.Addr().String()
}

// A key is never read in more round trips than the stages have, and what is sent for each is bounded.
func TestAReadOfManyKeysIsThreePipelines(t *testing.T) {
	s := redistest.Start(t)
	var keys []string
	for _, i := range []string{"a", "b", "c", "d"} {
		s.Do("SET", "string:"+i, "v", "PX", 60000)
		s.Do("HSET", "hash:"+i, "f", "1")
		keys = append(keys, "string:"+i, "hash:"+i)
	}
	c := connect(t, s)
	var mu sync.Mutex
	var sent []string
	keyspace.SeeCommands(c, func(name string) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, name)
	})
	if _, err := c.Read(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	var want []string
	add := func(times int, names ...string) {
		for range times {
			want = append(want, names...)
		}
	}
	add(8, "TYPE")
	add(4, "PEXPIRETIME", "STRLEN", "GETRANGE", "PEXPIRETIME", "HLEN", "MEMORY USAGE", "PEXPIRETIME")
	add(4, "PEXPIRETIME", "HGETALL", "PEXPIRETIME")
	if s.HasFieldTTLs() {
		add(4, "HPEXPIRETIME")
	}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

// What a hash may hold to be read whole.
func TestReadTakesNoMoreFieldsThanItMay(t *testing.T) {
	s := redistest.Start(t)
	for name, fields := range map[string]int{"most": keyspace.MaxFields, "more": keyspace.MaxFields + 1} {
		s.Do("EVAL", "for i=1,ARGV[1] do redis.call('HSET', KEYS[1], i, i) end", 1, name, fields)
	}
	c := connect(t, s)
	if r := readOne(t, c, "most"); len(r.Value.Fields) != keyspace.MaxFields || r.Size != keyspace.MaxFields || r.Truncated {
		t.Errorf("%d fields, size %d, truncated %v", len(r.Value.Fields), r.Size, r.Truncated)
	}
	if r := readOne(t, c, "more"); len(r.Value.Fields) != 0 || r.Size != keyspace.MaxFields+1 || !r.Truncated {
		t.Errorf("%d fields, size %d, truncated %v", len(r.Value.Fields), r.Size, r.Truncated)
	}
}
