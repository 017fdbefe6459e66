package keyspace_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// Where fields have TTLs of their own, a record carries them; elsewhere no command asks for them.
func TestFieldTTLs(t *testing.T) {
	s := redistest.Start(t)
	s.Do("HSET", "lock:h", "a", "1", "b", "2")
	has := s.HasFieldTTLs()
	if has {
		s.Do("HPEXPIRE", "lock:h", 60_000, "FIELDS", 1, "b")
	}
	s.Do("ACL", "SETUSER", "blind", "on", ">secret", "~*", "&*", "+@all")
	s.Do("ACL", "SETUSER", "rest", "on", ">secret", "~*", "&*", "+@all", "-pexpiretime", "-time")
	if has {
		s.Do("ACL", "SETUSER", "blind", "-hpexpiretime")
	}
	for user, unread := range map[string]bool{"": false, "rest": false, "blind": has} {
		c := connect(t, s, func(o *keyspace.Options) {
			if user != "" {
				o.Username, o.Password = user, "secret"
			}
		})
		var asked sync.Map
		keyspace.SeeCommands(c, func(name string) { asked.Store(name, true) })
		before := time.Now()
		r := readOne(t, c, "lock:h")
		f := r.Value.Fields
		if len(f) != 2 || f[0] != (keyspace.Field{Name: "a", Value: "1"}) || f[1].Name != "b" || f[1].Value != "2" || r.FieldTTLsUnread != unread {
			t.Fatalf("user %q: %+v", user, r)
		}
		_, instant := asked.Load("HPEXPIRETIME")
		if _, rest := asked.Load("HPTTL"); !has && (instant || rest) {
			t.Errorf("user %q: the server was asked for TTLs of fields, which it does not have", user)
		}
		left := f[1].ExpiresAt().Sub(before)
		switch {
		case !has || unread:
			if f[1].EndsAt != 0 || f[1].ExpireTime != 0 {
				t.Errorf("user %q: the field ends at %v", user, f[1].ExpiresAt())
			}
		case left < 50*time.Second || left > 61*time.Second:
			t.Errorf("user %q: the field ends in %v, want about 60 s", user, left)
		case (f[1].ExpireTime == 0) != (user == "rest"):
			t.Errorf("user %q: expire time %d", user, f[1].ExpireTime)
		}
	}
}

// What a TTL of a field costs a read: five commands more, in two round trips.
func TestWhatAFieldTTLCosts(t *testing.T) {
	s := redistest.Start(t)
	s.Do("HSET", "lock:h", "a", "1")
	want := []string{"TYPE", "HLEN", "MEMORY USAGE", "PEXPIRETIME", "PEXPIRETIME", "HGETALL", "PEXPIRETIME"}
	if s.HasFieldTTLs() {
		s.Do("HPEXPIRE", "lock:h", 60_000, "FIELDS", 1, "a")
		want = append(want, "HPEXPIRETIME", "PEXPIRETIME", "HGETALL", "HPEXPIRETIME", "PEXPIRETIME")
	}
	c := connect(t, s)
	var sent []string
	keyspace.SeeCommands(c, func(name string) { sent = append(sent, name) })
	readOne(t, c, "lock:h")
	if !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

// A hash whose holder changes between two stages of a read: its elements and their TTLs are of one
// state.
func TestFieldTTLsAreOfOneState(t *testing.T) {
	s := redistest.Start(t)
	if !s.HasFieldTTLs() {
		noFieldTTLs(t, s)
		return
	}
	const acquire = `redis.call('DEL', KEYS[1]) redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
		redis.call('HPEXPIRE', KEYS[1], ARGV[3], 'FIELDS', 1, ARGV[1])`
	for _, test := range []struct {
		owner string
		count int
		at    int // the command of that number is preceded by the change
		name  string
	}{
		{"a", 2, 1, "HPEXPIRETIME"}, {"b", 2, 1, "HPEXPIRETIME"}, {"a", 2, 2, "HPEXPIRETIME"}, {"b", 2, 2, "HGETALL"}, {"b", 2, 2, "HPEXPIRETIME"},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			s.Do("EVAL", acquire, 1, "lock:h", "a", 1, 600_000)
			c := connect(t, s)
			seen := 0
			keyspace.SeeCommands(c, func(name string) {
				if name != test.name {
					return
				}
				if seen++; seen == test.at {
					s.Do("EVAL", acquire, 1, "lock:h", test.owner, test.count, 60_000)
				}
			})
			r := readOne(t, c, "lock:h")
			f := r.Value.Fields
			if len(f) != 1 || f[0].Name != test.owner || f[0].Value != fmt.Sprint(test.count) || r.FieldTTLsUnread {
				t.Fatalf("%+v", r)
			}
			if left := time.Until(f[0].ExpiresAt()); left > 61*time.Second || left < 30*time.Second {
				t.Errorf("the field of %q ends in %v, want about 60 s", f[0].Name, left)
			}
		})
	}
}

