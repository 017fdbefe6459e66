package inspector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// FuzzString feeds any name and value to all schemes of strings.
func FuzzString(f *testing.F) {
	for _, seed := range [][2]string{
		{"lock:orders", "n4L/2ZlftbtoJhoNxYjXOg=="},
		{"orders_lock", "1767323055123"},
		{"RedisMutex:a", "1767323055.25"},
		{"x", "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e:1767323055123"},
		{"a~lock", ""},
		{"lock:a", `s:3:"abc";`},
		{"lock:a", "\xac\xed\x00\x05t\x00\x01a"},
		{"lock:a", "web-1:4711"},
		{"lock:a", "\xff"},
		{"lock:count", "1"},
		{"lock:a", "2bc90076e4f811ef967002fc00000001"},
		{"lock:a", "KWfupndwb+Lq1x80C8oRdlwF"},
		{"lock:a", suoValue(suoA, suoB)},
	} {
		f.Add(seed[0], seed[1], int64(0))
		f.Add(seed[0], seed[1], int64(30_000))
	}
	f.Fuzz(func(t *testing.T, key, value string, ttl int64) {
		r := stringRecord(key, value, time.Duration(ttl%1e9)*time.Millisecond)
		l, ok := Rules(nil).Inspect(r, schemeNow)
		if ok != Rules(nil).Follow(r) {
			t.Fatalf("inspected %v, followed %v", ok, !ok)
		}
		if !ok {
			return
		}
		if l.Scheme == SchemeSuo {
			for _, h := range l.Holders {
				if rest, left, ok := SuoWithout(value, h.Owner); !ok || left != len(l.Holders)-1 || len(rest) >= len(value) {
					t.Fatalf("%q without %q: %q, %d, %v", value, h.Owner, rest, left, ok)
				}
			}
			return
		}
		if len(value) > maxToken || len(l.Holders) != 1 || l.Holders[0].Owner != value || l.Holders[0].Count.Known {
			t.Fatalf("%q = %q: holders %+v", key, value, l.Holders)
		}
		if len(l.Holders[0].Label) > maxToken+16 {
			t.Fatalf("label %q", l.Holders[0].Label)
		}
		leased := !r.ExpiresAt.IsZero()
		switch l.Scheme {
		case SchemeToken:
			ok = leased && l.LeaseEnds.IsZero()
		case SchemeSetNX:
			ok = !leased && l.LeaseEnds.IsZero() && l.State == StateStuck
		case SchemeTimestamp:
			ok = !l.LeaseEnds.IsZero() && l.LeaseEnds.Sub(schemeNow).Abs() <= oldestLease
		case SchemePythonRedisLock:
			ok = len(value) == 24 && l.LeaseEnds.IsZero()
		default:
			ok = false
		}
		if !ok {
			t.Fatalf("%q = %q, TTL %v: %+v", key, value, leased, l)
		}
	})
}

