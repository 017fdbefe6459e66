package actions

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// observe reads a key as keyspace does, and makes of it the lock that inspector would.
func observe(ctx context.Context, tb testing.TB, client *redis.Client, scheme inspector.Scheme, key string) *inspector.Lock {
	tb.Helper()
	now := time.Now()
	record := keyspace.Record{Ref: keyspace.Ref{Key: key, DB: client.Options().DB}, ReadAt: now}
	lock := &inspector.Lock{Ref: record.Ref, Scheme: scheme, Mode: inspector.ModeExclusive, State: inspector.StateHeld}
	pipe := client.TxPipeline()
	kind, pttl, ends := pipe.Type(ctx, key), pipe.PTTL(ctx, key), pipe.PExpireTime(ctx, key)
	size, text, fields := pipe.StrLen(ctx, key), pipe.GetRange(ctx, key, 0, keyspace.MaxText-1), pipe.HGetAll(ctx, key)
	_, _ = pipe.Exec(ctx) // the commands of the other type fail
	record.Type = keyspace.Type(kind.Val())
	if left := pttl.Val(); left >= 0 {
		record.ExpiresAt, record.ExpireTime = now.Add(left), ends.Val().Milliseconds()
	}
	switch record.Type {
	case keyspace.TypeString:
		record.Size, record.Value.Text = size.Val(), text.Val()
		record.Truncated = record.Size > keyspace.MaxText
		lock.Holders = []inspector.Holder{{Owner: record.Value.Text, Label: record.Value.Text}}
	case keyspace.TypeHash:
		for name, value := range fields.Val() {
			record.Size++
			record.Value.Fields = append(record.Value.Fields, keyspace.Field{Name: name, Value: value})
			n, err := strconv.ParseInt(value, 10, 64)
			lock.Holders = append(lock.Holders, inspector.Holder{
				Owner: name, Label: name, Count: inspector.Count{N: n, Known: err == nil},
			})
		}
	default:
	}
	for _, companion := range must(lookWith(client)(ctx, inspector.RedissonName(inspector.RedissonQueue, key), inspector.RedissonName(inspector.RedissonDeadlines, key)))(tb) {
		if scheme == inspector.SchemeRedisson && companion.Exists() {
			record.Companions = append(record.Companions, companion)
		}
	}
	lock.ExpiresAt, lock.Observed = record.ExpiresAt, record
	return lock
}

// lookWith reads lists and sorted sets as keyspace does.
func lookWith(client *redis.Client) func(ctx context.Context, keys ...string) ([]keyspace.Record, error) {
	return func(ctx context.Context, keys ...string) ([]keyspace.Record, error) {
		var records []keyspace.Record
		for _, key := range keys {
			record := keyspace.Record{Ref: keyspace.Ref{Key: key, DB: client.Options().DB}, ReadAt: time.Now()}
			kind, err := client.Type(ctx, key).Result()
			if err != nil {
				return nil, err
			}
			record.Type = keyspace.Type(kind)
			switch record.Type {
			case keyspace.TypeList:
				for _, element := range client.LRange(ctx, key, 0, -1).Val() {
					record.Value.Fields = append(record.Value.Fields, keyspace.Field{Name: element})
				}
			case keyspace.TypeZSet:
				for _, z := range client.ZRangeWithScores(ctx, key, 0, -1).Val() {
					score := strconv.FormatFloat(z.Score, 'f', -1, 64)
					record.Value.Fields = append(record.Value.Fields, keyspace.Field{Name: z.Member.(string), Value: score})
				}
			default:
			}
			record.Size = int64(len(record.Value.Fields))
			records = append(records, record)
		}
		return records, nil
	}
}

// seeds make a lock of each scheme, held by "A": twice where entries are counted.
var seeds = map[inspector.Scheme]func(ctx context.Context, client *redis.Client, key string) error{
	inspector.SchemeToken: func(ctx context.Context, client *redis.Client, key string) error {
		return client.Set(ctx, key, "A", time.Minute).Err()
	},
	inspector.SchemeShedLock: func(ctx context.Context, client *redis.Client, key string) error {
		return client.Set(ctx, key, "A", time.Minute).Err()
	},
	inspector.SchemeSetNX: func(ctx context.Context, client *redis.Client, key string) error {
		return client.Set(ctx, key, "A", 0).Err()
	},
	inspector.SchemeTimestamp: func(ctx context.Context, client *redis.Client, key string) error {
		return client.Set(ctx, key, stampA, 0).Err()
	},
	inspector.SchemeReentrant: seedHash,
	inspector.SchemeRedisson:  seedHash,
}