// noFieldTTLs holds a server without TTLs of fields to what is expected of it.
func noFieldTTLs(t *testing.T, s *redistest.Server) {
	t.Helper()
	c := connect(t, s)
	if c.Server().HasFieldTTLs() {
		t.Errorf("%+v is expected to have TTLs of fields, and does not know HPEXPIRE", c.Server())
	}
	s.Do("HSET", "lock:h", "a", "1")
	if r := readOne(t, c, "lock:h"); r.FieldTTLsUnread || r.Value.Fields[0].EndsAt != 0 {
		t.Errorf("%+v", r)
	}
}

// What becomes of a field's TTL is heard, and the record follows: also where events say nothing,
// for its end is known.
func TestTheFeedFollowsFieldTTLs(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	if !s.HasFieldTTLs() {
		noFieldTTLs(t, s)
		return
	}
	s.Do("HSET", "lock:h", "a", "1", "b", "1")
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{Nudge: true, PassInterval: time.Hour})
	p.reaches(t, "push", live)
	for _, step := range []struct {
		command []any
		want    string // the fields, those with an end marked
		event   string
	}{
		{[]any{"HPEXPIRE", "lock:h", 60_000, "FIELDS", 1, "a"}, "a* b", "hexpire"},
		{[]any{"HPERSIST", "lock:h", "FIELDS", 1, "a"}, "a b", "hpersist"},
		{[]any{"HPEXPIRE", "lock:h", 100, "FIELDS", 1, "a"}, "b", "hexpired"},
		{[]any{"HPEXPIRE", "lock:h", 100, "FIELDS", 1, "b"}, "", "del"},
	} {
		s.Do(step.command...)
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			p.mu.Lock()
			defer p.mu.Unlock()
			var fields []string
			for _, f := range p.records["lock:h"].Value.Fields {
				mark := ""
				if f.EndsAt != 0 {
					mark = "*"
				}
				fields = append(fields, f.Name+mark)
			}
			heard := slices.ContainsFunc(p.hints, func(h keyspace.Hint) bool { return h.Event == step.event })
			return heard && strings.Join(fields, " ") == step.want, fmt.Sprintf("%v: fields %q, hints %v", step.command, fields, p.hints)
		})
	}
	if _, status, _ := p.look(); status.Gaps > 0 || status.Feed != keyspace.FeedPush {
		t.Errorf("the ends of fields were taken for events that did not come: %+v", status)
	}
}

func TestEndOfARecord(t *testing.T) {
	now := time.Now().Truncate(time.Microsecond)
	at := func(d time.Duration) int64 { return now.Add(d).UnixMicro() }
	for name, test := range map[string]struct {
		record keyspace.Record
		want   time.Time
	}{
		"no TTL":                        {keyspace.Record{Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a"}}}}, time.Time{}},
		"a field's TTL":                 {keyspace.Record{Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a", EndsAt: at(3)}}}}, now},
		"the key's, which is earlier":   {keyspace.Record{ExpiresAt: now, Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a", EndsAt: at(time.Second)}}}}, now},
		"the field's, which is so":      {keyspace.Record{ExpiresAt: now.Add(time.Second), Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a", EndsAt: at(0)}}}}, now},
		"the last field's":              {keyspace.Record{Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a", EndsAt: at(time.Second)}, {Name: "b", EndsAt: at(0)}}}}, now.Add(time.Second)},
		"a field without a TTL":         {keyspace.Record{Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a", EndsAt: at(0)}, {Name: "b"}}}}, time.Time{}},
		"fields that were not read":     {keyspace.Record{Truncated: true, Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a", EndsAt: at(0)}}}}, time.Time{}},
		"a hash that shows no field":    {keyspace.Record{ExpiresAt: now}, now},
		"a field's with a longer key's": {keyspace.Record{ExpiresAt: now.Add(time.Hour), Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a", EndsAt: at(0)}, {Name: "b"}}}}, now.Add(time.Hour)},
	} {
		test.record.Type = keyspace.TypeHash
		if got := test.record.End(); got.Sub(test.want).Abs() > time.Microsecond {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestWhichServersHaveFieldTTLs(t *testing.T) {
	for version, want := range map[string]bool{
		"redis 7.0.15": false, "redis 7.2.4": false, "redis 7.4.0": true, "redis 8.0.2": true,
		"valkey 8.1.1": false, "valkey 9.0.0": true, "valkey 9.1.2": true, "keydb 9.0.0": false, "redis ": false,
	} {
		software, number, _ := strings.Cut(version, " ")
		if got := (keyspace.Server{Software: software, Version: number}).HasFieldTTLs(); got != want {
			t.Errorf("%s: %v", version, got)
		}
	}
}
