package keyspace_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// family is what belongs together in these tests: "base:x" has a queue "queue:x", deadlines "ends:x", a fact "is:x" of which only
// the type matters, a channel "ch:x", and clients that BLPOP.
type family struct{}

func (family) Of(r keyspace.Record) keyspace.Company {
	name, is := strings.CutPrefix(r.Key, "base:")
	if !is {
		return keyspace.Company{}
	}
	return keyspace.Company{
		Keys: []string{"queue:" + name, "ends:" + name, "is:" + name}, Present: []string{"is:" + name},
		Channels: []string{"ch:" + name}, Commands: []string{"blpop"},
	}
}

func (family) Owners(name string) []string {
	for _, prefix := range []string{"queue:", "ends:", "is:", "ch:"} {
		if rest, is := strings.CutPrefix(name, prefix); is {
			return []string{"base:" + rest}
		}
	}
	return nil
}

func (family) Channels() []string { return []string{"ch:*"} }

func (family) Announcements() []string { return []string{"ch:*", "[^_]*released"} }

func (f family) Announced(channel, message string) []string {
	return append(f.Owners(channel), message)
}

// shown is a companion in a line.
func shown(r keyspace.Record) string {
	out := fmt.Sprintf("%s %s %d", r.Type, r.Key, r.Size)
	for _, f := range r.Value.Fields {
		out += " " + f.Name
		if f.Value != "" {
			out += "=" + f.Value
		}
	}
	if r.Value.Text != "" {
		out += " " + r.Value.Text
	}
	return out
}

func TestReadTellsElements(t *testing.T) {
	s := redistest.Start(t)
	s.Do("RPUSH", "list", "b", "a\xff", "b")
	s.Do("SADD", "set", "b", "a", "c")
	s.Do("SADD", "numbers", "3", "1")
	s.Do("ZADD", "zset", "1767323000.123", "late\xff\x00", "-1", "soon", "922337203685477", "never", "1767323000123", "ms")
	s.Do("HSET", "hash", "b", "2", "a", "1")
	client := s.Client()
	head := ""
	for n := range keyspace.MaxFields + 1 {
		client.RPush(t.Context(), "long", n)
		client.ZAdd(t.Context(), "long zset", redis.Z{Member: n, Score: float64(n)})
		client.RPush(t.Context(), "long heavy", strings.Repeat("x", 1<<10))
		client.SAdd(t.Context(), "long set", n)
		if n < keyspace.MaxFields {
			head += fmt.Sprintf(" %d", n)
		}
	}
	huge := strings.Repeat("x", 10<<20)
	client.RPush(t.Context(), "heavy", "small", huge)
	client.SAdd(t.Context(), "heavy set", huge)
	client.ZAdd(t.Context(), "heavy zset", redis.Z{Member: huge})
	c := connect(t, s)
	records, err := c.Read(t.Context(), "list", "set", "numbers", "zset", "hash", "long", "long zset", "long heavy", "long set", "heavy", "heavy set", "heavy zset")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"list list 3 b a\xff b", "set set 3 a b c", "set numbers 2 1 3",
		"zset zset 4 soon=-1 late\xff\x00=1767323000.123 ms=1767323000123 never=922337203685477", "hash hash 2 a=1 b=2",
		fmt.Sprintf("list long %d", keyspace.MaxFields+1) + head, fmt.Sprintf("zset long zset %d", keyspace.MaxFields+1) + scored(head),
		fmt.Sprintf("list long heavy %d", keyspace.MaxFields+1), fmt.Sprintf("set long set %d", keyspace.MaxFields+1), "list heavy 2", "set heavy set 1", "zset heavy zset 1",
	} {
		if got := shown(records[i]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if records[i].Truncated != (i > 4) {
			t.Errorf("%q: truncated %v", want, records[i].Truncated)
		}
	}
	if got := keyspace.BytesFetched(c); got > 1<<20 {
		t.Errorf("%d bytes were fetched", got)
	}
}

// scored writes each number as a member and its score.
func scored(numbers string) string {
	scored := ""
	for n := range strings.FieldsSeq(numbers) {
		scored += " " + n + "=" + n
	}
	return scored
}

func TestReadWithCompanions(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "base:a", "1")
	s.Do("RPUSH", "queue:a", "w1", "w2")
	s.Do("ZADD", "ends:a", "5", "w1")
	s.Do("HSET", "is:a", "much", "data")
	s.Do("SET", "base:b", "1")
	s.Do("SET", "alone", "1")
	s.Do("RPUSH", "queue:c", "w") // of a key that is not there
	c := connect(t, s)
	subscribe(t, s.Client(), "ch:a")
	subscribe(t, s.Client(), "ch:a")
	records, err := c.ReadWith(t.Context(), family{}, "base:a", "base:b", "alone", "base:c")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		{"list queue:a 2 w1 w2", "zset ends:a 1 w1=5", "hash is:a 1", "channel ch:a 2", "clients blpop 0"},
		{"channel ch:b 0", "clients blpop 0"},
		{},
		{},
	} {
		got := []string{}
		for _, companion := range records[i].Companions {
			got = append(got, shown(companion))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", records[i].Key, got, want)
		}
	}
	plain, err := c.Read(t.Context(), "base:a")
	if err != nil || plain[0].Companions != nil {
		t.Errorf("%v %v", err, plain)
	}
}

