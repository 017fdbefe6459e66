package keyspace

import (
	"slices"
	"testing"
	"time"
)

// The lines are those of real servers.
func TestClientsAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want Client
	}{
		"redis 6.2": {
			"id=3 addr=127.0.0.1:33020 laddr=127.0.0.1:6379 fd=8 name=worker-7 age=12 idle=3 flags=N db=0 sub=1 psub=2 multi=-1 qbuf=26 qbuf-free=40928 argv-mem=10 obl=0 oll=0 omem=0 tot-mem=61466 events=r cmd=client user=default redir=-1\n",
			Client{ID: 3, Name: "worker-7", Addr: "127.0.0.1:33020", User: "default", Age: 12 * time.Second, Idle: 3 * time.Second, Subscriptions: 3, Command: "client", Flags: "N"},
		},
		"redis 7.4": {
			"id=7 addr=[::1]:51022 laddr=[::1]:6379 fd=9 name= age=0 idle=0 flags=bP db=2 sub=0 psub=0 ssub=4 multi=-1 watch=0 qbuf=0 qbuf-free=20474 argv-mem=8 multi-mem=0 rbs=1024 rbp=0 obl=0 oll=0 omem=0 tot-mem=22426 events=r cmd=BLPOP user=app redir=-1 resp=3 lib-name=go-redis(,go1.26) lib-ver=9.23.0 io-thread=0 tot-net-in=1 tot-net-out=2 tot-cmds=3\n",
			Client{ID: 7, Addr: "[::1]:51022", User: "app", Subscriptions: 4, Library: "go-redis(,go1.26)", LibraryVersion: "9.23.0", Command: "blpop", Flags: "bP"},
		},
		"valkey 8.1": {
			"id=9 addr=/tmp/my sockets/valkey.sock:0 laddr=/tmp/my sockets/valkey.sock:0 fd=10 name=a=b age=5 idle=5 flags=U capa= db=0 sub=0 psub=0 ssub=0 multi=-1 watch=0 events=r cmd=get user=default redir=-1 resp=2 lib-name= lib-ver= tot-net-in=1 tot-net-out=2 tot-cmds=3\n",
			Client{ID: 9, Addr: "/tmp/my", Name: "a=b", User: "default", Age: 5 * time.Second, Idle: 5 * time.Second, Command: "get", Flags: "U"},
		},
		"hostile": {
			"id=4 name=\x1b[2J\xff addr=1.2.3.4:5 name=second id=99 age=-7 idle=99999999999999999999 sub=9223372036854775807 later=x cmd=get\r\n",
			Client{ID: 4, Name: "\x1b[2J\xff", Addr: "1.2.3.4:5", Subscriptions: 1 << 30, Command: "get"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Node = "node"
			if got := parseClients("node", c.line); !slices.Equal(got, []Client{c.want}) {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
		})
	}
	if got := parseClients("node", "id=8 flags=S\nid=2 flags=M\nnonsense\n\nid= flags=N\nid=x\n"); len(got) != 0 {
		t.Errorf("replicas, masters and nonsense are no clients: %+v", got)
	}
	if got := parseClients("node", "id=8 flags=N\nid=2 flags=N"); len(got) != 2 || got[0].ID != 2 {
		t.Errorf("not in the order of the ids: %+v", got)
	}
}

func FuzzClients(f *testing.F) {
	f.Add("id=3 addr=127.0.0.1:33020 name=worker-7 age=12 idle=3 flags=N sub=1 cmd=client\nid=\n")
	f.Fuzz(func(t *testing.T, list string) {
		for _, c := range parseClients("node", list) {
			if c.ID < 0 || c.Age < 0 || c.Idle < 0 || c.Subscriptions < 0 {
				t.Errorf("%+v", c)
			}
		}
	})
}

// A time that no server has is long, and not negative.
func TestSecondsThatAreNonsense(t *testing.T) {
	for _, word := range []string{"9223372036854775807", "99999999999"} {
		if d := infoSeconds(word); d <= 0 {
			t.Errorf("%s seconds are %v", word, d)
		}
	}
}
