package actions

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// seeded makes a lock and the request that acts on it.
func seeded(t *testing.T, client *redis.Client, scheme inspector.Scheme, r Request) Request {
	t.Helper()
	if err := seeds[scheme](t.Context(), client, "lock"); err != nil {
		t.Fatal(err)
	}
	r.Owner, r.Lock = ownerA(scheme), observe(t.Context(), t, client, scheme, "lock")
	return r
}

func asUser(name string) func(*redis.Options) {
	return func(o *redis.Options) { o.Username, o.Password = name, "x" }
}

func TestScriptFlush(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	o := NewOperator(OneServer(client), Options{})
	for range 3 {
		for scheme := range seeds {
			for name, request := range verbRequests(scheme) {
				server.Do("SCRIPT", "FLUSH")
				if out := o.Do(t.Context(), seeded(t, client, scheme, request)); !out.Result.Done() {
					t.Errorf("%s %s: %+v", scheme, name, out)
				}
				client.Del(t.Context(), "lock")
			}
		}
	}
	if o.scriptsDenied.Load() {
		t.Error("a flush was taken for a denial")
	}
}

// TestDeniedScripts acts as users who may not run scripts, and wants the same done by other means.
func TestDeniedScripts(t *testing.T) {
	server := redistest.Start(t, "--rename-command", "EVALSHA", "")
	admin := server.Client()
	server.Do("ACL", "SETUSER", "noeval", "on", ">x", "~*", "&*", "+@all", "-eval", "-evalsha")
	for name, client := range map[string]*redis.Client{"ACL": server.Client(asUser("noeval")), "unknown command": admin} {
		o := NewOperator(OneServer(client), Options{})
		for scheme := range seeds {
			for verb, request := range verbRequests(scheme) {
				if out := o.Do(t.Context(), seeded(t, admin, scheme, request)); !out.Result.Done() {
					t.Errorf("%s: %s %s: %+v", name, scheme, verb, out)
				}
				admin.Del(t.Context(), "lock")
			}
		}
		if !o.scriptsDenied.Load() {
			t.Errorf("%s: the denial was not noticed", name)
		}
	}
}

func TestDeniedByACL(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client()
	compares := "" // else a server that knows them acts by these
	for _, name := range []string{"delex", "delifeq"} {
		if known := server.Do("COMMAND", "INFO", name).([]any); known[0] != nil {
			compares += " -" + name
		}
	}
	release, extend := Request{Verb: VerbRelease}, Request{Verb: VerbExtend, TTL: time.Hour}
	token := func(user string) string {
		return " +pttl +type +strlen +getrange +pexpiretime +del; and unless it has all keys: ACL SETUSER " + user + " ~lock"
	}
	redisson := func(user string) string {
		return " +pttl +type +hget +hlen +pexpiretime +lindex +hscan +publish +del; and unless it has all keys: ACL SETUSER " + user +
			" ~lock ~redisson_lock_queue:{lock} ~redisson_lock_timeout:{lock}; and unless it has all channels: ACL SETUSER " + user +
			" &redisson_lock__channel:{lock}"
	}
	for _, test := range []struct {
		name, rules string
		scheme      inspector.Scheme
		request     Request
		then        string // what the mend says after the commands of the way
	}{
		{"nokey", "~other &* +@all", inspector.SchemeToken, release, token("nokey")},
		{"nochan", "~* resetchannels +@all", inspector.SchemeRedisson, release, redisson("nochan")},
		{"noqueue", "~lock &* +@all", inspector.SchemeRedisson, release, redisson("noqueue")},
		{"nodel", "~* &* +@all -del", inspector.SchemeToken, release, token("nodel")},
		{"nopexpire", "~* &* +@all -pexpire", inspector.SchemeReentrant, extend, " +pttl +type +hget +hlen +pexpiretime +hscan +pexpire; and unless it has all keys: ACL SETUSER nopexpire ~lock"},
		{"notype", "~* &* +@all -type", inspector.SchemeToken, release, token("notype")},
		{"nowatch", "~* &* +@all -watch -eval -evalsha" + compares, inspector.SchemeToken, release, token("nowatch")},
		{"noexec", "~* &* +@all -exec -eval -evalsha" + compares, inspector.SchemeToken, release, token("noexec")},
		{"nomulti", "~* &* +@all -multi -eval -evalsha" + compares, inspector.SchemeToken, release, token("nomulti")},
		{"looks", "%R~* resetchannels -@all +@read", inspector.SchemeRedisson, release, redisson("looks")},
	} {
		server.Do(append([]any{"ACL", "SETUSER", test.name, "on", ">x"}, fields(test.rules)...)...)
		client := server.Client(asUser(test.name))
		for _, watch := range []bool{false, true} {
			o := NewOperator(OneServer(client), Options{})
			o.scriptsDenied.Store(watch)
			want := "mend: ACL SETUSER " + test.name + " +eval +evalsha" + test.then
			if watch || strings.Contains(test.rules, "-eval") || strings.Contains(test.rules, "-@all") {
				want = "mend: ACL SETUSER " + test.name + " +watch +unwatch +multi +exec" + test.then
			}
			r := seeded(t, admin, test.scheme, test.request)
			before := dump(t.Context(), t, admin, "lock")
			out := o.Do(t.Context(), r)
			if out.Result != ResultDenied || out.Err == nil || out.Detail != want {
				t.Errorf("%s, watch %v: %s %q (%v), want the mend %q", test.name, watch, out.Result, out.Detail, out.Err, want)
			}
			if after := dump(t.Context(), t, admin, "lock"); after != before {
				t.Errorf("%s, watch %v: the key was changed to %q", test.name, watch, after)
			}
			admin.Del(t.Context(), "lock")
		}
	}
}

