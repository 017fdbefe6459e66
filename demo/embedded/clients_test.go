package embedded_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

func TestClients(t *testing.T) {
	s := start(t, embedded.Options{})
	me, other := dialRaw(t, s.Addr()), dialRaw(t, s.Addr())
	id := func(c *rawClient) string { return strings.TrimSpace(c.do(t, "CLIENT", "ID")[1:]) }
	myID, otherID := id(me), id(other)
	if myID == otherID {
		t.Fatalf("both are client %s", myID)
	}
	for _, command := range [][]any{
		{"CLIENT", "SETNAME", "worker-7"},
		{"CLIENT", "SETINFO", "LIB-NAME", "redisson"},
		{"CLIENT", "SETINFO", "lib-ver", "3.2"},
		{"CLIENT", "NO-TOUCH", "on"},
		{"SELECT", 3},
	} {
		if got := other.do(t, command...); got != "+OK\r\n" {
			t.Errorf("%v: %q", command, got)
		}
	}
	other.do(t, "SUBSCRIBE", "a", "b")
	other.receive(t)
	other.do(t, "PSUBSCRIBE", "c*")
	line := me.do(t, "CLIENT", "LIST", "ID", otherID)
	for _, want := range []string{
		"id=" + otherID + " ", "addr=" + s.Addr() + ":0 ", "laddr=" + s.Addr() + ":0 ", "name=worker-7 ", "age=0 ",
		"idle=0 ", "flags=PUT ", "db=3 ", "sub=2 ", "psub=1 ", "cmd=psubscribe ", "lib-name=redisson ", "lib-ver=3.2\n",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is not in %s", want, line)
		}
	}
	if list := me.do(t, "CLIENT", "LIST"); strings.Count(list, "\n") != 4 { // the length, two clients, the end
		t.Errorf("list: %s", list)
	}
	if list := me.do(t, "CLIENT", "LIST", "TYPE", "pubsub"); !strings.Contains(list, "id="+otherID) || strings.Contains(list, "id="+myID) {
		t.Errorf("subscribers: %s", list)
	}
	if got := me.do(t, "CLIENT", "KILL", "ID", otherID); got != ":1\r\n" {
		t.Errorf("kill: %q", got)
	}
	if got := me.do(t, "PUBLISH", "a", "x"); got != ":0\r\n" {
		t.Errorf("a killed client still listens: %q", got)
	}
	if answer, err := readAnswer(other.reader); err == nil {
		t.Errorf("a killed client was told %q", answer)
	}
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		list := me.do(t, "CLIENT", "LIST")
		return !strings.Contains(list, "id="+otherID+" "), list
	})
	if got := me.do(t, "CLIENT", "KILL", "ID", myID, "SKIPME", "no"); got != ":1\r\n" {
		t.Errorf("killing oneself: %q", got)
	}
	if answer, err := readAnswer(me.reader); err == nil {
		t.Errorf("after its own death the client was told %q", answer)
	}
}

func TestIdleTime(t *testing.T) {
	s := start(t, embedded.Options{})
	toucher, looker := dialRaw(t, s.Addr()), dialRaw(t, s.Addr())
	looker.do(t, "CLIENT", "NO-TOUCH", "ON")
	toucher.do(t, "SET", "k", "v")
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		looker.do(t, "GET", "k")
		looker.do(t, "PTTL", "k")
		toucher.do(t, "TTL", "k")
		toucher.do(t, "TYPE", "k")
		idle := looker.do(t, "OBJECT", "IDLETIME", "k")
		return idle == ":1\r\n", idle
	})
	toucher.do(t, "GET", "k")
	if idle := looker.do(t, "OBJECT", "IDLETIME", "k"); idle != ":0\r\n" {
		t.Errorf("after a GET the key is idle for %q", idle)
	}
}

func TestInfo(t *testing.T) {
	s := start(t, embedded.Options{})
	c := client(t, s)
	for i := range 3 {
		c.Set(t.Context(), fmt.Sprint("k", i), "v", time.Minute)
	}
	c.Incr(t.Context(), "k0") // fails
	c.Do(t.Context(), "GET")  // is refused
	info, err := c.Info(t.Context(), "everything").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`# Server\r\nredis_version:7\.0\.0\r\nredis_mode:standalone\r\nlocktop_embedded:1\r\n`, `\nrun_id:[0-9a-f]{40}\r`,
		`# Clients\r\nconnected_clients:1\r`, `# Memory\r\nused_memory:\d+\r`, `\nrole:master\r`,
		`\ncmdstat_set:calls=3,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=0,failed_calls=0\r`,
		`\ncmdstat_incr:calls=1,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=0,failed_calls=1\r`,
		`\ncmdstat_get:calls=0,usec=0,usec_per_call=0\.00,rejected_calls=1,failed_calls=0\r`, `\ndb0:keys=3,expires=3,avg_ttl=0\r`,
	} {
		if !regexp.MustCompile(want).MatchString(info) {
			t.Errorf("%s is not in\n%s", want, info)
		}
	}
	if info := c.Info(t.Context(), "server").Val(); strings.Contains(info, "# Clients") {
		t.Errorf("more than was asked for:\n%s", info)
	}
	if info := c.Do(t.Context(), "INFO", "replication", "nonsense").String(); strings.Contains(info, "Server") || !strings.Contains(info, "role:master") {
		t.Errorf("two sections: %s", info)
	}
	c.ConfigResetStat(t.Context())
	if info := c.Info(t.Context(), "commandstats").Val(); strings.Contains(info, "cmdstat_set:") {
		t.Errorf("after a reset:\n%s", info)
	}
}

func TestMonitor(t *testing.T) {
	s := start(t, embedded.Options{})
	monitor, c := dialRaw(t, s.Addr()), dialRaw(t, s.Addr())
	monitor.do(t, "MONITOR")
	c.do(t, "SELECT", 2)
	c.do(t, "CONFIG", "GET", "*")
	c.do(t, "EVAL", "return redis.call('set', KEYS[1], 'a\\n\"')", 1, "k")
	me := regexp.QuoteMeta("unix:" + s.Addr())
	for _, want := range []string{
		`^\+\d+\.\d{6} \[2 ` + me + `\] "SELECT" "2"\r\n$`,
		`^\+\d+\.\d{6} \[2 ` + me + `\] "EVAL" "return redis\.call\('set', KEYS\[1\], 'a\\\\n\\"'\)" "1" "k"\r\n$`,
		`^\+\d+\.\d{6} \[2 lua\] "set" "k" "a\\n\\""\r\n$`,
	} {
		if got := monitor.receive(t); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q does not match %s", got, want)
		}
	}
}