// subscribe listens on a channel until the test ends.
func subscribe(t *testing.T, client *redis.Client, channel string) *redis.PubSub {
	t.Helper()
	pubsub := client.Subscribe(t.Context(), channel)
	t.Cleanup(func() { _ = pubsub.Close() })
	if _, err := pubsub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	return pubsub
}

// companionsReach waits until a key is delivered with these companions.
func (p *picture) companionsReach(t *testing.T, key string, want ...string) {
	t.Helper()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		var got []string
		r, is := p.records[key]
		if !is {
			r = p.gone[key]
		}
		for _, companion := range r.Companions {
			got = append(got, shown(companion))
		}
		return slices.Equal(got, want), fmt.Sprintf("%s has %q, want %q", key, got, want)
	})
}

// What belongs to a key is live: its keys by their hints, its channels and blocked clients by asking.
func TestCompanionsAreFollowed(t *testing.T) {
	for _, notify := range []keyspace.Notify{keyspace.NotifyAuto, keyspace.NotifyOff} {
		for _, pattern := range []string{"*", "base:*"} {
			t.Run(string(notify)+" "+pattern, func(t *testing.T) {
				t.Parallel()
				s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzlxen")
				s.Do("SET", "base:a", "1")
				c := connect(t, s)
				p, _ := watch(t, c, keyspace.ObserveOptions{
					Patterns: []keyspace.Pattern{{Glob: pattern}}, Notify: notify, Nudge: true, Companions: family{},
					Follow: func(r keyspace.Record) bool { return strings.HasPrefix(r.Key, "base:") },
				})
				p.companionsReach(t, "base:a", "channel ch:a 0", "clients blpop 0")
				if pattern == "*" || notify == keyspace.NotifyOff { // else no hint tells of the queue
					s.Do("RPUSH", "queue:a", "w1")
					p.companionsReach(t, "base:a", "list queue:a 1 w1", "channel ch:a 0", "clients blpop 0")
					s.Do("DEL", "queue:a")
					p.companionsReach(t, "base:a", "channel ch:a 0", "clients blpop 0")
				}
				listener := subscribe(t, s.Client(), "ch:a")
				p.companionsReach(t, "base:a", "channel ch:a 1", "clients blpop 0")
				sharded := s.Client().SSubscribe(t.Context(), "ch:a")
				defer sharded.Close()
				if _, err := sharded.Receive(t.Context()); err != nil {
					t.Fatal(err)
				}
				p.companionsReach(t, "base:a", "channel ch:a 2", "clients blpop 0")
				_ = listener.Close()
				p.companionsReach(t, "base:a", "channel ch:a 1", "clients blpop 0")
				go s.Client().BLPop(t.Context(), time.Minute, "nobody pushes here")
				p.companionsReach(t, "base:a", "channel ch:a 1", "clients blpop 1")
			})
		}
	}
}

// A user who may not ask who waits sees the rest.
func TestDeniedCompanions(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "base:a", "1")
	s.Do("RPUSH", "queue:a", "w1")
	s.Do("ACL", "SETUSER", "blind", "on", "nopass", "~base:*", "+@all", "-pubsub", "-client|list")
	c := connect(t, s, func(o *keyspace.Options) { o.Username, o.Password = "blind", "any" })
	blocking := s.Client()
	go blocking.BLPop(t.Context(), time.Minute, "nobody pushes here")
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		return infoNumber(t, s, "clients", "blocked_clients") == 1, "nobody is blocked"
	})
	records, err := c.ReadWith(t.Context(), family{}, "base:a")
	if err != nil {
		t.Fatal(err)
	}
	got := records[0]
	if !got.Exists() || len(got.Companions) != 3 || slices.ContainsFunc(got.Companions, func(r keyspace.Record) bool { return r.Type != keyspace.TypeDenied }) {
		t.Errorf("%+v", got)
	}
}

// Nobody is asked who waits where nothing that is followed has waiters of such a kind.
func TestNobodyIsAskedInVain(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzlxen")
	s.Do("SET", "lock:a", "1")
	c := connect(t, s)
	var (
		mu    sync.Mutex
		asked []string
	)
	keyspace.SeeCommands(c, func(name string) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, name)
	})
	p, _ := watch(t, c, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "*"}}, Companions: family{}})
	p.knows(t, "lock:a")
	p.reaches(t, "some commands later", func(keyspace.Status) bool {
		mu.Lock()
		defer mu.Unlock()
		return len(asked) > 20
	})
	mu.Lock()
	defer mu.Unlock()
	for _, name := range asked {
		if strings.HasPrefix(name, "PUBSUB") || name == "CLIENT LIST" {
			t.Errorf("%s was asked", name)
		}
	}
}

