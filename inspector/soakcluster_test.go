package inspector_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// clusterSoak is a realm that goes on: clients that use locks in all slots, and one change of the cluster after the other.
type clusterSoak struct {
	*realm
	cluster *redistest.Cluster
	random  *rand.Rand
	traffic *traffic
	told    *chronicle
	done    []string
	wrong   map[string]since
	quick   bool
}

// clusterActs are [acts] where both keys of a script are in one slot: a fair lock of Redisson's has a queue there, which is beside it
// for as long as the lock is.
var clusterActs = func() map[string][]string {
	all := maps.Clone(acts)
	all["order"] = acts["order"][:len(acts["order"])-1] // without RENAME: nothing but a queue may be called like one
	all["report"] = slices.Concat(acts["report"], []string{
		`if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('RPUSH', KEYS[2], ARGV[3]) end`,
		`if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('LPOP', KEYS[2]) end`,
	})
	return all
}()

// TestSoakCluster draws from a seed what happens to a cluster while clients use locks. Whenever they pause, the picture must come to
// be what all masters hold; while they do not, and nothing happens to the cluster, nothing may be shown wrong for long.
func TestSoakCluster(t *testing.T) {
	t.Parallel()
	duration, seed := soaks(t, 2*time.Second, 20*time.Second)
	s := &clusterSoak{
		cluster: redistest.StartCluster(t, 3, 1), random: rand.New(rand.NewPCG(seed, 0)), wrong: make(map[string]since),
		quick: duration < 20*time.Second,
	}
	t.Cleanup(func() { again(t, duration, seed, s.done) })
	s.realm = clusterRealm(t, s.cluster)
	s.told = newChronicle(t, s.i)
	s.traffic = newTrafficOf(t, seed, clusterActs, func() redis.UniversalClient {
		return s.cluster.Client(func(o *redis.ClusterOptions) { o.ReadTimeout, o.DialTimeout = time.Second, time.Second })
	}, func(key, _ string) string { return inspector.RedissonName(inspector.RedissonQueue, key) })
	for start := time.Now(); time.Since(start) < duration; {
		s.works(time.Duration(200+s.random.IntN(600)) * time.Millisecond)
		s.suffers()
		s.works(time.Duration(s.random.IntN(400)) * time.Millisecond)
		s.traffic.pause()
		s.agrees()
		s.queues()
		s.told.follows()
	}
	s.traffic.stop()
	s.leaves()
}

// suffers has one thing happen to the cluster, and be over.
func (s *clusterSoak) suffers() {
	s.t.Helper()
	c := s.cluster
	drawn := func(all []*redistest.Server) *redistest.Server { return all[s.random.IntN(len(all))] }
	happenings := []struct {
		name string
		slow bool
		does func()
	}{
		{"a slot moves", false, s.moves},
		{"slots move", false, func() {
			for range 4 {
				s.moves()
			}
		}},
		{"a replica takes over by order", false, func() { c.Failover(drawn(c.Replicas())) }},
		{"a master dies, and comes back", true, func() {
			if old := drawn(c.Masters()); len(c.ReplicasOf(old)) > 0 {
				c.Crash(old)
				old.Revive()
			}
		}},
		{"all masters but one hang for a moment", true, func() {
			masters := c.Masters()
			s.random.Shuffle(len(masters), func(i, j int) { masters[i], masters[j] = masters[j], masters[i] })
			s.pausesAll(masters[1:]...)
		}},
		{"a node hangs", false, func() { s.pausesAll(drawn(c.Nodes)) }},
		{"FLUSHALL", false, func() { drawn(c.Masters()).Do("FLUSHALL") }},
		{"our connections are killed", false, func() {
			m := drawn(c.Masters())
			m.Do("CLIENT", "KILL", "TYPE", "pubsub")
			m.Do("CLIENT", "KILL", "TYPE", "normal")
		}},
		{"a master joins, is given slots, and leaves", true, s.visits},
	}
	h := happenings[s.random.IntN(len(happenings))]
	if s.quick && h.slow {
		h = happenings[0]
	}
	s.done = append(s.done, fmt.Sprintf("%s %s", time.Now().Format("15:04:05.000"), h.name))
	h.does()
	c.Settle()
	clear(s.wrong)
}