// FuzzHash feeds any two fields to all schemes of hashes.
func FuzzHash(f *testing.F) {
	f.Add("orders", "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42", "3", "", "", true)
	f.Add("lock:orders", "web-1:4711", "2", "", "", false)
	f.Add("orders", "mode", "read", "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42", "1", true)
	f.Add("SEMAPHORE:a:GRABBED", "0", "1767323000.5", "1", "1767323001.5", false)
	f.Add(digest+":LOCKED", jobA, "1767323000.5", jobB, "{}", true)
	f.Add("huey.results.a", "a.lock.b", "1", "c", "d", false)
	f.Add("lock:\xff", "\xff\x00", "9223372036854775808", "", "", true)
	f.Fuzz(func(t *testing.T, key, field, count, field2, count2 string, leased bool) {
		fields := []string{field, count}
		if field2 != "" {
			fields = append(fields, field2, count2)
		}
		var ttl time.Duration
		if leased {
			ttl = 30 * time.Second
		}
		r := hashRecord(key, ttl, fields...)
		l, ok := Rules(nil).Inspect(r, schemeNow)
		if !ok {
			return
		}
		switch l.Scheme {
		case SchemeRedisson, SchemeReentrant:
			if len(l.Holders) != len(r.Value.Fields) {
				t.Fatalf("%q = %v: %+v", key, fields, l)
			}
		case SchemeRedissonRW, SchemeRedissonMulti:
		case SchemeRubySemaphore, SchemeUniqueJobs, SchemeHuey:
			for _, h := range l.Holders {
				if !slices.ContainsFunc(r.Value.Fields, func(f keyspace.Field) bool { return f.Name == h.Owner }) || h.Count.Known || h.Label == "" {
					t.Fatalf("%q = %v: holder %+v", key, fields, h)
				}
			}
			return
		default:
			t.Fatalf("%q = %v: %+v", key, fields, l)
		}
		for _, h := range l.Holders {
			if !slices.ContainsFunc(r.Value.Fields, func(f keyspace.Field) bool { return f.Name == h.Owner }) || !h.Count.Known || h.Count.N < 1 || h.Label == "" {
				t.Fatalf("%q = %v: holder %+v", key, fields, h)
			}
		}
	})
}

// FuzzName reads any name.
func FuzzName(f *testing.F) {
	for _, seed := range []string{"lock:orders", "orderLock", "redisson_lock_queue:{x}", "uniquejobs:a", "asynq:{q}:unique:", "\xff", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		e := nameOf(key)
		if e.companion && (e.grade != nameSilent || e.numbers) || e.numbers && e.grade == nameSilent {
			t.Fatalf("%q: %+v", key, e)
		}
		if e.grade != nameSilent && !keyMatches(key) {
			t.Fatalf("%q is graded %d, but no default pattern finds it", key, e.grade)
		}
	})
}

func keyMatches(key string) bool {
	for _, p := range DefaultPatterns() {
		if p.Match(key) {
			return true
		}
	}
	return false
}

// FuzzLeaseEnd reads any value as the end of a lease.
func FuzzLeaseEnd(f *testing.F) {
	for _, seed := range []string{"1767323055123", "1767323055", "1767323055.25", "a:1767323055123", "a:b:1", ".", ":", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		id, end, ok := leaseEnd(value)
		if !ok {
			return
		}
		if end.IsZero() || id != "" && !strings.HasPrefix(value, id+":") {
			t.Fatalf("%q: id %q, end %v", value, id, end)
		}
		if year := end.UTC().Year(); year < 1970+1 || year > 2287 {
			t.Fatalf("%q: end %v", value, end)
		}
	})
}

// FuzzUnwrap takes any value out of its serialisation, and tells its shape.
func FuzzUnwrap(f *testing.F) {
	for _, seed := range []string{`s:3:"abc";`, `s:-1:"";`, "\xac\xed\x00\x05t\xff\xff", `"`, `""`, "1@a", "a_1_" + strings.Repeat("0", 32)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if inner := unwrap(value); !strings.Contains(value, inner) {
			t.Fatalf("%q was unwrapped to %q", value, inner)
		}
		if s := shapeOf(value); s.evidence() == "" {
			t.Fatalf("%q has the shape %d, of which nothing is said", value, s)
		}
		if host, process, ok := hostAndProcess(value); ok && (host == "" || process == "") {
			t.Fatalf("%q: host %q, process %q", value, host, process)
		}
		labelOf(value, shapeOf(value), schemeNow)
	})
}

var benchmarkRecords = []keyspace.Record{
	stringRecord("lock:orders:7731", "n4L/2ZlftbtoJhoNxYjXOg==", 30*time.Second),
	stringRecord("session:7731:blocked", "1", 30*time.Second),
	hashRecord("orders:checkout", 30*time.Second, "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42", "3"),
}

// BenchmarkInspect judges one lock of a string, one look-alike and one hash.
func BenchmarkInspect(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range benchmarkRecords {
			Rules(nil).Inspect(r, schemeNow)
		}
	}
}
