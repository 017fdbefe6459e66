package inspector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// traffic is clients that use locks, each by a connection of its own, until they are stopped. A server that refuses or loses
// what they ask is none of their concern.
type traffic struct {
	gate    sync.RWMutex // who holds it for writing has all clients wait
	paused  bool
	cancel  context.CancelFunc
	running sync.WaitGroup
	clients int
}

// trafficPause is between two commands of a client.
const trafficPause = 2 * time.Millisecond

func newTraffic(c *scene, seed uint64) *traffic {
	return newTrafficOf(c.t, seed, acts, func() redis.UniversalClient {
		return c.server.Client(func(o *redis.Options) { o.PoolSize, o.ReadTimeout, o.DialerRetries = 1, time.Second, 1 })
	}, func(_, other string) string { return other })
}

// newTrafficOf is of clients of any servers; beside is the second key of each script.
func newTrafficOf(tb testing.TB, seed uint64, acts map[string][]string, connect func() redis.UniversalClient, beside func(key, other string) string) *traffic {
	ctx, cancel := context.WithCancel(context.Background())
	t := &traffic{cancel: cancel, clients: soakClients}
	t.pause()
	for n := range soakClients {
		client := connect()
		user := &user{client, rand.New(rand.NewPCG(seed, uint64(n)+1)), fmt.Sprint("worker-", n), acts, beside}
		t.running.Go(func() {
			defer client.Close()
			for ctx.Err() == nil {
				t.gate.RLock()
				user.act(ctx)
				t.gate.RUnlock()
				time.Sleep(trafficPause)
			}
		})
	}
	tb.Cleanup(t.stop)
	return t
}

// pause returns when nothing is under way any more.
func (t *traffic) pause() {
	if !t.paused {
		t.paused = true
		t.gate.Lock()
	}
}

func (t *traffic) run() {
	if t.paused {
		t.paused = false
		t.gate.Unlock()
	}
}

func (t *traffic) stop() {
	t.cancel()
	t.run()
	t.running.Wait()
}

// user is one client, of locks of several layouts.
type user struct {
	client redis.UniversalClient
	random *rand.Rand
	name   string
	acts   map[string][]string
	beside func(key, other string) string
}

// soakKeys is how many locks of each layout there are.
const soakKeys = 15

// acts are what is done to a lock: a script each, of the key, another key, the owner and the lease in milliseconds.
var acts = map[string][]string{
	"order": { // string with a TTL
		`return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])`,
		`return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`, // by force
		`return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
		`return redis.call('PEXPIRE', KEYS[1], ARGV[2], 'GT')`,
		`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end`,
		`return redis.call('UNLINK', KEYS[1])`,
		`return redis.call('PERSIST', KEYS[1])`,
		`if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('RENAME', KEYS[1], KEYS[2]) end`,
	},
	"invoice": { // string without
		`return redis.call('SETNX', KEYS[1], ARGV[1])`,
		`return redis.call('GETSET', KEYS[1], ARGV[1])`,
		`return redis.call('DEL', KEYS[1])`,
		`return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
	},
	"report": { // hash: a field each holder
		`if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[3]) == 1 then
			redis.call('HINCRBY', KEYS[1], ARGV[3], 1)
			return redis.call('PEXPIRE', KEYS[1], ARGV[2])
		end`,
		`if redis.call('HEXISTS', KEYS[1], ARGV[3]) == 1 and redis.call('HINCRBY', KEYS[1], ARGV[3], -1) == 0 then
			return redis.call('DEL', KEYS[1])
		end`,
		`return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
		`return redis.call('DEL', KEYS[1])`,
	},
	"account": { // string that says when the lease ends
		`return redis.call('SETNX', KEYS[1], ARGV[4])`,
		`return redis.call('GETSET', KEYS[1], ARGV[4])`,
		`return redis.call('DEL', KEYS[1])`,
	},
}

// act does something to some lock.
func (u *user) act(ctx context.Context) {
	kinds := [...]string{"order", "invoice", "report", "account"}
	kind := kinds[u.random.IntN(len(kinds))]
	key := func() string { return fmt.Sprintf("lock:%s:%d", kind, 2000+u.random.IntN(soakKeys)) }
	lease := time.Duration(100+u.random.IntN(400)) * time.Millisecond
	if u.random.IntN(2) == 0 {
		lease *= 100
	}
	script := u.acts[kind][u.random.IntN(len(u.acts[kind]))]
	lock := key()
	field := fmt.Sprintf("0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:%s", u.name)
	_ = u.client.Eval(ctx, script, []string{lock, u.beside(lock, key())}, u.name, lease.Milliseconds(), field,
		time.Now().Add(lease).UnixMilli()).Err() // the server may be gone, or refuse
}
