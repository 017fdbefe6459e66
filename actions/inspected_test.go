package actions

import (
	"fmt"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// TestInspected goes the whole way of a real action: a client locks, keyspace reads, inspector recognises, and the
// operator acts on what was recognised; then the client does something, and the operator acts on what is no more.
func TestInspected(t *testing.T) {
	server := redistest.Start(t)
	ctx := t.Context()
	connection := must(keyspace.Connect(ctx, keyspace.Options{Network: "unix", Addr: server.Socket, DB: 2}))(t)
	defer connection.Close()
	client := connection.NewClient("locktop-actions")
	defer client.Close()
	l := NewLocker(client)
	o := NewOperator(OneServer(client), Options{})
	const uuid = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11"
	for scheme, lock := range map[inspector.Scheme]func(key string) error{
		inspector.SchemeToken: func(key string) error {
			_, err := l.AcquireToken(ctx, key, uuid, time.Minute)
			return err
		},
		inspector.SchemeSetNX: func(key string) error { return client.SetNX(ctx, key, "worker-7", 0).Err() },
		inspector.SchemeTimestamp: func(key string) error {
			_, _, err := l.AcquireTimestamp(ctx, key, time.Minute)
			return err
		},
		inspector.SchemeReentrant: func(key string) error {
			_, err := l.AcquireReentrant(ctx, key, "worker-7:thread-1", time.Minute)
			return err
		},
		inspector.SchemeRedisson: func(key string) error {
			_, _, err := l.AcquireRedisson(ctx, key, uuid+":42", time.Minute)
			return err
		},
	} {
		for name, request := range verbRequests(scheme) {
			key := fmt.Sprintf("lock:%s:%s", scheme, name)
			if err := lock(key); err != nil {
				t.Fatal(err)
			}
			records := must(connection.Read(ctx, key))(t)
			found, ok := inspector.Rules(nil).Inspect(records[0], time.Now())
			if !ok || found.Scheme != scheme || len(found.Holders) != 1 {
				t.Fatalf("%s: %+v is not recognised: %+v", key, records[0], found)
			}
			request.Lock, request.Owner = found, found.Holders[0].Owner
			if out := o.Do(ctx, request); !out.Result.Done() {
				t.Errorf("%s: %s", key, out.Sentence(request))
			}
			client.Del(ctx, key)
			if out := o.Do(ctx, request); out.Result != ResultGone {
				t.Errorf("%s, gone: %s", key, out.Sentence(request))
			}
		}
	}
}