// TestDryRunTriesRights wants a dry run to end as the action would, or to say that nobody knows.
func TestDryRunTriesRights(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client()
	for rules, want := range map[string]string{
		"~* &* +@all":                  "dry run, nothing was done: would release lock from A",
		"~* &* +@all -del":             "lock was not released: denied by ACL: mend: ACL SETUSER somebody +eval",
		"%R~* &* +@all":                "lock was not released: denied by ACL: mend: ACL SETUSER somebody +eval",
		"~* &* +@all -eval":            "dry run, nothing was done: would release lock from A",
		"~* &* +@all -eval -exec":      "lock was not released: denied by ACL: mend: ACL SETUSER somebody +watch",
		"%R~* -@all +@read +info -acl": "dry run, nothing was done: would release lock from A; rights were not tried",
		"~* &* +@all -info -acl":       "dry run, nothing was done: would release lock from A; whether the server is a replica was not tried",
		"~* &* +@all -acl -eval":       "dry run, nothing was done: would release lock from A; rights were not tried",
		"~* &* +@all -acl -del":        "lock was not released: denied by ACL: mend: ACL SETUSER somebody +eval",
		"%R~* &* +@all -acl":           "lock was not released: denied by ACL: mend: ACL SETUSER somebody +eval",
	} {
		server.Do(append([]any{"ACL", "SETUSER", "somebody", "reset", "on", ">x"}, fields(rules)...)...)
		r := seeded(t, admin, inspector.SchemeToken, Request{Verb: VerbRelease, DryRun: true})
		out := NewOperator(OneServer(server.Client(asUser("somebody"))), Options{}).Do(t.Context(), r)
		if said := out.Sentence(r); !strings.HasPrefix(said, want) || strings.Contains(said, "tried") != strings.Contains(want, "tried") {
			t.Errorf("%s: %q, want %q", rules, said, want)
		}
		if admin.Exists(t.Context(), "lock").Val() != 1 {
			t.Errorf("%s: the lock is gone", rules)
		}
		admin.Del(t.Context(), "lock")
	}
}

