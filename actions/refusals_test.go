package actions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// refusing is a server that refuses what acts for a while, with what is said of that.
type refusing struct {
	name  string
	start func(t *testing.T) (server *redistest.Server, client *redis.Client)
	// refuse makes the server refuse, and returns how that ends.
	refuse func(t *testing.T, server *redistest.Server) (end func())
	said   string
}

var refusals = []refusing{
	{
		name: "BUSY", said: "another script blocks the server",
		start: func(t *testing.T) (*redistest.Server, *redis.Client) {
			return started(t, "--busy-reply-threshold", "1")
		},
		refuse: func(t *testing.T, server *redistest.Server) func() {
			endless := make(chan error)
			client := server.Client(func(o *redis.Options) { o.ReadTimeout = -1 })
			go func() {
				endless <- client.Eval(context.WithoutCancel(t.Context()), "while true do end", nil).Err()
			}()
			until(t, server, "BUSY")
			return func() {
				server.Do("SCRIPT", "KILL")
				if err := <-endless; err == nil || !strings.Contains(err.Error(), "killed") {
					t.Errorf("the endless script: %v", err)
				}
			}
		},
	},
	{
		name: "LOADING", said: "the server is loading its data",
		start: func(t *testing.T) (*redistest.Server, *redis.Client) {
			server, client := started(t, "--enable-debug-command", "yes", "--loading-process-events-interval-bytes", "1024")
			server.Do("DEBUG", "POPULATE", "500", "other", "100")
			return server, client
		},
		refuse: func(t *testing.T, server *redistest.Server) func() {
			server.Do("CONFIG", "SET", "key-load-delay", "5000")
			loaded := make(chan error)
			client := server.Client(func(o *redis.Options) { o.ReadTimeout = -1 })
			go func() { loaded <- client.Do(context.WithoutCancel(t.Context()), "DEBUG", "RELOAD").Err() }()
			until(t, server, "LOADING")
			return func() {
				server.Do("CONFIG", "SET", "key-load-delay", "0")
				if err := <-loaded; err != nil {
					t.Error(err)
				}
			}
		},
	},
	{
		name: "MISCONF", said: "the server refuses writes because it cannot save",
		start: func(t *testing.T) (*redistest.Server, *redis.Client) { return started(t, "--save", "3600 1000000") },
		refuse: func(t *testing.T, server *redistest.Server) func() {
			// Where its file would be there is a directory, which is not empty.
			file := filepath.Join(filepath.Dir(server.Socket), "dump.rdb")
			if err := os.MkdirAll(filepath.Join(file, "within"), 0o700); err != nil {
				t.Fatal(err)
			}
			server.Do("CONFIG", "SET", "stop-writes-on-bgsave-error", "yes")
			server.Do("BGSAVE")
			redistest.Eventually(t, 10*time.Second, func() (bool, string) {
				info := fmt.Sprint(server.Do("INFO", "persistence"))
				return strings.Contains(info, "rdb_last_bgsave_status:err") && strings.Contains(info, "rdb_bgsave_in_progress:0"), info
			})
			return func() { server.Do("CONFIG", "SET", "stop-writes-on-bgsave-error", "no") }
		},
	},
	{
		name: "NOREPLICAS", said: "too few replicas", start: func(t *testing.T) (*redistest.Server, *redis.Client) { return started(t) },
		refuse: func(_ *testing.T, server *redistest.Server) func() {
			server.Do("CONFIG", "SET", "min-replicas-to-write", "1")
			return func() { server.Do("CONFIG", "SET", "min-replicas-to-write", "0") }
		},
	},
	{
		name: "NOAUTH", said: "the server wants a password", start: func(t *testing.T) (*redistest.Server, *redis.Client) { return started(t) },
		refuse: func(t *testing.T, server *redistest.Server) func() {
			admin := server.Client()
			admin.Do(t.Context(), "CONFIG", "SET", "requirepass", "x")
			admin.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
			return func() { admin.Do(context.WithoutCancel(t.Context()), "CONFIG", "SET", "requirepass", "") }
		},
	},
	{
		name: "WRONGPASS", said: "the server does not take this user and password",
		start: func(t *testing.T) (*redistest.Server, *redis.Client) {
			server, _ := started(t)
			server.Do("ACL", "SETUSER", "somebody", "on", ">x", "~*", "&*", "+@all")
			return server, server.Client(asUser("somebody"))
		},
		refuse: func(_ *testing.T, server *redistest.Server) func() {
			server.Do("ACL", "SETUSER", "somebody", "<x", ">y")
			server.Do("CLIENT", "KILL", "USER", "somebody")
			return func() { server.Do("ACL", "SETUSER", "somebody", "<y", ">x") }
		},
	},
}

