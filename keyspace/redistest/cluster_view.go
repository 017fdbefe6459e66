package redistest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The roles of nodes, as CLUSTER NODES has them.
const (
	master  = "master"
	replica = "slave"
)

// view is what one node says of all nodes, by their addresses.
type view map[string]clusterNode

// clusterNode is what one node says of another.
type clusterNode struct {
	id, role, masterID string
	failed             bool // it is taken for dead, by this node or by all
	unsettled          bool // it has not been met properly yet
	slots              []string
}

// viewOf asks a node; a node that hangs is not waited for long.
func viewOf(s *Server) (view, error) {
	client := s.briefly(time.Second)
	defer client.Close()
	text, err := client.ClusterNodes(context.Background()).Result()
	if err != nil {
		return nil, fmt.Errorf("%s: CLUSTER NODES: %w", s.Addr, err)
	}
	seen := make(view)
	for line := range strings.Lines(text) {
		// id address@bus[,name] flags master ping pong epoch link slot...
		fields := strings.Fields(line)
		if len(fields) < 8 {
			return nil, fmt.Errorf("%s: CLUSTER NODES: %q", s.Addr, line)
		}
		addr, _, _ := strings.Cut(fields[1], "@")
		flags := strings.Split(fields[2], ",")
		if slices.Contains(flags, "myself") {
			addr = s.known() // a node learns its own address from others, and without others never
		}
		node := clusterNode{
			id: fields[0], role: master, masterID: fields[3], slots: fields[8:],
			failed:    slices.Contains(flags, "fail") || slices.Contains(flags, "fail?"),
			unsettled: slices.Contains(flags, "handshake") || slices.Contains(flags, "noaddr"),
		}
		if slices.Contains(flags, replica) {
			node.role = replica
		}
		// A node says of itself which slots are moving: "[93->-id]".
		node.slots = slices.DeleteFunc(node.slots, func(slot string) bool { return strings.HasPrefix(slot, "[") })
		seen[addr] = node
	}
	return seen, nil
}

// owns says that the slot is among those of the node: "5", or "0-100".
func (n clusterNode) owns(slot int) bool {
	return slices.ContainsFunc(n.slots, func(text string) bool {
		first, last, isRange := strings.Cut(text, "-")
		if !isRange {
			last = first
		}
		low, lowErr := strconv.Atoi(first)
		high, highErr := strconv.Atoi(last)
		return lowErr == nil && highErr == nil && low <= slot && slot <= high
	})
}

// Settle waits until all nodes that run serve, know each other, agree on who is what and has which slots, and the
// replicas among them are in step: for after a Revive, or another change that the test made by itself.
func (c *Cluster) Settle() {
	c.tb.Helper()
	c.settle(func(view) bool { return true })
}

// settle waits for the same, and for what is wanted of it besides.
func (c *Cluster) settle(wanted func(view) bool) {
	c.tb.Helper()
	c.settleBy(wanted, func() {})
}

// reminding is how long nodes may disagree before they are told again.
const reminding = 3 * time.Second

// settleBy does so, and tells the nodes again every while that they do not agree.
func (c *Cluster) settleBy(wanted func(view) bool, tell func()) {
	c.tb.Helper()
	remind := time.Now().Add(reminding)
	Eventually(c.tb, settling, func() (bool, string) {
		if time.Now().After(remind) {
			tell()
			remind = time.Now().Add(reminding)
		}
		var agreed string
		for _, s := range c.Nodes {
			if !s.running() {
				continue
			}
			seen, err := viewOf(s)
			if err != nil {
				return false, err.Error()
			}
			said, ok := c.describe(seen)
			if agreed == "" {
				agreed = said
			}
			if !ok || said != agreed || !wanted(seen) {
				return false, fmt.Sprintf("%s sees %s; before %s", s.Addr, said, agreed)
			}
			if why := unfit(s, seen[s.known()]); why != "" {
				return false, why
			}
		}
		return true, ""
	})
}

// describe says what a node sees of all those that run, in words that are the same for all who see the same; false if
// it does not see all of them well, or sees others.
func (c *Cluster) describe(seen view) (string, bool) {
	var text strings.Builder
	ok := true
	strangers := maps.Clone(seen)
	for _, s := range c.Nodes {
		node, known := seen[s.known()]
		delete(strangers, s.known())
		if !s.running() {
			continue
		}
		ok = ok && known && !node.failed && !node.unsettled
		fmt.Fprintf(&text, "%s: %s %s of %s %v; ", s.Addr, node.role, node.id, node.masterID, node.slots)
	}
	return text.String(), ok && len(strangers) == 0
}

// unfit says why a node does not serve yet; "" if it does.
func unfit(s *Server, node clusterNode) string {
	client := s.briefly(time.Second)
	defer client.Close()
	state, err := client.ClusterInfo(context.Background()).Result()
	if err != nil || !strings.Contains(state, "cluster_state:ok") {
		return fmt.Sprintf("%s: %v, %v", s.Addr, state, err)
	}
	if node.role != replica {
		return ""
	}
	link, err := client.Info(context.Background(), "replication").Result()
	if err != nil || !strings.Contains(link, "master_link_status:up") {
		return fmt.Sprintf("%s: %v, %v", s.Addr, link, err)
	}
	return ""
}
