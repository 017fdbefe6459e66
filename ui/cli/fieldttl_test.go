package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"locktop/keyspace/redistest"
	"locktop/ui/report"
)

// The lease of a lock in a hash is shown, extended and listed by the TTL of the holder's field
// where the server has such TTLs; elsewhere such a lock is stuck.
func TestTheTTLOfAFieldIsTheLease(t *testing.T) {
	ownState(t)
	const owner = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
	server := redistest.Start(t)
	locktop := func(args ...string) (int, string, string) {
		var out, said bytes.Buffer
		code := Main(t.Context(), append(args, "-s", server.Socket), strings.NewReader(""), &out, &said)
		return code, out.String(), said.String()
	}
	listed := func() report.Lock {
		t.Helper()
		_, out, said := locktop("list", "-o", "json")
		var snapshot struct{ Locks []report.Lock }
		if err := json.Unmarshal([]byte(out), &snapshot); err != nil || len(snapshot.Locks) != 1 {
			t.Fatalf("%v: %s%s", err, out, said)
		}
		return snapshot.Locks[0]
	}
	server.Do("HSET", "lock:h", owner, "1")
	if !server.HasFieldTTLs() {
		if l := listed(); l.State != "stuck" || l.TTL == nil || *l.TTL != -1 || l.EndsBy != "" || l.KeyTTL != nil {
			t.Errorf("%+v", l)
		}
		return
	}
	server.Do("HPEXPIRE", "lock:h", 30_000, "FIELDS", 1, owner)
	l := listed()
	if l.State != "held" || l.TTL == nil || *l.TTL <= 0 || *l.TTL > 30_000 || l.EndsBy != report.EndsByField || l.KeyTTL == nil || *l.KeyTTL != -1 || len(l.Findings) > 0 {
		t.Errorf("%+v", l)
	}
	if ends := server.Do("HPEXPIRETIME", "lock:h", "FIELDS", 1, owner).([]any)[0]; ends != l.ExpireTime || l.Holders[0].ExpiresAt == "" {
		t.Errorf("it ends at %d (the holder's lease at %q), and the server says %v", l.ExpireTime, l.Holders[0].ExpiresAt, ends)
	}
	if _, out, said := locktop("show", "lock:h"); !strings.Contains(out, "the holder's field expires then; the key has no TTL") {
		t.Errorf("show says %s%s", out, said)
	}
	server.Do("PEXPIRE", "lock:h", 3_600_000)
	if l := listed(); *l.KeyTTL < 3_500_000 || *l.TTL > 30_000 {
		t.Errorf("%d ms are left, the key's: %d ms", *l.TTL, *l.KeyTTL)
	}
	if code, out, said := locktop("extend", "lock:h", "--holder", owner, "--ttl", "120s", "--yes"); code != exitDone || !strings.Contains(out, "2m") {
		t.Errorf("extend: exit code %d: %s%s", code, out, said)
	}
	if l := listed(); *l.TTL < 100_000 {
		t.Errorf("%d ms are left after an extension to 120 s", *l.TTL)
	}
	server.Do("ACL", "SETUSER", "blind", "on", ">secret", "~*", "&*", "+@all", "-hpexpiretime")
	server.Do("PERSIST", "lock:h")
	t.Setenv("REDISCLI_AUTH", "secret")
	_, out, said := locktop("list", "-o", "json", "--user", "blind")
	if !strings.Contains(out, `"ttl_ms":null`) || strings.Contains(out, "no-ttl") {
		t.Errorf("a user who may not read the field's TTL sees %s%s", out, said)
	}
	if _, out, said := locktop("list", "-o", "csv", "--user", "blind"); !strings.Contains(out, "held,"+owner+",1,,,") {
		t.Errorf("csv: %s%s", out, said)
	}
	if _, out, said = locktop("show", "lock:h", "--user", "blind"); !strings.Contains(out, "ttl      ?") && !strings.Contains(out, "could not be read") {
		t.Errorf("show says %s%s", out, said)
	}
	if _, out, said = locktop("check", "--user", "blind"); !strings.Contains(out, "field ttl") || !strings.Contains(out, "+hpexpiretime") {
		t.Errorf("check says %s%s", out, said)
	}
}
