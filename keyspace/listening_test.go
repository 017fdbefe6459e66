package keyspace_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// announced is a family: each key "lock:x" may have a channel "lock:x:released", and all keys share
// the channel "all".
type announced struct{}

func (announced) Of(r keyspace.Record) keyspace.Company {
	if !strings.HasPrefix(r.Key, "lock:") {
		return keyspace.Company{}
	}
	return keyspace.Company{Channels: []string{"all"}, Open: true}
}

func (announced) Owners(name string) []string {
	if key, is := strings.CutSuffix(name, ":released"); is {
		return []string{key}
	}
	return nil
}

func (announced) Channels() []string { return []string{"*:released", "all"} }

func (announced) Announcements() []string { return nil }

func (announced) Announced(string, string) []string { return nil }

// Channels that only their subscribers tell of, and those that belong to no key, are followed like
// any other.
func TestOpenAndSharedChannels(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzlxen")
	s.Do("MSET", "lock:a", "1", "lock:b", "1", "orders", "1")
	for _, key := range []string{"lock:b:released", "orders:released", "lock:c:released"} {
		subscribe(t, s.Client(), key)
	}
	c := connect(t, s)
	p, _ := watch(t, c, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "*"}}, Companions: announced{}})
	p.companionsReach(t, "lock:a", "channel all 0")
	p.companionsReach(t, "lock:b", "channel all 0", "channel lock:b:released 1")
	p.companionsReach(t, "orders")
	listener := subscribe(t, s.Client(), "lock:a:released")
	p.companionsReach(t, "lock:a", "channel all 0", "channel lock:a:released 1")
	sharded := s.Client().SSubscribe(t.Context(), "lock:a:released")
	defer sharded.Close()
	if _, err := sharded.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.companionsReach(t, "lock:a", "channel all 0", "channel lock:a:released 2")
	subscribe(t, s.Client(), "all")
	p.companionsReach(t, "lock:a", "channel all 1", "channel lock:a:released 2")
	p.companionsReach(t, "lock:b", "channel all 1", "channel lock:b:released 1")
	_ = listener.Close()
	p.companionsReach(t, "lock:a", "channel all 1", "channel lock:a:released 1")
	records, err := c.ReadWith(t.Context(), announced{}, "lock:b", "orders")
	if err != nil || len(records[0].Companions) != 2 || len(records[1].Companions) != 0 {
		t.Errorf("%+v, %v", records, err)
	}
}

// TestManyChannelsAreListedSeldom: a server with many channels is rarely asked for their names; those that are known are counted.
func TestManyChannelsAreListedSeldom(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzlxen")
	s.Do("SET", "lock:a", "1")
	many := s.Client().Subscribe(t.Context())
	defer many.Close()
	for i := range 100 {
		names := make([]string, 500)
		for k := range names {
			names[k] = fmt.Sprintf("%s:%05d:released", strings.Repeat("x", 60), 500*i+k)
		}
		if err := many.Subscribe(t.Context(), names...); err != nil {
			t.Fatal(err)
		}
	}
	redistest.Eventually(t, 20*time.Second, func() (bool, string) { // the last one
		n := s.Do("PUBSUB", "NUMSUB", strings.Repeat("x", 60)+":49999:released").([]any)[1]
		return n == int64(1), fmt.Sprint(n)
	})
	subscribe(t, s.Client(), "lock:a:released")
	c := connect(t, s)
	s.Do("CONFIG", "RESETSTAT")
	began := time.Now()
	p, _ := watch(t, c, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}, Companions: announced{}})
	p.companionsReach(t, "lock:a", "channel all 0", "channel lock:a:released 1")
	subscribe(t, s.Client(), "lock:a:released")
	p.companionsReach(t, "lock:a", "channel all 0", "channel lock:a:released 2")
	found := regexp.MustCompile(`cmdstat_pubsub\|channels:calls=(\d+)`).FindStringSubmatch(fmt.Sprint(s.Do("INFO", "commandstats")))
	if found == nil {
		t.Fatal("the channels were never listed")
	}
	// A list takes two commands, for there are two globs. 3.5 MB of names are worth 13 s.
	lists := 1 + int(time.Since(began)/(13*time.Second))
	if n, err := strconv.Atoi(found[1]); err != nil || n > 2*lists {
		t.Errorf("in %v the channels were listed with %s commands", time.Since(began), found[1])
	}
}
