package keyspace_test

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func connect(t testing.TB, s *redistest.Server, change ...func(*keyspace.Options)) *keyspace.Connection {
	t.Helper()
	o := keyspace.Options{Network: "tcp", Addr: s.Addr}
	for _, f := range change {
		f(&o)
	}
	c, err := keyspace.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestReadTellsTypeSizeValueAndExpiry(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "string", "to\x00ken", "PX", 30000)
	s.Do("SET", "forever", "")
	s.Do("HSET", "hash", "b", "2", "a", "1")
	s.Do("RPUSH", "list", "x", "y")
	s.Do("SADD", "set", "x")
	s.Do("ZADD", "zset", 1, "x", 2, "y", 3, "z")
	s.Do("SET", "key\xff\n", "v")
	c := connect(t, s)
	before := time.Now()
	records, err := c.Read(t.Context(), "string", "forever", "hash", "list", "set", "zset", "key\xff\n", "absent")
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		kind keyspace.Type
		size int64
		text string
	}{
		{keyspace.TypeString, 6, "to\x00ken"},
		{keyspace.TypeString, 0, ""},
		{keyspace.TypeHash, 2, ""},
		{keyspace.TypeList, 2, ""},
		{keyspace.TypeSet, 1, ""},
		{keyspace.TypeZSet, 3, ""},
		{keyspace.TypeString, 1, "v"},
		{keyspace.TypeNone, 0, ""},
	}
	for i, w := range want {
		r := records[i]
		if r.Type != w.kind || r.Size != w.size || r.Value.Text != w.text || r.Truncated {
			t.Errorf("%q: %+v, want %+v", r.Key, r, w)
		}
	}
	if left := records[0].ExpiresAt.Sub(before); left < 29*time.Second || left > 31*time.Second {
		t.Errorf("string ends in %v, want about 30 s", left)
	}
	if !records[1].ExpiresAt.IsZero() {
		t.Errorf("a key without a TTL ends at %v", records[1].ExpiresAt)
	}
	if f := records[2].Value.Fields; len(f) != 2 || f[0] != (keyspace.Field{Name: "a", Value: "1"}) {
		t.Errorf("fields = %v", f)
	}
}

// TestExpiryErrorBoundsWhatALinkAdds: over a link that is slow now and quick then, PTTL alone cannot tell the instant.
func TestExpiryErrorBoundsWhatALinkAdds(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "token", "PX", 600000)
	ends := time.UnixMilli(s.Do("PEXPIRETIME", "lock:a").(int64)) // its clock is ours
	s.Do("ACL", "SETUSER", "old", "on", ">secret", "~*", "&*", "+@all", "-pexpiretime")
	link := redistest.NewLink(t, s)
	far := func(o *keyspace.Options) { o.Addr = link.Addr }
	old := func(o *keyspace.Options) { o.Username, o.Password = "old", "secret" }
	byInstant, byRest := connect(t, s, far), connect(t, s, far, old)
	link.Delay(40 * time.Millisecond)
	for range 10 {
		for name, c := range map[string]*keyspace.Connection{"PEXPIRETIME": byInstant, "PTTL": byRest} {
			records, err := c.Read(t.Context(), "lock:a")
			if err != nil {
				t.Fatal(err)
			}
			r := records[0]
			if exact := r.ExpiryError == 0; exact != (name == "PEXPIRETIME") {
				t.Errorf("%s: an error of %v", name, r.ExpiryError.Duration())
			}
			const rounded = 2 * time.Millisecond // the server counts in milliseconds
			if off := r.ExpiresAt.Sub(ends).Abs(); name == "PTTL" && off > r.ExpiryError.Duration()+rounded {
				t.Errorf("%s: off by %v, which is more than %v", name, off, r.ExpiryError.Duration())
			}
		}
	}
}

func TestReadNeverPullsAHugeValue(t *testing.T) {
	s := redistest.Start(t)
	const huge = 100 << 20
	s.Do("SETRANGE", "string", huge, "x")
	s.Do("EVAL", "redis.call('HSET', KEYS[1], 'f', redis.call('GET', KEYS[2]))", 2, "hash", "string")
	s.Do("EVAL", "for i=1,100000 do redis.call('HSET', KEYS[1], i, i) end", 1, "wide")
	c := connect(t, s)
	sent := func() int64 { return infoNumber(t, s, "stats", "total_net_output_bytes") }
	before := sent()
	records, err := c.Read(t.Context(), "string", "hash", "wide")
	if err != nil {
		t.Fatal(err)
	}
	if cost := sent() - before; cost > 64<<10 {
		t.Errorf("the server sent %d bytes for three huge values", cost)
	}
	for _, r := range records {
		if !r.Truncated || len(r.Value.Text) > keyspace.MaxText || len(r.Value.Fields) > 0 {
			t.Errorf("%s: truncated %v, %d bytes, %d fields", r.Key, r.Truncated, len(r.Value.Text), len(r.Value.Fields))
		}
	}
	if records[0].Size != huge+1 || records[2].Size != 100000 {
		t.Errorf("sizes = %d, %d", records[0].Size, records[2].Size)
	}
}

func TestReadSaysWhatIsDenied(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:mine", "a")
	s.Do("SET", "other", "b")
	s.Do("ACL", "SETUSER", "observer", "on", ">secret", "~lock:*", "+@all")
	c := connect(t, s, func(o *keyspace.Options) { o.Username, o.Password = "observer", "secret" })
	records, err := c.Read(t.Context(), "other", "lock:mine")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(records[0].Denied(), "NOPERM") || records[0].Exists() {
		t.Errorf("other = %+v, want it denied", records[0])
	}
	if records[1].Value.Text != "a" || records[1].Denied() != "" {
		t.Errorf("lock:mine = %+v", records[1])
	}
}

// infoNumber reads one number of INFO.
func infoNumber(t testing.TB, s *redistest.Server, section, name string) int64 {
	t.Helper()
	for line := range strings.Lines(s.Do("INFO", section).(string)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			var n int64
			for _, c := range strings.TrimSpace(value) {
				n = n*10 + int64(c-'0')
			}
			return n
		}
	}
	t.Fatalf("INFO %s has no %s", section, name)
	return 0
}

// A TTL may be longer than a duration can be.
func TestReadAThousandYears(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock", "token", "PX", "31557600000000")
	for _, rights := range []string{"~* &* +@all", "~* &* +@all -pexpiretime"} {
		records, err := user(t, s, rights).Read(t.Context(), "lock")
		if err != nil || records[0].ExpiresAt.Before(time.Now().AddDate(200, 0, 0)) {
			t.Errorf("%s: ends %v, %v", rights, records[0].ExpiresAt, err)
		}
	}
}
