package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// slots is how many hash slots every cluster has.
const slots = 16384

// settling is how long a cluster or a set of sentinels may take to agree on something; a test that waits longer fails.
const settling = 30 * time.Second

// Cluster is a Redis cluster of servers that know each other.
type Cluster struct {
	// Nodes are all that belong to it, also those that were killed: first the masters that it was formed with, in the
	// order of their slots, then the replicas of the first one, of the second, and so on, then what was added.
	Nodes []*Server

	tb   testing.TB
	args []string
}

// StartCluster forms a cluster and returns when all its nodes agree on it and its replicas are in step. The slots are
// spread evenly; a node that is silent for a second is taken for dead. args are as those of Start, for every node.
//
// A node that starts as a master serves nothing in its first two seconds, so that this takes a little longer than that.
func StartCluster(tb testing.TB, masters, replicasEach int, args ...string) *Cluster {
	tb.Helper()
	c := &Cluster{tb: tb, args: args}
	c.Nodes = c.launch(masters * (1 + replicasEach))
	for i, s := range c.Nodes[:masters] {
		s.Do("CLUSTER", "ADDSLOTSRANGE", i*slots/masters, (i+1)*slots/masters-1)
	}
	for i, s := range c.Nodes {
		s.Do("CLUSTER", "SET-CONFIG-EPOCH", i+1) // else they would have to sort out who is who first
		c.meet(s, c.Nodes[:i])
	}
	for i, s := range c.Nodes[masters:] {
		c.replicate(s, c.Nodes[i/replicasEach])
	}
	c.Settle()
	return c
}

// launch starts servers that are not yet part of the cluster.
func (c *Cluster) launch(n int) []*Server {
	c.tb.Helper()
	servers := make([]*Server, n)
	for i := range servers {
		servers[i] = newServer(c.tb)
		servers[i].options = func(port string) []string {
			return servers[i].common(port, append([]string{
				"--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0",
			}, c.args...))
		}
	}
	launch(c.tb, servers...)
	return servers
}

// meet introduces a server to all others, which is faster than to let them gossip.
func (c *Cluster) meet(s *Server, others []*Server) {
	c.tb.Helper()
	for _, other := range others {
		host, port, err := net.SplitHostPort(other.Addr)
		if err != nil {
			c.tb.Fatal(err)
		}
		s.Do("CLUSTER", "MEET", host, port)
	}
}

// replicate makes one node a replica of another as soon as it knows it.
func (c *Cluster) replicate(replica, master *Server) {
	c.tb.Helper()
	id := c.ID(master)
	client := replica.briefly(time.Second)
	defer client.Close()
	Eventually(c.tb, settling, func() (bool, string) {
		err := client.ClusterReplicate(context.Background(), id).Err()
		return err == nil, fmt.Sprintf("CLUSTER REPLICATE: %v", err)
	})
}

// ID is the name by which the other nodes know this one.
func (c *Cluster) ID(node *Server) string {
	c.tb.Helper()
	return fmt.Sprint(node.Do("CLUSTER", "MYID"))
}

// Masters are the nodes that are masters now, whether or not they have slots, in the order of Nodes.
func (c *Cluster) Masters() []*Server {
	c.tb.Helper()
	return c.inRole(master)
}

// Replicas are the nodes that are replicas now, in the order of Nodes.
func (c *Cluster) Replicas() []*Server {
	c.tb.Helper()
	return c.inRole(replica)
}

func (c *Cluster) inRole(role string) []*Server {
	c.tb.Helper()
	seen := c.view()
	var found []*Server
	for _, s := range c.Nodes {
		if node, ok := seen[s.known()]; ok && node.role == role && !node.failed {
			found = append(found, s)
		}
	}
	return found
}

// ReplicasOf are the nodes that are replicas of this one now.
func (c *Cluster) ReplicasOf(master *Server) []*Server {
	c.tb.Helper()
	seen := c.view()
	var found []*Server
	for _, s := range c.Nodes {
		if node, ok := seen[s.known()]; ok && node.masterID == seen[master.known()].id && !node.failed {
			found = append(found, s)
		}
	}
	return found
}

// view is the cluster as a live node sees it: whichever answers first in the order of Nodes.
func (c *Cluster) view() view {
	c.tb.Helper()
	var why []error
	for _, s := range c.Nodes {
		if !s.running() {
			continue
		}
		seen, err := viewOf(s)
		if err == nil {
			return seen
		}
		why = append(why, err)
	}
	c.tb.Fatalf("no node of the cluster answers: %v", errors.Join(why...))
	return nil
}

// Slot is the hash slot of a key.
func (c *Cluster) Slot(key string) int {
	c.tb.Helper()
	for _, s := range c.Nodes {
		if s.running() {
			return int(s.Do("CLUSTER", "KEYSLOT", key).(int64))
		}
	}
	c.tb.Fatal("no node of the cluster runs")
	return 0
}

// MasterOf is the master that the key belongs to now; while its slot moves, the one that it moves away from.
func (c *Cluster) MasterOf(key string) *Server {
	c.tb.Helper()
	return c.owner(c.Slot(key))
}

func (c *Cluster) owner(slot int) *Server {
	c.tb.Helper()
	seen := c.view()
	for _, s := range c.Nodes {
		if seen[s.known()].owns(slot) {
			return s
		}
	}
	c.tb.Fatalf("slot %d belongs to nobody: %v", slot, seen)
	return nil
}

// Do runs one command at the master that the key belongs to, as Server.Do does; args are the whole command.
func (c *Cluster) Do(key string, args ...any) any {
	c.tb.Helper()
	return c.MasterOf(key).Do(args...)
}

// Client is a cluster client for the test's own commands; it is closed when the test ends.
func (c *Cluster) Client(options ...func(*redis.ClusterOptions)) *redis.ClusterClient {
	o := &redis.ClusterOptions{ContextTimeoutEnabled: true}
	for _, s := range c.Nodes {
		o.Addrs = append(o.Addrs, s.known())
	}
	for _, set := range options {
		set(o)
	}
	client := redis.NewClusterClient(o)
	c.tb.Cleanup(func() { _ = client.Close() }) // the test may have closed it already
	return client
}

// KeyOf makes a key that belongs to this master now, and that begins with the prefix.
func (c *Cluster) KeyOf(master *Server, prefix string) string {
	c.tb.Helper()
	owner := c.view()[master.known()]
	for i := range 100 * len(c.Nodes) * len(c.Nodes) {
		if key := prefix + strconv.Itoa(i); owner.owns(c.Slot(key)) {
			return key
		}
	}
	c.tb.Fatalf("no key found for %s: %v", master.Addr, owner)
	return ""
}
