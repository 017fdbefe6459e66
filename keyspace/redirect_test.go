package keyspace_test

import (
	"errors"
	"fmt"
	"testing"

	"locktop/keyspace"
)

// saidByServer is an error as the client library hands a server's on.
type saidByServer string

func (s saidByServer) Error() string { return string(s) }
func (saidByServer) RedisError()     {}

func TestRedirections(t *testing.T) {
	for said, want := range map[string]keyspace.Redirection{
		"MOVED 1 10.0.0.1:6380":      {Addr: "10.0.0.1:6380"},
		"ASK 1 :6380":                {Addr: "127.0.0.1:6380", Asking: true},
		"MOVED 1 ?:6380":             {Addr: "127.0.0.1:6380"},
		"MOVED 1 ::1:6380":           {Addr: "[::1]:6380"},
		"MOVED 1 [::1]:6380":         {Addr: "[::1]:6380"},
		"MOVED 1 redis.example:6380": {Addr: "redis.example:6380"},
	} {
		to, is := keyspace.RedirectionOf(fmt.Errorf("type: %w", saidByServer(said)))
		to.Addr = keyspace.Resolve(to.Addr, "127.0.0.1:6379")
		if !is || to != want {
			t.Errorf("%s: %v, %+v", said, is, to)
		}
	}
	for _, other := range []error{nil, errors.New("MOVED 1 10.0.0.1:6380"), saidByServer("MOVED"), saidByServer("ERR MOVED 1 a:1")} {
		if to, is := keyspace.RedirectionOf(other); is {
			t.Errorf("%v sends to %+v", other, to)
		}
	}
	if got := keyspace.Resolve(":6380", "/run/redis.sock"); got != "127.0.0.1:6380" {
		t.Errorf("behind a socket: %s", got)
	}
}