// variant is a lock as an action may find it.
type variant struct {
	name   string
	scheme inspector.Scheme
	seed   func(ctx context.Context, client *redis.Client, key string) error
}

// variants are the seeds, and the locks on which the scripts take other paths than on these.
func variants() []variant {
	var all []variant
	for scheme, seed := range seeds {
		all = append(all, variant{string(scheme), scheme, seed})
	}
	return append(all,
		variant{"timestamp with a TTL", inspector.SchemeTimestamp, func(ctx context.Context, client *redis.Client, key string) error {
			return client.Set(ctx, key, stampA, 10*time.Second).Err()
		}},
		variant{"fair", inspector.SchemeRedisson, func(ctx context.Context, client *redis.Client, key string) error {
			return errors.Join(seedHash(ctx, client, key), queueUp(ctx, client, key, waiting{"B", time.Hour}))
		}},
	)
}

// seeded makes the lock and the request that acts on it.
func (v variant) seeded(t *testing.T, client *redis.Client, r Request) Request {
	t.Helper()
	if err := v.seed(t.Context(), client, "lock"); err != nil {
		t.Fatal(err)
	}
	r.Owner, r.Lock = ownerA(v.scheme), observe(t.Context(), t, client, v.scheme, "lock")
	return r
}

// waiting is a waiter of a fair lock, and for how long it still waits.
type waiting struct {
	waiter string
	left   time.Duration
}

// queueUp puts waiters into the queue of a Redisson fair lock, as Redisson does.
func queueUp(ctx context.Context, client *redis.Client, key string, line ...waiting) error {
	for _, w := range line {
		ends := redis.Z{Member: w.waiter, Score: float64(time.Now().Add(w.left).UnixMilli())}
		if err := errors.Join(
			client.RPush(ctx, "redisson_lock_queue:{"+key+"}", w.waiter).Err(),
			client.ZAdd(ctx, "redisson_lock_timeout:{"+key+"}", ends).Err(),
		); err != nil {
			return err
		}
	}
	return nil
}

// heard is the next message of a subscription, for which a lost one is not waited for ever.
func heard(t *testing.T, subscription *redis.PubSub) *redis.Message {
	t.Helper()
	for {
		next, err := subscription.ReceiveTimeout(t.Context(), 10*time.Second)
		if err != nil {
			t.Fatalf("no message: %v", err)
		}
		if message, ok := next.(*redis.Message); ok {
			return message
		}
	}
}

func seedHash(ctx context.Context, client *redis.Client, key string) error {
	_, err := client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, key, "A", 2)
		pipe.PExpire(ctx, key, time.Minute)
		return nil
	})
	return err
}

// stampA is the value of a timestamp lock whose holder has an id.
var stampA = "A:" + timestampAfter(time.Now(), 30*time.Second)

// ownerA is the owner of a seeded lock.
func ownerA(scheme inspector.Scheme) string {
	if scheme == inspector.SchemeTimestamp {
		return stampA
	}
	return "A"
}

// ways are the executors on the servers: every guard is tested with each.
func ways(t *testing.T, test func(t *testing.T, o *Operator, client *redis.Client)) {
	t.Helper()
	server := redistest.Start(t)
	for name, client := range map[string]*redis.Client{"redis": server.Client(), "embedded": embeddedClient(t)} {
		for _, by := range []string{byScript{}.name(), byWatch{}.name()} {
			t.Run(name+"/"+by, func(t *testing.T) {
				if err := client.FlushAll(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
				o := NewOperator(OneServer(client), Options{Look: lookWith(client)})
				o.scriptsDenied.Store(by == byWatch{}.name())
				test(t, o, client)
			})
		}
	}
}