// Strict mode reads nothing that is overdue, and so no key whose companion is: reading would make the server delete it.
func TestStrictModeLeavesOverdueCompanions(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzlxen", "--enable-debug-command", "yes")
	s.Do("DEBUG", "SET-ACTIVE-EXPIRE", "0") // only an access makes the server delete what is over
	s.Do("SET", "base:a", "1")
	s.Do("SET", "is:a", "1", "PX", "300")
	c := connect(t, s)
	p, observation := watch(t, c, keyspace.ObserveOptions{
		Patterns: []keyspace.Pattern{{Glob: "base:*"}}, Companions: family{}, PassInterval: 50 * time.Millisecond,
	})
	p.companionsReach(t, "base:a", "string is:a 1", "channel ch:a 0", "clients blpop 0")
	expired := infoNumber(t, s, "stats", "expired_keys")
	passes := func() int {
		_, _, n := p.look()
		return n
	}
	over := time.Now().Add(400 * time.Millisecond)
	redistest.Eventually(t, 10*time.Second, func() (bool, string) { return time.Now().After(over), "it is not over yet" })
	before := passes()
	observation.Reread("base:a")
	subscribe(t, s.Client(), "ch:a") // which is asked about all the same
	p.reaches(t, "some passes later", func(keyspace.Status) bool { return passes() > before+3 })
	if got := infoNumber(t, s, "stats", "expired_keys"); got != expired {
		t.Errorf("%d keys were reaped", got-expired)
	}
}

// Who listens for a key that is gone is asked for as long as somebody does, or until the key is there again.
func TestListenersOutliveTheKey(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzlxen")
	s.Do("SET", "base:a", "1")
	c := connect(t, s)
	listener := subscribe(t, s.Client(), "ch:a")
	p, _ := watch(t, c, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "base:*"}}, Nudge: true, Companions: family{}})
	p.companionsReach(t, "base:a", "channel ch:a 1", "clients blpop 0")
	s.Do("DEL", "base:a")
	p.companionsReach(t, "base:a", "channel ch:a 1")
	s.Do("SET", "base:a", "2")
	p.companionsReach(t, "base:a", "channel ch:a 1", "clients blpop 0")
	s.Do("DEL", "base:a")
	p.companionsReach(t, "base:a", "channel ch:a 1")
	_ = listener.Close()
	p.companionsReach(t, "base:a", "channel  0")
}

// TestLongNamesAreNotRead sends no name to the server that is far too long for a lock's, and says so.
func TestLongNamesAreNotRead(t *testing.T) {
	s := redistest.Start(t)
	long := "lock:" + strings.Repeat("x", 1<<20)
	s.Do("SET", long, "worker-7", "PX", 60_000)
	s.Do("SET", "lock:short", "worker-7", "PX", 60_000)
	c := connect(t, s)
	observation, err := c.Observe(t.Context(), keyspace.ObserveOptions{Once: true, Follow: func(keyspace.Record) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	var last keyspace.Status
	read := map[string]keyspace.Type{}
	for u := range observation.Updates() {
		for _, r := range u.Records {
			read[r.Key] = r.Type
		}
		if u.Status != nil {
			last = *u.Status
		}
	}
	if read["lock:short"] != keyspace.TypeString || read[long] == keyspace.TypeString || last.Denied != 1 || !strings.Contains(last.Err, "its name has 1048581 bytes") {
		t.Errorf("%v, %d denied: %s", len(read), last.Denied, last.Err)
	}
	if sent := keyspace.BytesSent(c); sent > 100_000 {
		t.Errorf("%d bytes were sent", sent)
	}
}

// TestALongListOfLargeElements reads nothing of a list whose first elements are large, though most are small.
func TestALongListOfLargeElements(t *testing.T) {
	s := redistest.Start(t)
	client := s.Client()
	for range 20 {
		client.RPush(t.Context(), "lock:queue", strings.Repeat("x", 1<<20))
	}
	small := make([]any, 100_000)
	for i := range small {
		small[i] = "1"
	}
	client.RPush(t.Context(), "lock:queue", small...)
	c := connect(t, s)
	records, err := c.Read(t.Context(), "lock:queue")
	if err != nil {
		t.Fatal(err)
	}
	if r := records[0]; r.Size != 100_020 || !r.Truncated || len(r.Value.Fields) != 0 {
		t.Errorf("%d elements, %d read, truncated %v", r.Size, len(r.Value.Fields), r.Truncated)
	}
	if got := keyspace.BytesFetched(c); got > 100_000 {
		t.Errorf("%d bytes were fetched", got)
	}
}
