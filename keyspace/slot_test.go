package keyspace_test

import (
	"math/rand/v2"
	"testing"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// The server is the authority on its own hash slots: texts made of few letters have braces in every arrangement.
func TestSlotIsTheServers(t *testing.T) {
	s := redistest.Start(t, "--cluster-enabled", "yes", "--cluster-port", redistest.FreePort(t))
	keys := []string{
		"", "a", "123456789", "orders:checkout", "redisson_lock__channel:{orders:checkout}", "{}", "{}a", "a{}b{c}", "{{a}}", "}{a}",
		"{a", "a}", "{a}{b}", "{a}b", "\x00\xff\xfe", "{\xff}x", "锁:{订单}",
	}
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "{}ab\x00\xff"
	for range 300 {
		key := make([]byte, random.IntN(9))
		for i := range key {
			key[i] = letters[random.IntN(len(letters))]
		}
		keys = append(keys, string(key))
	}
	client := s.Client()
	for _, key := range keys {
		want, err := client.ClusterKeySlot(t.Context(), key).Result()
		if err != nil {
			t.Fatal(err)
		}
		if got := keyspace.Slot(key); int64(got) != want {
			t.Errorf("Slot(%q) = %d, the server says %d", key, got, want)
		}
	}
}
