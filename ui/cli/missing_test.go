package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"locktop/keyspace/redistest"
)

// TestServersThatHideCommands runs the commands on servers without one of those that locktop sends, as managed services are: what
// can be done without it is done, and "check" says what cannot.
func TestServersThatHideCommands(t *testing.T) {
	ownState(t)
	for _, test := range []struct {
		hidden string // separated by blanks
		// lacks is what check says of it; blind: no lock can be seen at all.
		lacks string
		blind bool
	}{
		{"CONFIG", "config get", false},
		{"CLIENT", "client tracking", false},
		{"CLIENT CONFIG", "client tracking", false},
		{"INFO", "info", false},
		{"EVAL EVALSHA SCRIPT", "eval", false},
		{"EVAL EVALSHA WATCH MULTI EXEC", "eval", false},
		{"HELLO", "", false},
		{"MEMORY", "memory usage", false},
		{"PUBSUB", "subscribers", false},
		{"PSUBSCRIBE", "psubscribe", false},
		{"PEXPIRETIME", "", false},
		{"PEXPIRETIME PTTL", "ttl", true},
		{"TIME", "time", false},
		{"EXISTS", "exists", false},
		{"DBSIZE", "dbsize", false},
		{"ACL", "", false},
		{"PING", "ping", false},
		{"DEL", "actions", false},
		{"SCAN", "scan", true},
		{"TYPE", "type", true},
	} {
		t.Run(test.hidden, func(t *testing.T) {
			t.Parallel()
			var options []string
			for name := range strings.FieldsSeq(test.hidden) {
				options = append(options, "--rename-command", name, "")
			}
			server := redistest.Start(t, options...)
			server.Do("SET", "lock:a", "594730fb989a82f9c4b373d423b32f22", "PX", 600000)
			server.Do("HSET", "orders:lock", "0f4d3a52-6c1e-4b7a-8a2e-3f6d5c4b2a10:42", "2")
			locktop := func(args ...string) (int, string, string) {
				var out, said bytes.Buffer
				code := Main(t.Context(), append(args, "-s", server.Socket), strings.NewReader(""), &out, &said)
				return code, out.String(), said.String()
			}
			code, out, said := locktop("check", "-o", "json")
			var report checkJSON
			if err := json.Unmarshal([]byte(out), &report); err != nil || code != exitDone {
				t.Fatalf("check: code %d, %s%s: %v", code, out, said, err)
			}
			lacking := map[string]itemJSON{}
			for _, item := range report.Checks {
				if !item.OK {
					lacking[item.Name] = item
				}
			}
			if item, found := lacking[test.lacks]; !found && test.lacks != "" || strings.Contains(item.Mend, "ACL SETUSER") {
				t.Errorf("check says %s, of %s %+v", strings.Join(report.lacks(), ", "), test.lacks, item)
			}
			for _, item := range lacking {
				if strings.Contains(item.Mend, "ACL SETUSER") {
					t.Errorf("no ACL line mends what the server hides: %+v", item)
				}
			}
			code, out, said = locktop("list")
			if seen := strings.Contains(out, "lock:a") && strings.Contains(out, "orders:lock"); test.blind && (seen || said == "") || !test.blind && !seen {
				t.Errorf("list: code %d, %s%s", code, out, said)
			}
			if test.blind {
				return
			}
			if code, out, said := locktop("watch", "--for", "300ms"); code != exitDone {
				t.Errorf("watch: code %d, %s%s", code, out, said)
			}
			code, out, said = locktop("release", "lock:a", "--holder", "594730fb989a82f9c4b373d423b32f22", "--yes")
			acts := test.hidden != "DEL" && (!strings.Contains(test.hidden, "MULTI") || compares(server))
			if acts != (code == exitDone) || strings.Contains(said, "ACL SETUSER") {
				t.Errorf("release: code %d, %s%s", code, out, said)
			}
		})
	}
}

// compares says whether the server knows a command that releases a string by its value alone.
func compares(server *redistest.Server) bool {
	infos, _ := server.Do("COMMAND", "INFO", "DELIFEQ", "DELEX").([]any)
	return slices.ContainsFunc(infos, func(info any) bool { return info != nil })
}
