package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
	"locktop/ui/report"
)

// object is one lock of "locktop list -o json" as another program reads it.
type object map[string]any

// listObject is the object of one key.
func listObject(t *testing.T, locktop func(args ...string) (int, string, string), key string) object {
	t.Helper()
	code, out, said := locktop("list", "-o", "json", "--pattern", "*")
	var s struct{ Locks []object }
	if err := json.Unmarshal([]byte(out), &s); err != nil || code != exitDone {
		t.Fatalf("code %d, %s%s: %v", code, out, said, err)
	}
	i := slices.IndexFunc(s.Locks, func(l object) bool { return l["key"] == key })
	if i < 0 {
		t.Fatalf("%s is not listed: %s", key, out)
	}
	return s.Locks[i]
}

// write writes the object into a file, with those of its holders only.
func (o object) write(t *testing.T, holders ...int) string {
	t.Helper()
	one := object{}
	for name, value := range o {
		one[name] = value
	}
	if holders != nil {
		var kept []any
		for _, i := range holders {
			kept = append(kept, o["holders"].([]any)[i])
		}
		one["holders"] = kept
	}
	data, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lock.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFromActsOnTheListedHolders of locks that several clients hold, and on no other.
func TestFromActsOnTheListedHolders(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	server := redistest.Start(t)
	locktop := func(args ...string) (int, string, string) {
		var out, said bytes.Buffer
		code := Main(t.Context(), append(args, "-s", server.Socket), strings.NewReader(""), &out, &said)
		return code, out.String(), said.String()
	}
	holders := func(key string) []string {
		_, out, _ := locktop("show", key, "-o", "json")
		var s report.Snapshot
		var owners []string
		if json.Unmarshal([]byte(out), &s) == nil && len(s.Locks) == 1 {
			for _, h := range s.Locks[0].Holders {
				owner, err := report.Bytes(h.Owner, h.OwnerBase64)
				if err != nil {
					t.Error(err)
				}
				owners = append(owners, owner)
			}
		}
		return owners
	}
	for key, owners := range sharedLocks(server) {
		t.Run(key, func(t *testing.T) {
			listed := listObject(t, locktop, key)
			before := holders(key)
			one := listed.write(t, 1)
			if code, out, _ := locktop("expire", "--from", one, "--yes"); code == exitRefused && !strings.Contains(out, "is not listed: use release instead") && !strings.Contains(out, "not possible") {
				t.Errorf("an end for all on one holder: %s", out)
			} else if code != exitRefused && slices.Contains(holders(key), before[1]) {
				t.Errorf("code %d, and %q are there: %s", code, holders(key), out)
			}
			if !slices.Contains(holders(key), before[0]) {
				t.Fatalf("a holder that was not listed is gone: %q", holders(key))
			}
			server.Do("FLUSHALL")
			sharedLocks(server)
			listed = listObject(t, locktop, key)
			code, out, said := locktop("release", "--from", listed.write(t), "--yes", "-o", "json", "--dry-run")
			if code != exitDone || strings.Count(out, "\n") != len(owners) || strings.Count(out, `"consequences":["`) != len(owners) {
				t.Errorf("a dry run for each holder: code %d, %s%s", code, out, said)
			}
			if last := strings.LastIndex(strings.TrimSpace(out), "\n"); strings.Contains(out[:last+1], "then frees the lock") || !strings.Contains(out[last+1:], "then frees the lock") {
				t.Errorf("a dry run of all holders, of whom the last frees the lock: %s", out)
			}
			code, out, said = locktop("release", "--from", listed.write(t, 0), "--yes", "-o", "json")
			if left := holders(key); code != exitDone || strings.Count(out, `"done":true`) != 1 || !slices.Equal(left, before[1:]) {
				t.Errorf("the first holder was to go: code %d, %s%s: %q are left", code, out, said, left)
			}
			if code, out, _ = locktop("release", "--from", listed.write(t, 0), "--yes"); code != exitRefused {
				t.Errorf("a second time: code %d, %s", code, out)
			}
			server.Do("FLUSHALL")
			sharedLocks(server)
			listed = listObject(t, locktop, key)
			code, out, said = locktop("release", "--from", listed.write(t), "--yes", "-o", "json")
			left := holders(key)
			left = slices.DeleteFunc(left, func(owner string) bool { return !slices.Contains(before, owner) }) // what is left is a number
			if code != exitDone || strings.Count(out, `"done":true`) != len(owners) || len(left) > 0 {
				t.Errorf("all holders were to go: code %d, %s%s: %q are left", code, out, said, left)
			}
			server.Do("FLUSHALL")
			sharedLocks(server)
		})
	}
}

// TestFromOfARedlock acts on the votes that were listed.
func TestFromOfARedlock(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	masters := redistest.StartMasters(t, 3)
	locktop := func(args ...string) (int, string, string) {
		var out, said bytes.Buffer
		for _, m := range masters {
			args = append(args, "-u", "redis://"+m.Addr)
		}
		code := Main(t.Context(), args, strings.NewReader(""), &out, &said)
		return code, out.String(), said.String()
	}
	token := strings.Repeat("\x9a\x00\xf1", 7)
	for _, m := range masters {
		m.Do("SET", "lock:r\x00", token, "PX", 60_000)
	}
	shown := `lock:r\x00`
	listed := listObject(t, locktop, shown)
	masters[1].Do("SET", "lock:r\x00", token, "PX", 90_000)
	code, out, _ := locktop("release", "--from", listed.write(t), "--yes")
	if code != exitRefused || !strings.Contains(out, "was to end at") {
		t.Errorf("one of the votes is of another hold: code %d, %s", code, out)
	}
	masters[1].Do("DEL", "lock:r\x00")
	if code, out, _ = locktop("release", "--from", listed.write(t), "--yes"); code != exitRefused || !strings.Contains(out, `was "for" and is "absent" now`) {
		t.Errorf("one of the votes is gone: code %d, %s", code, out)
	}
	listed = listObject(t, locktop, shown)
	code, out, said := locktop("release", "--from", listed.write(t), "--yes", "-o", "json")
	if code != exitDone || !strings.Contains(out, `"owner_base64":"`+base64.StdEncoding.EncodeToString([]byte(token))) {
		t.Errorf("code %d, %s%s", code, out, said)
	}
	for _, m := range masters {
		if n := m.Do("DBSIZE"); n != int64(0) {
			t.Errorf("%s has %v keys left", m.Addr, n)
		}
	}
}

// TestListedLeases compares ends of leases by the server's clock if it is known, and else within a
// tolerance.
func TestListedLeases(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	lock := func(server int64, local time.Time) *inspector.Lock {
		return &inspector.Lock{
			Ref: keyspace.Ref{Node: "n", Key: "lock:a"}, Scheme: inspector.SchemeToken, Mode: inspector.ModeExclusive, ExpiresAt: local,
			Holders:  []inspector.Holder{{Owner: "w"}},
			Observed: keyspace.Record{Type: keyspace.TypeString, Value: keyspace.Value{Text: "w"}, ExpiresAt: local, ExpireTime: server},
		}
	}
	const end = 1_767_355_260_000
	ends := time.UnixMilli(end).UTC()
	for _, c := range []struct {
		name     string
		was, now *inspector.Lock
		same     bool
	}{
		{"the same instant on two clocks", lock(end, ends), lock(end, ends.Add(time.Hour)), true},
		{"a millisecond later", lock(end, ends), lock(end+1, ends), false},
		{"without the instant, within the tolerance", lock(0, ends), lock(end, ends.Add(-leaseTolerance)), true},
		{"without the instant, beyond it", lock(0, ends), lock(0, ends.Add(leaseTolerance+time.Millisecond)), false},
		{"an end that came", lock(0, time.Time{}), lock(0, ends), false},
		{"an end that went", lock(end, ends), lock(0, time.Time{}), false},
		{"none", lock(0, time.Time{}), lock(0, time.Time{}), true},
		{"a TTL so long that it is none", lock(end, time.Time{}), lock(end+1, time.Time{}), false},
	} {
		data, err := json.Marshal(report.NewLock(c.was, at))
		if err != nil {
			t.Fatal(err)
		}
		l, err := parseListed(data)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if said := l.differs(c.now, at); (said == "") != c.same {
			t.Errorf("%s: %q", c.name, said)
		}
	}
}

// TestListedHoldersNameTheirOwners: a holder without "owner" is no holder with an empty name, which a lock with an empty value has.
func TestListedHoldersNameTheirOwners(t *testing.T) {
	const before = `{"key": "lock:a", "node": "a:1", "db": 0, "scheme": "token", "mode": "exclusive", "state": "held", "ttl_ms": -1, "holders": [`
	for holder, complete := range map[string]bool{`{}`: false, `{"owner": ""}`: true, `{"label": "a", "count": null}`: false} {
		_, err := parseListed([]byte(before + holder + `]}`))
		if complete != (err == nil) || !complete && !strings.Contains(err.Error(), `"owner" of a holder is missing`) {
			t.Errorf("%s: %v", holder, err)
		}
	}
}
