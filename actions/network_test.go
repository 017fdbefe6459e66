package actions

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// beforeSending runs before each pipeline that a client sends, with the names of its commands.
type beforeSending func(names []string)

func (beforeSending) DialHook(next redis.DialHook) redis.DialHook { return next }

func (beforeSending) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (h beforeSending) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		names := make([]string, len(cmds))
		for i, cmd := range cmds {
			names[i] = cmd.Name()
		}
		h(names)
		return next(ctx, cmds)
	}
}

// asks and acts say whether a pipeline asks for the facts, or may change something.
func asks(names []string) bool { return names[0] == "pttl" }

func acts(names []string) bool {
	last := names[len(names)-1]
	return names[0] == "evalsha" || last == "exec" || last == "delex"
}

// farServer is a server behind a link, with the lock on it.
type farServer struct {
	link    *redistest.Link
	client  *redis.Client // over the link
	request Request
	pause   func()
	resume  func()
	has     func() bool // whether the lock is there
	begin   func(names []string)
}

// farServers are one for each way to act: by script, by WATCH, and by a command that compares.
func farServers(t *testing.T) map[string]*farServer {
	t.Helper()
	all := map[string]*farServer{}
	over := func(s *redistest.Server) *farServer {
		f := &farServer{link: redistest.NewLink(t, s)}
		f.client = redis.NewClient(&redis.Options{
			Addr: f.link.Addr, MaxRetries: -1, DialerRetries: 1, PoolSize: 1, ReadTimeout: time.Second, ContextTimeoutEnabled: true, DisableIdentity: true,
		})
		t.Cleanup(func() { _ = f.client.Close() })
		f.client.AddHook(beforeSending(func(names []string) {
			if f.begin != nil {
				f.begin(names)
			}
		}))
		return f
	}
	for _, way := range []string{byScript{}.name(), byWatch{}.name()} {
		s := redistest.Start(t)
		f := over(s)
		admin := s.Client()
		f.has = func() bool { return admin.Exists(context.WithoutCancel(t.Context()), "lock").Val() == 1 }
		f.pause, f.resume = s.Pause, s.Resume
		admin.ScriptLoad(t.Context(), act.text)
		f.request = seeded(t, admin, inspector.SchemeToken, Request{Verb: VerbRelease})
		all[way] = f
	}
	m, _, see := comparingServer(t, "DELEX", "IFEQ")
	f := over(&redistest.Server{Addr: m.Addr()})
	_ = m.Set("lock", "A")
	m.SetTTL("lock", time.Minute)
	f.has = func() bool { return m.Exists("lock") }
	f.request = Request{Verb: VerbRelease, Owner: "A", Lock: see(inspector.SchemeToken, "lock")}
	all[byCompare{}.name()] = f
	return all
}

// fault is what happens to a connection.
type fault struct {
	name  string
	begin func(f *farServer)
	// does: what was sent has arrived at once, and has been done.
	does bool
	// late: what was sent arrives when the fault is over.
	late bool
}

// whenDone runs once the server has done what it was sent, or should have.
func whenDone(f *farServer, then func()) {
	for deadline := time.Now().Add(10 * time.Second); f.has() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	then()
}

func faults(running *sync.WaitGroup) []fault {
	lost := func(then func(*farServer)) func(*farServer) {
		return func(f *farServer) {
			f.link.Stall(redistest.FromServer)
			running.Go(func() { whenDone(f, func() { then(f) }) })
		}
	}
	return []fault{
		{name: "cut before it is sent", begin: func(f *farServer) { f.link.Cut() }},
		{name: "reset before it is sent", begin: func(f *farServer) { f.link.Reset() }},
		{name: "cut before the answer", begin: lost(func(f *farServer) { f.link.Cut() }), does: true},
		{name: "reset before the answer", begin: lost(func(f *farServer) { f.link.Reset() }), does: true},
		{name: "the answer cut short", begin: func(f *farServer) { f.link.Truncate(2) }, does: true},
		{name: "no answer", begin: func(f *farServer) { f.link.Stall(redistest.FromServer) }, does: true},
		{name: "it does not arrive", begin: func(f *farServer) { f.link.Stall(redistest.ToServer) }, late: true},
		{name: "the server hangs", begin: func(f *farServer) { f.pause() }, late: true},
	}
}

// TestNetworkFails has the network fail when an action is sent. What is said is compared with what was done: an action may be
// unknown, and never done that is not, nor failed that was done.
func TestNetworkFails(t *testing.T) {
	t.Parallel()
	var running sync.WaitGroup
	for _, fault := range faults(&running) {
		for way, f := range farServers(t) {
			if way == (byCompare{}).name() && fault.name == "the server hangs" {
				continue // it is a part of the test, which would hang too
			}
			t.Run(fault.name+"/"+way, func(t *testing.T) {
				f.client.Ping(t.Context()) // the connection is there already
				began := false
				f.begin = func(names []string) {
					if !began && acts(names) && (way == byScript{}.name()) == (names[0] == "evalsha") {
						began = true
						fault.begin(f)
					}
				}
				o := NewOperator(OneServer(f.client), Options{})
				o.scriptsDenied.Store(way != byScript{}.name())
				out := o.Do(t.Context(), f.request)
				running.Wait()
				switch has := f.has(); {
				case !began:
					t.Fatalf("the fault did not happen: %+v", out)
				case fault.does && (has || out.Result != ResultUnknown):
					t.Errorf("there still %v: %+v", has, out)
				case out.Result == ResultFailed && !has, out.Result.Done() && has:
					t.Errorf("there still %v: %+v", has, out)
				case !out.Result.Done() && out.Result != ResultUnknown && out.Result != ResultFailed:
					t.Errorf("%+v", out)
				case out.Result == ResultUnknown && !strings.Contains(out.Sentence(f.request), "look again"):
					t.Error(out.Sentence(f.request))
				}
				f.link.Heal()
				if f.resume != nil {
					f.resume()
				}
				if fault.late {
					if out.Result != ResultUnknown {
						t.Errorf("it may arrive still: %+v", out)
					}
					redistest.Eventually(t, 5*time.Second, func() (bool, string) { return !f.has(), "it has not arrived" })
				}
			})
		}
	}
}

// TestNetworkFailsBefore has the network fail while an action only asks, or a dry run does: nothing was done, and that is said.
func TestNetworkFailsBefore(t *testing.T) {
	t.Parallel()
	var running sync.WaitGroup
	for _, fault := range faults(&running) {
		if strings.HasSuffix(fault.name, "before the answer") {
			continue // a question changes nothing to wait for
		}
		for way, f := range farServers(t) {
			if f.pause == nil && fault.name == "the server hangs" {
				continue
			}
			t.Run(fault.name+"/"+way, func(t *testing.T) {
				f.client.Ping(t.Context())
				began := false
				f.begin = func(names []string) {
					if !began && asks(names) {
						began = true
						fault.begin(f)
					}
				}
				o := NewOperator(OneServer(f.client), Options{})
				o.scriptsDenied.Store(true)
				r := f.request
				r.DryRun = way == byScript{}.name()
				out := o.Do(t.Context(), r)
				f.link.Heal()
				if f.resume != nil {
					f.resume()
				}
				reset := strings.HasPrefix(fault.name, "reset") // it may be asked on a new connection
				sound := out.Result == ResultFailed && strings.Contains(out.Detail, "nothing was done") && f.has()
				again := reset && out.Result.Done() != f.has()
				if !began || !sound && !again {
					t.Errorf("began %v, there still %v: %s", began, f.has(), out.Sentence(r))
				}
			})
		}
	}
}
