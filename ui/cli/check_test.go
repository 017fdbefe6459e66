package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"locktop/keyspace/redistest"
)

// TestCheckMends makes users who lack something, wants to be told what, and does as it is told: then nothing is lacking any
// more, and the user can release a lock.
func TestCheckMends(t *testing.T) {
	server := redistest.Start(t, "--notify-keyspace-events", "Kg$hzxen")
	ownState(t)
	locktop := func(args ...string) (int, string) {
		var out bytes.Buffer
		code := Main(t.Context(), append(args, "-s", server.Socket, "--user", "somebody"), strings.NewReader(""), &out, &out)
		return code, out.String()
	}
	check := func() (found map[string]itemJSON) {
		code, out := locktop("check", "-o", "json", "--pattern", "lock:*", "--pattern", "[mM]utex*")
		var report checkJSON
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != exitDone {
			t.Fatalf("code %d, %s: %v", code, out, err)
		}
		found = map[string]itemJSON{}
		for _, item := range report.Checks {
			found[item.Name] = item
		}
		return found
	}
	for rules, wants := range map[string]map[string]string{
		"~* &* +@all -del":                              {"actions": "'del'"},
		"~* &* +@all -evalsha -watch":                   {"eval": "no action can be done"},
		"~* &* +@all -eval -exec":                       {"eval": "no action can be done"},
		"~* &* +@all -eval":                             {"eval": "actions fall back to transactions"},
		"~* resetchannels &__key* +@all":                {"actions": "channel"},
		"%R~* &* +@all":                                 {"write": "no action can be done"},
		"~lock:* &* +@all":                              {"type": "no lock can be read", "write": "no action can be done"},
		"~* &* +@all -strlen":                           {"read strings": "not shown"},
		"~* &* +@all -hlen":                             {"read hashes": "not shown"},
		"~* &* +@all -scan":                             {"scan": "no lock can be found", "keys": "+scan"},
		"~* &* +@all -info -config|get":                 {"info": "swap", "notifications": "cannot be read"},
		"~* &* +@all -acl -eval":                        {"actions": "not tried"},
		"%R~* &* -@all +scan +select +ping +acl|dryrun": {"eval": "no action can be done", "actions": "run the"},
	} {
		server.Do("FLUSHALL")
		setUser := []any{"ACL", "SETUSER", "somebody", "reset", "on", ">sesame"}
		for word := range strings.FieldsSeq(rules) {
			setUser = append(setUser, word)
		}
		server.Do(setUser...)
		t.Setenv("REDISCLI_AUTH", "sesame")
		found := check()
		for name, want := range wants {
			if item, there := found[name]; !there || item.OK || !strings.Contains(item.Detail, want) {
				t.Errorf("%s: %s is %+v, want %q", rules, name, item, want)
			}
		}
		for range 2 { // the commands first, for whose sake keys and channels are not told
			for _, item := range found {
				for line := range strings.Lines(item.Mend) {
					var mend []any
					for word := range strings.FieldsSeq(line) {
						mend = append(mend, word)
					}
					if err := server.Client().Do(t.Context(), mend...).Err(); err != nil && !strings.Contains(err.Error(), "does not have any effect") {
						t.Errorf("%s: %s: %v", rules, line, err)
					}
				}
			}
			found = check()
		}
		for name, item := range found {
			if !item.OK {
				t.Errorf("%s: after the mends %s is %+v", rules, name, item)
			}
		}
		for _, key := range []string{"lock:a", "mutex"} {
			server.Do("SET", key, "worker-7", "PX", 60000)
			if code, out := locktop("release", key, "--holder", "worker-7", "--yes"); code != exitDone {
				t.Errorf("%s: after the mends, release %s: code %d, %s", rules, key, code, out)
			}
		}
	}
}