// TestOneMendIsEnough does once what a denied action asks for: the action is done then, by script and by WATCH.
func TestOneMendIsEnough(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client()
	for _, rules := range []string{"%R~* resetchannels -@all +@read", "~* &* +@all -del", "~* &* +@all -exec -eval", "~* resetchannels +@all", "~other &* +@all"} {
		for _, v := range variants() {
			for _, watch := range []bool{false, true} {
				server.Do(append([]any{"ACL", "SETUSER", "somebody", "reset", "on", ">x"}, fields(rules)...)...)
				o := NewOperator(OneServer(server.Client(asUser("somebody"))), Options{})
				o.scriptsDenied.Store(watch)
				r := v.seeded(t, admin, Request{Verb: VerbRelease})
				out := o.Do(t.Context(), r)
				if out.Result == ResultDenied {
					for line := range strings.SplitSeq(strings.TrimPrefix(out.Detail, "mend: "), "; ") {
						_, rule, _ := strings.Cut(line, "ACL ")
						if err := admin.Do(t.Context(), fields("ACL "+rule)...).Err(); err != nil && !strings.Contains(err.Error(), "does not have any effect") {
							t.Errorf("%s: %s: %v", rules, line, err)
						}
					}
					out = o.Do(t.Context(), r)
				}
				if !out.Result.Done() {
					t.Errorf("%s, %s, watch %v: %s %q", rules, v.name, watch, out.Result, out.Detail)
				}
				admin.FlushAll(t.Context())
			}
		}
	}
}

func fields(s string) []any {
	var all []any
	for field := range strings.FieldsSeq(s) {
		all = append(all, field)
	}
	return all
}

// TestLeastPrivilege acts with nothing but the keys and the commands that the mend names.
func TestLeastPrivilege(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client()
	for _, v := range variants() {
		for name, request := range verbRequests(v.scheme) {
			r := v.seeded(t, admin, request)
			p, err := makePlan(r, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			rules := []any{"ACL", "SETUSER", "least", "reset", "on", ">x", "&redisson_lock__channel:*", "-@all"}
			for _, key := range p.keys {
				rules = append(rules, "~"+keyspace.Escape(key))
			}
			for _, way := range []executor{byScript{}, byWatch{}} {
				r := v.seeded(t, admin, request)
				all := slices.Concat(way.rules(), p.commandRules())
				server.Do(slices.Concat(rules, fields(strings.Join(all, " ")))...)
				if out := NewOperator(OneServer(server.Client(asUser("least"))), Options{}).Do(t.Context(), r); !out.Result.Done() {
					t.Errorf("%s %s with %v: %+v", v.name, name, all, out)
				}
				admin.FlushAll(t.Context())
			}
		}
	}
}

func TestReplica(t *testing.T) {
	master, replica := redistest.Start(t, "--repl-diskless-sync-delay", "0"), redistest.Start(t)
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	replica.Do("REPLICAOF", host, port)
	r := seeded(t, master.Client(), inspector.SchemeToken, Request{Verb: VerbRelease})
	client := replica.Client()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		value := client.Get(t.Context(), "lock").Val()
		return value == "A", "the replica has " + value
	})
	for _, watch := range []bool{false, true} {
		o := NewOperator(OneServer(client), Options{})
		o.scriptsDenied.Store(watch)
		for _, r.DryRun = range []bool{true, false} {
			if out := o.Do(t.Context(), r); out.Result != ResultReplica || !out.Result.Refused() {
				t.Errorf("watch %v, dry run %v: %+v", watch, r.DryRun, out)
			}
		}
	}
}

func TestNothingSent(t *testing.T) {
	server := redistest.Start(t)
	r := seeded(t, server.Client(), inspector.SchemeToken, Request{Verb: VerbRelease})
	client := server.Client()
	closed := server.Client()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if out := NewOperator(OneServer(client), Options{}).Do(over, r); out.Result != ResultFailed || !errors.Is(out.Err, context.Canceled) {
		t.Errorf("with a context that is over: %+v", out)
	}
	if out := NewOperator(OneServer(closed), Options{}).Do(t.Context(), r); out.Result != ResultFailed || !errors.Is(out.Err, redis.ErrClosed) {
		t.Errorf("with a closed client: %+v", out)
	}
	other := server.Client(func(o *redis.Options) { o.DB = 1 })
	if out := NewOperator(OneServer(other), Options{}).Do(t.Context(), r); out.Result != ResultFailed || !strings.Contains(out.Detail, "database 0") {
		t.Errorf("on another database: %+v", out)
	}
	server.Kill()
	for _, watch := range []bool{false, true} {
		o := NewOperator(OneServer(client), Options{})
		o.scriptsDenied.Store(watch)
		if out := o.Do(t.Context(), r); out.Result != ResultFailed || !strings.Contains(out.Detail, "nothing was done") {
			t.Errorf("where no server listens, watch %v: %+v", watch, out)
		}
	}
}

