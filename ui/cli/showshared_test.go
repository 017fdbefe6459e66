package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"locktop/keyspace/redistest"
	"locktop/ui/report"
)

// sharedLocks leaves locks of two holders each, of several schemes, on a server; it returns their
// keys and holders.
func sharedLocks(server *redistest.Server) map[string][]string {
	soon, later := time.Now().Add(5*time.Minute), time.Now().Add(6*time.Minute)
	const (
		threadA, threadB = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1", "9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e:7"
		permitA, permitB = "\x00\x01\x02'\x04\n\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff", "\xfe\xdc\xba\x98\x76\x54\x32\x10\x01\x23\x45\x67\x89\xab\xcd\xef"
		tokenA, tokenB   = "K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols=", "9f0rT2m0xkV5Yb6qg3u1hJwPzA8dC4eLsN7iQoXyZaE="
		machineA         = "WEB01_4242_0f8fad5bd9cb469fa16570867728950e"
		machineB         = "WEB_02_17_0f8fad5bd9cb469fa16570867728950e"
		clientA, clientB = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e_0", "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e_1"
	)
	for _, command := range [][]any{
		{"HSET", "rwL", "mode", "read", threadA, 2, threadB, 1},
		{"SET", "{rwL}:" + threadA + ":rwlock_timeout:1", 1, "PX", 300_000},
		{"SET", "{rwL}:" + threadA + ":rwlock_timeout:2", 1, "PX", 310_000},
		{"SET", "{rwL}:" + threadB + ":rwlock_timeout:1", 1, "PX", 310_000},
		{"PEXPIRE", "rwL", 310_000},
		{"SET", "permits", 3},
		{"ZADD", "{permits}:timeout", soon.UnixMilli(), permitA, later.UnixMilli(), permitB},
		{"ZADD", "report-lock", soon.UnixMilli(), tokenA, later.UnixMilli(), tokenB},
		{"PEXPIREAT", "report-lock", later.UnixMilli()},
		{"ZADD", "pool:semaphore", soon.UnixMilli(), machineA, later.UnixMilli(), machineB},
		{"PEXPIREAT", "pool:semaphore", later.UnixMilli()},
		{"SADD", "stock.readers", machineA, machineB},
		{"PEXPIRE", "stock.readers", 300_000},
		{"ZADD", "semaphore:npm", time.Now().UnixMilli(), clientA, time.Now().UnixMilli(), clientB},
		{"PEXPIRE", "semaphore:npm", 300_000},
	} {
		server.Do(command...)
	}
	return map[string][]string{
		"rwL": {threadA, threadB}, "permits": {permitA, permitB}, "report-lock": {tokenA, tokenB}, "pool:semaphore": {machineA, machineB},
		"stock.readers": {machineA, machineB}, "semaphore:npm": {clientA, clientB},
	}
}

// TestShowOfSeveralHolders: each holder has a hold that goes on, and none of them is in the past.
func TestShowOfSeveralHolders(t *testing.T) {
	server := redistest.Start(t)
	locktop := func(args ...string) (int, string, string) {
		var out, said bytes.Buffer
		code := Main(t.Context(), append(args, "-s", server.Socket), strings.NewReader(""), &out, &said)
		return code, out.String(), said.String()
	}
	for key, owners := range sharedLocks(server) {
		t.Run(key, func(t *testing.T) {
			code, out, said := locktop("show", key, "-o", "json")
			var shown report.Snapshot
			if err := json.Unmarshal([]byte(out), &shown); err != nil || code != exitDone || len(shown.Locks) != 1 || len(shown.Locks[0].Holders) != len(owners) {
				t.Fatalf("code %d, %s%s: %v", code, out, said, err)
			}
			for _, args := range [][]string{{"show", key}, {"show", key, "-o", "markdown"}, {"show", key, "--for", "100ms"}} {
				code, out, said := locktop(args...)
				if code != exitDone || strings.Contains(out, "106751d") || strings.Contains(out, "\n  past ") || strings.Contains(out, "at least -") {
					t.Errorf("%q: code %d, %s%s", args, code, out, said)
				}
				if args[len(args)-1] == key && strings.Count(out, "\n  holder ") != len(owners) {
					t.Errorf("%d holders are expected:\n%s", len(owners), out)
				}
			}
		})
	}
}
