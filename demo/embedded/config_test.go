package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

// TestFlagsParity sets random flags on both servers: what is refused, and in which order the letters come back, must be
// the same.
func TestFlagsParity(t *testing.T) {
	realServer := dialRaw(t, redistest.Start(t).Addr)
	server := dialRaw(t, start(t, embedded.Options{}).Addr())
	const letters = "KEg$lshzxetdnmA"
	random := rand.New(rand.NewPCG(1, 2))
	all := []string{"", "KEA", "KEAn", "Kg$hzxen", "g$lshzxetdKE", "q", "K E"}
	for range 300 {
		var flags strings.Builder
		for range random.IntN(18) {
			flags.WriteByte(letters[random.IntN(len(letters))])
		}
		all = append(all, flags.String())
	}
	for _, flags := range all {
		ask := func(c *rawClient) string {
			return c.do(t, "CONFIG", "SET", "notify-keyspace-events", flags) + c.do(t, "CONFIG", "GET", "notify-keyspace-events")
		}
		if want, got := ask(realServer), ask(server); got != want {
			t.Errorf("flags %q: %q, want %q", flags, got, want)
		}
	}
}

func TestConfig(t *testing.T) {
	c := client(t, start(t, embedded.Options{}))
	got, err := c.ConfigGet(t.Context(), "notify-keyspace-events").Result()
	if err != nil || got["notify-keyspace-events"] != "g$hzxenK" {
		t.Errorf("a fresh server has %v %v", got, err)
	}
	several, err := c.Do(t.Context(), "CONFIG", "GET", "NOTIFY-*", "maxmemory-p*", "databases", "nonsense").Result()
	want := "map[databases:16 maxmemory-policy:noeviction notify-keyspace-events:g$hzxenK]"
	if err != nil || fmt.Sprint(several) != want {
		t.Errorf("several patterns: %v %v, want %s", several, err, want)
	}
	// What has no effect here can be set to what it is, and to nothing else.
	if err := c.ConfigSet(t.Context(), "maxmemory", "0").Err(); err != nil {
		t.Error(err)
	}
	if err := c.ConfigSet(t.Context(), "maxmemory", "1gb").Err(); err == nil {
		t.Error("a memory limit that nobody keeps was accepted")
	}
}