// moves moves the slot of some lock to another master.
func (s *clusterSoak) moves() {
	kinds := slices.Sorted(maps.Keys(acts))
	key := fmt.Sprintf("lock:%s:%d", kinds[s.random.IntN(len(kinds))], 2000+s.random.IntN(soakKeys))
	from := s.cluster.MasterOf(key)
	others := slices.DeleteFunc(s.cluster.Masters(), func(m *redistest.Server) bool { return m == from })
	s.cluster.MoveSlot(keyspace.Slot(key), from, others[s.random.IntN(len(others))], nil)
}

// pausesAll has nodes hang, perhaps for so long that others take over.
func (s *clusterSoak) pausesAll(nodes ...*redistest.Server) {
	for _, n := range nodes {
		n.Pause()
	}
	time.Sleep(time.Duration(s.random.IntN(2500)) * time.Millisecond) // this is what the fault is
	for _, n := range nodes {
		n.Resume()
	}
}

// visits has a new master come, look after the slots of some locks, and go.
func (s *clusterSoak) visits() {
	guest := s.cluster.AddMaster()
	homes := make(map[string]*redistest.Server)
	for range 3 {
		key := fmt.Sprintf("lock:order:%d", 2000+s.random.IntN(soakKeys))
		if from := s.cluster.MasterOf(key); from != guest {
			homes[key] = from
			s.cluster.MoveSlot(keyspace.Slot(key), from, guest, nil)
		}
	}
	s.works(time.Duration(s.random.IntN(1000)) * time.Millisecond)
	for key, home := range homes {
		s.cluster.MoveSlot(keyspace.Slot(key), guest, home, nil)
	}
	s.cluster.Forget(guest)
}

// works lets the clients work for a while, and looks at a picture that is changing: what is shown wrong must not stay so.
func (s *clusterSoak) works(long time.Duration) {
	s.t.Helper()
	s.traffic.run()
	for start := time.Now(); time.Since(start) < long; time.Sleep(20 * time.Millisecond) {
		s.told.follows()
		if len(s.troubled()) > 0 {
			clear(s.wrong)
			continue
		}
		now := time.Now()
		wrong := make(map[string]since)
		for _, line := range differences(s.i.Latest(), s.truth()) {
			first, known := s.wrong[keyIn(line)]
			if !known {
				first.at = now
			}
			wrong[keyIn(line)] = since{first.at, line}
			if now.Sub(first.at) > soakLate {
				s.t.Fatalf("for %v: %s; %+v", now.Sub(first.at), line, s.i.Latest().Nodes)
			}
		}
		s.wrong = wrong
	}
}

// queues compares the queue that is shown of each fair lock with the one that there is.
func (s *clusterSoak) queues() {
	s.t.Helper()
	redistest.Eventually(s.t, 20*time.Second, func() (bool, string) {
		var wrong []string
		for _, l := range s.i.Latest().Locks {
			if l.Scheme != inspector.SchemeRedisson || l.State == inspector.StateFreed {
				continue
			}
			queue := inspector.RedissonName(inspector.RedissonQueue, l.Key)
			shown := int64(0)
			for _, companion := range l.Observed.Companions {
				if companion.Key == queue {
					shown = companion.Size
				}
			}
			if n := s.cluster.Do(queue, "LLEN", queue).(int64); n != shown {
				wrong = append(wrong, fmt.Sprintf("%s has %d in its queue, and %d are shown", l.Key, n, shown))
			}
		}
		return len(wrong) == 0, fmt.Sprint(wrong)
	})
}