// TestMends makes servers refuse for other reasons, and wants to be told what helps.
func TestMends(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	o := NewOperator(OneServer(client), Options{})
	r := seeded(t, client, inspector.SchemeReentrant, Request{Verb: VerbRelease, Entries: 1})
	server.Do("CONFIG", "SET", "maxmemory", "1")
	if out := o.Do(t.Context(), r); out.Result != ResultFailed || !strings.Contains(out.Detail, "raise maxmemory") {
		t.Errorf("out of memory: %+v", out)
	}
	r.Entries = 0
	if out := o.Do(t.Context(), r); out.Result != ResultReleased {
		t.Errorf("a release of all needs no memory: %+v", out)
	}
	server.Do("CONFIG", "SET", "maxmemory", "0")
	r = seeded(t, client, inspector.SchemeToken, Request{Verb: VerbRelease})
	server.Do("CONFIG", "SET", "min-replicas-to-write", "1")
	if out := o.Do(t.Context(), r); out.Result != ResultFailed || !strings.Contains(out.Detail, "min-replicas-to-write") {
		t.Errorf("too few replicas: %+v", out)
	}
	server.Do("CONFIG", "SET", "min-replicas-to-write", "0")
	server.Do("ACL", "SETUSER", "gone", "on", ">y", "~*", "+@all")
	if out := NewOperator(OneServer(server.Client(asUser("gone"))), Options{}).Do(t.Context(), r); out.Result != ResultFailed || !strings.Contains(out.Detail, "password") {
		t.Errorf("a wrong password: %+v", out)
	}
}

// TestWatchRetries writes the key between WATCH and EXEC, without changing what is compared.
func TestWatchRetries(t *testing.T) {
	server := redistest.Start(t)
	admin, client := server.Client(), server.Client()
	r := seeded(t, admin, inspector.SchemeToken, Request{Verb: VerbRelease})
	meddler := &betweenHook{t: t, meddle: func() { admin.Set(t.Context(), "lock", "A", redis.KeepTTL) }, times: 3}
	client.AddHook(meddler)
	o := NewOperator(OneServer(client), Options{})
	o.scriptsDenied.Store(true)
	if out := o.Do(t.Context(), r); out.Result != ResultReleased || meddler.times != 0 {
		t.Errorf("written three times: %+v, %d left", out, meddler.times)
	}
	r = seeded(t, admin, inspector.SchemeToken, Request{Verb: VerbRelease})
	meddler.times = 1000
	if out := o.Do(t.Context(), r); out.Result != ResultFailed || !errors.Is(out.Err, errBusyKey) || admin.Get(t.Context(), "lock").Val() != "A" {
		t.Errorf("written without end: %+v", out)
	}
	meddler.times, meddler.meddle = 1, func() { admin.Set(t.Context(), "lock", "B", redis.KeepTTL) }
	if out := o.Do(t.Context(), r); out.Result != ResultNotHolder || out.Holder != "B" || admin.Get(t.Context(), "lock").Val() != "B" {
		t.Errorf("taken over: %+v", out)
	}
}

// betweenHook meddles right before a transaction is sent.
type betweenHook struct {
	t      *testing.T
	meddle func()
	times  int
}

func (h *betweenHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *betweenHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (h *betweenHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if cmds[len(cmds)-1].Name() == "exec" && h.times > 0 {
			h.times--
			h.meddle()
		}
		return next(ctx, cmds)
	}
}