func started(t *testing.T, args ...string) (*redistest.Server, *redis.Client) {
	server := redistest.Start(t, args...)
	return server, server.Client()
}

// until waits for the server to refuse a write with that word.
func until(t *testing.T, server *redistest.Server, word string) {
	t.Helper()
	client := server.Client()
	redistest.Eventually(t, 20*time.Second, func() (bool, string) {
		err := client.Set(t.Context(), "another", "x", 0).Err()
		return redis.HasErrorPrefix(err, word), fmt.Sprint(err)
	})
}

// TestOutOfMemory has a server without memory refuse what takes some, and do what takes none.
func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	server, client := started(t)
	server.Do("CONFIG", "SET", "maxmemory-policy", "noeviction")
	o := NewOperator(OneServer(client), Options{})
	for _, watch := range []bool{false, true} {
		o.scriptsDenied.Store(watch)
		for scheme, refused := range map[inspector.Scheme]bool{inspector.SchemeTimestamp: true, inspector.SchemeToken: watch} {
			server.Do("CONFIG", "SET", "maxmemory", "0")
			client.Del(t.Context(), "lock")
			r := seeded(t, client, scheme, Request{Verb: VerbExtend, TTL: time.Hour})
			server.Do("CONFIG", "SET", "maxmemory", "1")
			for _, dry := range []bool{true, false} {
				r.DryRun = dry
				out := o.Do(t.Context(), r)
				if said := out.Result == ResultFailed && strings.Contains(out.Detail, "raise maxmemory"); said != refused || !refused && out.Result == ResultFailed {
					t.Errorf("%s, watch %v, dry run %v: %s (%v)", scheme, watch, dry, out.Sentence(r), out.Err)
				}
			}
		}
	}
}

// TestServersRefuse has servers refuse what acts, from the start or from after the questions on: nothing was done, and what helps is said.
// When it is over the same action is done.
func TestServersRefuse(t *testing.T) {
	t.Parallel()
	for _, test := range refusals {
		server, client := test.start(t)
		for _, way := range []executor{byScript{}, byWatch{}} {
			for _, late := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/late %v", test.name, way.name(), late), func(t *testing.T) {
					admin := server.Client()
					admin.ScriptLoad(t.Context(), act.text)
					r := seeded(t, admin, inspector.SchemeToken, Request{Verb: VerbExtend, TTL: time.Hour})
					o := NewOperator(OneServer(client), Options{})
					o.scriptsDenied.Store(way == byWatch{})
					var end func()
					if late {
						client.AddHook(beforeSending(func(names []string) {
							if end == nil && acts(names) {
								end = test.refuse(t, server)
							}
						}))
					} else {
						end = test.refuse(t, server)
						dry := r
						dry.DryRun = true
						if out := o.Do(t.Context(), dry); out.Result != ResultFailed || !strings.Contains(out.Detail, test.said) {
							t.Errorf("the dry run: %s (%v)", out.Sentence(dry), out.Err)
						}
					}
					out := o.Do(t.Context(), r)
					if end == nil {
						t.Fatalf("nothing acted: %+v", out)
					}
					end()
					lost := out.Result == ResultUnknown && late && (test.name == "NOAUTH" || test.name == "WRONGPASS") && way == byWatch{}
					if refused := out.Result == ResultFailed && strings.Contains(out.Detail, test.said); !refused && !lost {
						t.Errorf("%s: %s (%v)", out.Result, out.Sentence(r), out.Err)
					}
					if left := admin.PTTL(t.Context(), "lock").Val(); left > time.Minute {
						t.Errorf("it was done: %v left", left)
					}
					if out := o.Do(t.Context(), r); out.Result != ResultExtended {
						t.Errorf("afterwards: %s (%v)", out.Sentence(r), out.Err)
					}
				})
			}
		}
	}
}
