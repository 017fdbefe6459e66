package actions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func TestEnableNotifications(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	ctx := t.Context()
	flags := func() string { return client.ConfigGet(ctx, notifyParameter).Val()[notifyParameter] }
	for _, old := range []string{"", "Ex", "KEA", "K$"} {
		server.Do("CONFIG", "SET", notifyParameter, old)
		before := flags()
		restore, got, err := EnableNotifications(ctx, client, redistest.Flags, before)
		if err != nil || got != before || !sameFlags(flags(), redistest.Flags) {
			t.Fatalf("from %q: old %q, now %q, %v", old, got, flags(), err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := restore(context.WithoutCancel(ctx)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if flags() != before {
			t.Errorf("from %q: restored to %q", old, flags())
		}
		server.Do("CONFIG", "SET", notifyParameter, redistest.Flags)
		if err := restore(ctx); err != nil || !sameFlags(flags(), redistest.Flags) {
			t.Errorf("restored a second time: %q, %v", flags(), err)
		}
	}
}

// A server does not show the letter n beside "A": only its events tell whether it is on.
func TestHiddenFlagsAreGivenBack(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	ctx := t.Context()
	events := server.Client().PSubscribe(ctx, "__keyevent@0__:*")
	defer events.Close()
	if _, err := events.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	heardOf := func(key string) (names []string) {
		server.Do("SET", key, "x")
		server.Do("DEL", key)
		for len(names) == 0 || names[len(names)-1] != "del" {
			receiving, cancel := context.WithTimeout(ctx, 10*time.Second)
			m, err := events.ReceiveMessage(receiving)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, strings.TrimPrefix(m.Channel, "__keyevent@0__:"))
		}
		return names
	}
	server.Do("CONFIG", "SET", notifyParameter, "AEn")
	before := heardOf("a")
	if !slices.Contains(before, "new") {
		t.Fatalf("the server tells of new keys by nothing in %q", before)
	}
	connection, err := keyspace.Connect(ctx, keyspace.Options{Network: "unix", Addr: server.Socket})
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	flags, err := connection.Notifications(ctx)
	if err != nil {
		t.Fatal(err)
	}
	restore, _, err := EnableNotifications(ctx, client, flags.New, flags.Restore)
	if err != nil {
		t.Fatal(err)
	}
	if err := restore(ctx); err != nil {
		t.Fatal(err)
	}
	if after := heardOf("b"); !slices.Equal(after, before) {
		t.Errorf("before it was enabled one heard %q, after it was restored %q", before, after)
	}
}

func TestNotificationsOfOthers(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	ctx := t.Context()
	flags := func() string { return client.ConfigGet(ctx, notifyParameter).Val()[notifyParameter] }

	restore, _, err := EnableNotifications(ctx, client, "nexzh$gK", "")
	if err != nil {
		t.Fatal(err)
	}
	server.Do("CONFIG", "SET", notifyParameter, "")
	if err := restore(ctx); err != nil || flags() != "" {
		t.Errorf("nothing was set, so nothing is restored: %q, %v", flags(), err)
	}

	server.Do("CONFIG", "SET", notifyParameter, "Ex")
	restore, _, err = EnableNotifications(ctx, client, "KEx", "")
	if err != nil {
		t.Fatal(err)
	}
	server.Do("CONFIG", "SET", notifyParameter, "KEl")
	if err := restore(ctx); !errors.Is(err, ErrNotificationsChanged) || !sameFlags(flags(), "KEl") {
		t.Errorf("changed by somebody else: %q, %v", flags(), err)
	}
	if err := restore(ctx); err != nil {
		t.Errorf("said twice: %v", err)
	}

	if restore, old, err := EnableNotifications(ctx, client, "K?", ""); err == nil || old == "" || restore(ctx) != nil || !sameFlags(flags(), "KEl") {
		t.Errorf("letters that the server does not know: %q, %v", old, err)
	}
	server.Do("ACL", "SETUSER", "noconfig", "on", ">x", "~*", "+@all", "-config")
	if restore, _, err := EnableNotifications(ctx, server.Client(asUser("noconfig")), "KEA", ""); replyText(err) == "" || restore(ctx) != nil {
		t.Errorf("without CONFIG: %v", err)
	}

	restore, _, err = EnableNotifications(ctx, client, "KEA", "")
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := restore(over); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is over: %v", err)
	}
	if err := restore(ctx); err != nil || !sameFlags(flags(), "KEl") {
		t.Errorf("after it failed: %q, %v", flags(), err)
	}
}

func TestSameFlags(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"Kg$hzxen", "g$hzxeKn", true},
		{"KEA", "AKE", true},
		{"KEAn", "AKE", true},
		{"Kg$lshzxetd", "KA", true},
		{"Kx", "Ex", false},
		{"Kg$hzxen", "g$hzxeK", false},
		{"AKm", "AK", false},
		{"", "K", false},
	} {
		if got := sameFlags(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %v", test.a, test.b, got)
		}
	}
}
