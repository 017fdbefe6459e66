package redistest_test

import (
	"context"
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

func TestMasters(t *testing.T) {
	t.Parallel()
	servers := redistest.StartMasters(t, 5)
	for i, s := range servers {
		s.Do("SET", "who", i)
	}
	for i, s := range servers {
		if n, err := s.Client().Get(t.Context(), "who").Int(); n != i || err != nil {
			t.Errorf("the server %d says %d, %v", i, n, err)
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ping := func(s *redistest.TLS, change func(*tls.Config)) error {
		config := &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
		change(config)
		client := redis.NewClient(&redis.Options{Addr: s.Addr, TLSConfig: config, MaxRetries: -1, DialerRetries: 1})
		defer client.Close()
		return client.Ping(t.Context()).Err()
	}
	open, mutual := redistest.StartTLS(t), redistest.StartTLS(t, "--tls-auth-clients", "yes")
	for name, test := range map[string]struct {
		server *redistest.TLS
		change func(*tls.Config)
		fails  bool
	}{
		"by address":                  {open, func(*tls.Config) {}, false},
		"by the other name":           {open, func(c *tls.Config) { c.ServerName = redistest.ServerName }, false},
		"by a name it does not have":  {open, func(c *tls.Config) { c.ServerName = "other.example" }, true},
		"of an unknown authority":     {open, func(c *tls.Config) { c.RootCAs = nil }, true},
		"without the one it wants":    {mutual, func(*tls.Config) {}, true},
		"with the certificate wanted": {mutual, func(c *tls.Config) { c.Certificates = []tls.Certificate{mutual.ClientCertificate} }, false},
	} {
		if err := ping(test.server, test.change); (err != nil) != test.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
	open.Do("SET", "k", "v")
	open.Restart()
	if err := ping(open, func(*tls.Config) {}); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	plain := redis.NewClient(&redis.Options{Addr: open.Addr, MaxRetries: -1, DialerRetries: 1})
	defer plain.Close()
	if err := plain.Ping(t.Context()).Err(); err == nil {
		t.Error("the port speaks without TLS")
	}
}

func TestSentinelSet(t *testing.T) {
	t.Parallel()
	set := redistest.StartSentinel(t)
	if set.Master() != set.Servers[0] || set.Replica() != set.Servers[1] || len(set.Sentinels) != 3 {
		t.Fatalf("not formed as documented: %+v", set)
	}
	var sentinels []string
	for _, s := range set.Sentinels {
		sentinels = append(sentinels, s.Addr)
	}
	client := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: set.Name, SentinelAddrs: sentinels})
	defer client.Close()
	if err := client.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		v := set.Replica().Do("GET", "k")
		return v == "v", "the replica has no copy"
	})
	first := set.Master()
	second := set.Failover()
	if second == first || set.Master() != second || set.Replica() != first || second.Do("GET", "k") != "v" {
		t.Fatalf("after a fail-over from %s to %s: master %s, replica %s", first.Addr, second.Addr, set.Master().Addr, set.Replica().Addr)
	}
	second.Kill()
	if third := set.WaitForSwitch(second); third != first || third.Do("GET", "k") != "v" {
		t.Fatalf("after a crash of %s, %s is the master", second.Addr, third.Addr)
	}
	second.Revive()
	set.Settle()
	if role, ok := second.Do("ROLE").([]any); !ok || role[0] != "slave" {
		t.Errorf("the killed master came back as %v", role)
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	if len(c.Nodes) != 6 || len(c.Masters()) != 3 || len(c.Replicas()) != 3 {
		t.Fatalf("not formed as documented: %d nodes, %d masters, %d replicas", len(c.Nodes), len(c.Masters()), len(c.Replicas()))
	}
	client := c.Client()
	for i, s := range c.Masters() {
		if c.ReplicasOf(s)[0] != c.Nodes[3+i] {
			t.Errorf("the replica of master %d is not node %d", i, 3+i)
		}
		key := c.KeyOf(s, "lock:")
		if c.MasterOf(key) != s {
			t.Errorf("%s is not a key of master %d", key, i)
		}
		c.Do(key, "SET", key, "v")
		if v, err := client.Get(t.Context(), key).Result(); v != "v" || err != nil {
			t.Errorf("GET %s = %q, %v", key, v, err)
		}
	}
	key := c.KeyOf(c.Nodes[0], "lock:")

	// With consent, and back: nothing is lost, as nothing is written meanwhile.
	c.Failover(c.Nodes[3])
	if c.MasterOf(key) != c.Nodes[3] || c.Do(key, "GET", key) != "v" {
		t.Error("the replica did not take over")
	}
	c.Failover(c.Nodes[0])

	promoted := c.Crash(c.Nodes[1])
	if promoted != c.Nodes[4] || len(c.Masters()) != 3 || len(c.Replicas()) != 2 {
		t.Errorf("after a crash: %d masters, %d replicas", len(c.Masters()), len(c.Replicas()))
	}
	c.Nodes[1].Revive()
	c.Settle()
	if replicas := c.ReplicasOf(promoted); len(replicas) != 1 || replicas[0] != c.Nodes[1] {
		t.Error("the killed master did not come back as a replica")
	}
	gone := c.Nodes[1]
	c.Forget(gone)
	if len(c.Nodes) != 5 || len(c.Replicas()) != 2 {
		t.Errorf("after Forget: %d nodes, %d replicas", len(c.Nodes), len(c.Replicas()))
	}
}

func TestClusterSlotMoves(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 1, 0)
	from, to := c.Nodes[0], c.AddMaster()
	if len(c.Masters()) != 2 {
		t.Fatalf("%d masters", len(c.Masters()))
	}
	slot := c.Slot("{a}")
	for _, key := range []string{"{a}1", "{a}2", "{a}3"} {
		c.Do(key, "SET", key, "v")
	}
	get := func(s *redistest.Server, key string) string {
		v, err := s.Client().Get(context.Background(), key).Result()
		if err != nil {
			return strings.Fields(err.Error())[0]
		}
		return v
	}
	move := c.BeginMove(slot, from, to)
	if n := move.Keys(1); n != 1 {
		t.Fatalf("%d keys moved", n)
	}
	said := map[string]int{}
	for _, key := range []string{"{a}1", "{a}2", "{a}3"} {
		said[get(from, key)]++
		if c.MasterOf(key) != from {
			t.Errorf("%s has changed its owner half-way", key)
		}
	}
	if said["v"] != 2 || said["ASK"] != 1 {
		t.Errorf("half-way, the source says %v", said)
	}
	for move.Keys(1) > 0 {
		continue
	}
	move.Finish()
	if c.MasterOf("{a}1") != to || get(from, "{a}1") != "MOVED" || get(to, "{a}1") != "v" {
		t.Error("the slot has not moved")
	}
	steps := 0
	c.MoveSlot(slot, to, from, func() { steps++ })
	if steps != 2 || c.MasterOf("{a}1") != from || get(from, "{a}1") != "v" {
		t.Errorf("the slot has not moved back, in %d steps", steps)
	}
	c.Forget(to)
	if len(c.Masters()) != 1 {
		t.Errorf("%d masters are left", len(c.Masters()))
	}
	c.AddReplica(from)
	if len(c.ReplicasOf(from)) != 1 {
		t.Error("there is no replica")
	}
}

func TestClusterLink(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 2, 1)
	node := c.Nodes[0]
	key := c.KeyOf(node, "lock:")
	link := c.Link(node)
	link.Rewrite(func(command []string, answer []byte) []byte {
		if strings.EqualFold(command[0], "GET") {
			return []byte("$4\r\nlink\r\n")
		}
		return answer
	})
	// Found out by asking the other node, which answers MOVED with the address of the link.
	client := c.Client(func(o *redis.ClusterOptions) { o.Addrs = []string{c.Nodes[1].Addr} })
	if v, err := client.Get(t.Context(), key).Result(); v != "link" || err != nil {
		t.Errorf("GET = %q, %v: it went past the link", v, err)
	}
	link.Cut()
	if err := client.Get(t.Context(), key).Err(); err == nil {
		t.Error("GET through a link that is cut")
	}
	if c.MasterOf(key) != node {
		t.Error("the node has lost its slots for a link")
	}
	link.Heal()
	c.Settle()
	node.Restart()
	c.Settle() // it is still known by the link
}
