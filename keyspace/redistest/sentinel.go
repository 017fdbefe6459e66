package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// SentinelSet is a master with a replica, and three sentinels that watch over them, of which two must agree.
type SentinelSet struct {
	// Name is what the sentinels call the master.
	Name string
	// Sentinels are the sentinels themselves; they answer commands, and can be killed, as other servers.
	Sentinels []*Server
	// Servers are the two that hold data: first the one that was the master at the start.
	Servers []*Server

	tb testing.TB
}

// StartSentinel starts such a set and returns when the sentinels know all of it and the replica is in step. A server that
// is silent for a second is taken for dead. args are as those of Start, for the master and the replica.
func StartSentinel(tb testing.TB, args ...string) *SentinelSet {
	tb.Helper()
	set := &SentinelSet{Name: "lockmaster", tb: tb}
	set.Servers = StartMasters(tb, 2, append([]string{"--repl-diskless-sync-delay", "0"}, args...)...)
	host, port, err := net.SplitHostPort(set.Servers[0].Addr)
	if err != nil {
		tb.Fatal(err)
	}
	set.Servers[1].Do("REPLICAOF", host, port)
	for range 3 {
		s := newServer(tb)
		s.options = func(own string) []string {
			return []string{set.configure(s, host, port), "--sentinel", "--port", own}
		}
		set.Sentinels = append(set.Sentinels, s)
	}
	launch(tb, set.Sentinels...)
	for _, s := range set.Sentinels {
		// They ask every ten seconds, and tell each other every two, if they are let. One that has not been told of a fail-over
		// takes it back after four such times, and even then notices of one take a second: it must not be shorter than this.
		s.Do("SENTINEL", "DEBUG", "info-period", 200, "publish-period", 750, "ping-period", 200)
	}
	set.Settle()
	return set
}

// configure writes the file without which a sentinel does not start, for it keeps there what it learns.
func (set *SentinelSet) configure(s *Server, host, port string) string {
	path := filepath.Join(s.dir, "sentinel.conf")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	text := fmt.Sprintf(`bind 127.0.0.1
dir %[1]s
unixsocket %[2]s
sentinel monitor %[3]s %[4]s %[5]s 2
sentinel down-after-milliseconds %[3]s 1000
sentinel failover-timeout %[3]s 4000
`, s.dir, s.Socket, set.Name, host, port)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		set.tb.Error(err) // not Fatal: servers are started at the same time; this one will say that it has no file
	}
	return path
}

// Master is the master now, as a sentinel that runs has it.
func (set *SentinelSet) Master() *Server {
	set.tb.Helper()
	for _, sentinel := range set.Sentinels {
		if !sentinel.running() {
			continue
		}
		if s := set.masterOf(sentinel); s != nil {
			return s
		}
	}
	set.tb.Fatal("no sentinel knows the master")
	return nil
}

// Replica is the other one of the two servers.
func (set *SentinelSet) Replica() *Server {
	set.tb.Helper()
	if master := set.Master(); master == set.Servers[0] {
		return set.Servers[1]
	}
	return set.Servers[0]
}

// masterOf is the master that a sentinel names, or nil.
func (set *SentinelSet) masterOf(sentinel *Server) *Server {
	client := sentinelClient(sentinel)
	defer func() { _ = client.Close() }()
	addr, err := client.GetMasterAddrByName(context.Background(), set.Name).Result()
	if err != nil || len(addr) != 2 {
		return nil
	}
	i := slices.IndexFunc(set.Servers, func(s *Server) bool { return s.Addr == net.JoinHostPort(addr[0], addr[1]) })
	if i < 0 {
		return nil
	}
	return set.Servers[i]
}

// Failover makes the sentinels give the master's part to the replica, and returns the new master when WaitForSwitch does.
func (set *SentinelSet) Failover() *Server {
	set.tb.Helper()
	old := set.Master()
	sentinel := set.Sentinels[slices.IndexFunc(set.Sentinels, (*Server).running)]
	client := sentinelClient(sentinel)
	defer func() { _ = client.Close() }()
	Eventually(set.tb, settling, func() (bool, string) { // NOGOODSLAVE, while it has not heard from the replica of late
		err := client.Failover(context.Background(), set.Name).Err()
		return err == nil, fmt.Sprintf("SENTINEL FAILOVER: %v", err)
	})
	return set.WaitForSwitch(old)
}

// WaitForSwitch waits until all sentinels that run name another master than the old one, which also takes itself for one,
// and returns it. If the old one runs, it is its replica by then, and in step.
func (set *SentinelSet) WaitForSwitch(old *Server) *Server {
	set.tb.Helper()
	set.settle(func(master *Server) bool { return master != old })
	return set.Master()
}

// Settle waits until the sentinels that run know each other and the master, and the replica, if it runs, is in step.
func (set *SentinelSet) Settle() {
	set.tb.Helper()
	set.settle(func(*Server) bool { return true })
}

func (set *SentinelSet) settle(wanted func(master *Server) bool) {
	set.tb.Helper()
	Eventually(set.tb, settling, func() (bool, string) {
		var agreed *Server
		for _, sentinel := range set.Sentinels {
			if !sentinel.running() {
				continue
			}
			named := set.masterOf(sentinel)
			if named == nil {
				return false, sentinel.Addr + " does not say who is the master"
			}
			if agreed == nil {
				agreed = named
			}
			if named != agreed || !wanted(named) {
				return false, fmt.Sprintf("%s names %s as the master, before %s", sentinel.Addr, named.Addr, agreed.Addr)
			}
			if why := set.unready(sentinel, named); why != "" {
				return false, why
			}
		}
		for _, s := range set.Servers {
			if why := outOfStep(s, agreed); why != "" {
				return false, why
			}
		}
		return true, ""
	})
}

// unready says what a sentinel does not know yet; "" if it knows everything.
func (set *SentinelSet) unready(sentinel, master *Server) string {
	client := sentinelClient(sentinel)
	defer func() { _ = client.Close() }()
	said, err := client.Master(context.Background(), set.Name).Result()
	if err != nil {
		return fmt.Sprintf("%s: SENTINEL MASTER: %v", sentinel.Addr, err)
	}
	others := fmt.Sprint(len(set.Sentinels) - 1)
	if said["num-other-sentinels"] != others || said["num-slaves"] != "1" || said["flags"] != "master" {
		return fmt.Sprintf("%s: SENTINEL MASTER: %v", sentinel.Addr, said)
	}
	if !master.running() {
		return fmt.Sprintf("%s names %s, which was killed", sentinel.Addr, master.Addr)
	}
	return ""
}

// outOfStep says what a server's part in the replication lacks; "" if it is as it should be, or if the server was killed.
func outOfStep(s, master *Server) string {
	if !s.running() {
		return ""
	}
	client := s.briefly(time.Second)
	defer client.Close()
	wanted := []string{"role:slave", "master_link_status:up"}
	if s == master {
		wanted = []string{"role:master"}
	}
	said, err := client.Info(context.Background(), "replication").Result()
	if err != nil {
		return fmt.Sprintf("%s: INFO: %v", s.Addr, err)
	}
	for _, line := range wanted {
		if !strings.Contains(said, line) {
			return fmt.Sprintf("%s lacks %s: %s", s.Addr, line, said)
		}
	}
	return ""
}

func sentinelClient(s *Server) *redis.SentinelClient {
	return redis.NewSentinelClient(&redis.Options{
		Network: "unix", Addr: s.Socket, MaxRetries: -1, DialerRetries: 1, ReadTimeout: time.Second,
	})
}
