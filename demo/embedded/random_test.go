package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

// templates are commands with holes: K a key, V a value, F a field, N a number, S a score, D an instant, L a later
// one, O an option of SET.
// Only those are here whose answer is the same at every run.
var templates = strings.Fields(strings.NewReplacer(" ", "_", "\n", " ").Replace(`SET K V
SET K V O
SET K V O O
SET K V PXAT L
SET K V PXAT L O
SETNX K V
GETSET K V
GETDEL K
GETEX K PXAT D
GETEX K PERSIST
MSET K V K V
MSETNX K V K V
GET K
MGET K K
STRLEN K
APPEND K V
SETRANGE K 2 V
GETRANGE K N N
INCR K
DECRBY K N
INCRBYFLOAT K S
DEL K
DEL K K
UNLINK K
EXISTS K K
TYPE K
TOUCH K K
PERSIST K
PEXPIREAT K D
PEXPIREAT K D NX
PEXPIREAT K D XX
PEXPIREAT K D GT
PEXPIREAT K D LT
EXPIRE K -1
PEXPIRETIME K
EXPIRETIME K
RENAME K K
RENAMENX K K
COPY K K
COPY K K REPLACE
COPY K K DB 1
MOVE K 1
SWAPDB 0 1
DBSIZE
FLUSHDB
HSET K F V
HSET K F V F V
HSETNX K F V
HGET K F
HMGET K F F
HDEL K F
HDEL K F F
HINCRBY K F N
HINCRBYFLOAT K F S
HLEN K
HEXISTS K F
HSTRLEN K F
LPUSH K V
RPUSH K V V
LPUSHX K V
RPUSHX K V
LPOP K
RPOP K
LPOP K 2
RPOP K 2
LRANGE K 0 -1
LLEN K
LINDEX K N
LSET K N V
LREM K N V
LTRIM K N N
LINSERT K BEFORE V V
LPOS K V
LMOVE K K LEFT RIGHT
LMOVE K K RIGHT LEFT
RPOPLPUSH K K
BLPOP K K 0.001
BRPOP K 0.001
SADD K V
SADD K V V
SREM K V
SREM K V V
SCARD K
SISMEMBER K V
SMISMEMBER K V V
SMOVE K K V
SINTERSTORE K K K
SUNIONSTORE K K K
SDIFFSTORE K K K
ZADD K S V
ZADD K S x S y
ZADD K NX S V
ZADD K XX S V
ZADD K GT S V
ZADD K LT CH S V
ZADD K INCR S V
ZINCRBY K S V
ZREM K V
ZSCORE K V
ZCARD K
ZRANK K V
ZCOUNT K -inf S
ZRANGE K 0 -1 WITHSCORES
ZRANGEBYSCORE K -inf S
ZREMRANGEBYRANK K 0 0
ZREMRANGEBYSCORE K -inf S
ZPOPMIN K
ZPOPMAX K
WATCH K
UNWATCH
MULTI
EXEC
EXEC
DISCARD
PUBLISH K V
SCAN 0 MATCH K
SELECT 0
SELECT 0
SELECT 1
LUA K V
LUAHASH K F
`))

// fill makes a command of a template.
func fill(random *rand.Rand, template string) step {
	pick := func(from string) any { words := strings.Fields(from); return words[random.IntN(len(words))] }
	words := step{}
	for _, word := range strings.Split(template, "_") {
		switch word {
		case "K":
			words = append(words, pick("a b c d"))
		case "V":
			words = append(words, pick("x y 1 22 3.5 -7 hello"))
		case "F":
			words = append(words, pick("f g h"))
		case "N":
			words = append(words, random.IntN(7)-3)
		case "S":
			words = append(words, pick("1 2 0 -1 2.5 10"))
		case "D":
			words = append(words, pick("4102444800123 4102444900456 4102445000789 1000"))
		case "L":
			words = append(words, pick("4102444800123 4102444900456"))
		case "O":
			words = append(words, pick("NX XX GET KEEPTTL"))
		case "LUA":
			words = append(words, "EVAL", `local r = redis.pcall('set', KEYS[1], ARGV[1], 'NX') redis.pcall('append', KEYS[1], 'z')
				redis.call('publish', 'c', 'm') redis.pcall('pexpireat', KEYS[1], '4102444800123') return {r, redis.pcall('get', KEYS[1])}`, 1)
		case "LUAHASH":
			words = append(words, "EVAL", `if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then return redis.call('hdel', KEYS[1], ARGV[1])
				else return redis.call('hincrby', KEYS[1], ARGV[1], 1) end`, 1)
		default:
			words = append(words, word)
		}
	}
	return words
}

// TestRandomParity sends random commands to both servers, outside and inside of MULTI: every answer and every event must be
// the same. A failure shows the last commands before it.
func TestRandomParity(t *testing.T) {
	steps := 4000
	if testing.Short() {
		steps = 500
	}
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprintf("RESP%d", protocol), func(t *testing.T) {
			p := startPair(t, protocol)
			for _, s := range []*side{p.real, p.embedded} {
				s.raw.do(t, "CONFIG", "SET", "notify-keyspace-events", "KEg$lshzxen")
			}
			random := rand.New(rand.NewPCG(7, uint64(protocol)))
			var history []string
			for range steps {
				st := fill(random, templates[random.IntN(len(templates))])
				history = append(history, fmt.Sprint(st))
				want, got := p.real.run(t, st), p.embedded.run(t, st)
				if !slices.Equal(got, want) {
					t.Fatalf("the servers differ after\n%s\nreal:\n%s\nembedded:\n%s", strings.Join(history[max(0, len(history)-25):], "\n"),
						strings.Join(want, "\n"), strings.Join(got, "\n"))
				}
			}
		})
	}
}

// TestGlobParity matches random patterns with random keys on both servers.
func TestGlobParity(t *testing.T) {
	realServer := dialRaw(t, redistest.Start(t).Addr)
	server := dialRaw(t, start(t, embedded.Options{}).Addr())
	random := rand.New(rand.NewPCG(3, 4))
	text := func(letters string, longest int) string {
		b := make([]byte, 1+random.IntN(longest))
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	for range 3000 {
		key, pattern := text(`abcA[]-\*?^`, 5), text(`abc[]]^-**?\`, 9)
		ask := func(c *rawClient) string {
			return c.do(t, "FLUSHALL") + c.do(t, "SET", key, "v") + c.do(t, "KEYS", pattern)
		}
		if want, got := ask(realServer), ask(server); got != want {
			t.Errorf("pattern %q, key %q: %q, want %q", pattern, key, got, want)
		}
	}
}

// TestTableParity compares the command table with COMMAND of a real server.
func TestTableParity(t *testing.T) {
	realServer := startModel(t).Client()
	server := client(t, start(t, embedded.Options{}))
	known, err := realServer.Command(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	ours, err := server.Command(t.Context()).Result()
	if err != nil || len(ours) < 140 {
		t.Fatalf("%d commands, %v", len(ours), err)
	}
	for name, our := range ours {
		their := known[name]
		if their == nil {
			t.Errorf("Redis 7.0 has no %s", name)
			continue
		}
		want := fmt.Sprint(their.Arity, their.FirstKeyPos, their.LastKeyPos, their.StepCount, their.ReadOnly, slices.Contains(their.Flags, "write"))
		got := fmt.Sprint(our.Arity, our.FirstKeyPos, our.LastKeyPos, our.StepCount, our.ReadOnly, slices.Contains(our.Flags, "write"))
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
