package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"locktop/keyspace/redistest"
	"locktop/ui/text"
)

// TestMain makes the test binary be locktop where a script calls it.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); name != "locktop" && name != "exits" {
		redistest.ManyAtOnce()
	}
	testscript.Main(m, map[string]func(){
		"locktop": func() { os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"exits":   exits,
	})
}

// TestScripts runs testdata/script/*.txtar: the program as it is called from a shell, on real servers. The scripts have
// these commands of their own:
//
//	server [option...]       start a redis-server; $HOST, $PORT, $ADDR and $SOCKET are where it is
//	tlsserver                the same behind TLS; $CA is its authority's certificate, $CERT and $KEY are a client's
//	cluster                  start three masters with a replica each; the server is one of the replicas
//	sentinel                 start a master with a replica and three sentinels; $MASTER is its name, $SENTINEL where a sentinel is
//	masters                  start five independent masters; $M1 to $M5 are where they are, the server is the first
//	at N command...          one command on the Nth of those servers; "at N kill" kills it
//	subscribed               wait until a locktop listens to the server's notifications
//	enabled                  wait until notify-keyspace-events has the letters that locktop needs
//	busy key                 from now on the key is set and deleted again and again
//	redis command...         one command on it; its answer is the output
//	[!] json path [pattern]  the value at a path (a.0.b) of the last line of the output matches; ! it is not there
//	pick N [I...]            the Nth lock of the last line of the output goes to lock.json, as jq writes it, with these holders only
//	plain                    the output has nothing that a terminal would obey
//	oneline                  the standard error is one line
//	exec exits CODE program  the program ends with this code
func TestScripts(t *testing.T) {
	redistest.Require(t, "redis-server")
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := &scripted{tb: t}
			testscript.Run(t, testscript.Params{
				Files:               []string{file},
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
					env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
					env.Setenv("TERM", "tmux-256color") // what a dashboard asks of an unknown terminal takes seconds
					env.Setenv("CI", "1")
					for name, in := range map[string]time.Duration{"IN5MIN": 5 * time.Minute, "IN6MIN": 6 * time.Minute} { // as locks state their ends
						env.Setenv(name, strconv.FormatInt(time.Now().Add(in).UnixMilli(), 10))
					}
					env.Setenv("GORACE", "atexit_sleep_ms=0") // a program built for the race detector sleeps a second at its end
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"server": s.server, "cluster": s.cluster, "sentinel": s.sentinel, "masters": s.masters, "at": s.at, "tlsserver": s.tlsServer, "subscribed": s.subscribed, "enabled": s.enabled, "busy": s.busy, "client": s.client, "redis": s.redis, "json": jsonAt, "pick": pickLock, "plain": plainOutput, "oneline": oneLineOfError,
				},
			})
		})
	}
}

// scripted is the server of one script.
type scripted struct {
	tb      testing.TB
	running *redistest.Server
	several []*redistest.Server
	formed  *redistest.Cluster
	reads   string // what the server said of how often strings were read, when it was last asked
}

func (s *scripted) server(ts *testscript.TestScript, _ bool, args []string) {
	s.running = redistest.Start(s.tb, args...)
	s.where(ts, s.running.Addr)
}

func (s *scripted) cluster(ts *testscript.TestScript, _ bool, _ []string) {
	s.formed = redistest.StartCluster(s.tb, 3, 1)
	s.several = s.formed.Masters()
	s.running = s.formed.Replicas()[0]
	s.where(ts, s.running.Addr)
}

func (s *scripted) sentinel(ts *testscript.TestScript, _ bool, _ []string) {
	set := redistest.StartSentinel(s.tb)
	s.running = set.Master()
	s.where(ts, s.running.Addr)
	host, port, err := net.SplitHostPort(set.Sentinels[0].Addr)
	ts.Check(err)
	for name, value := range map[string]string{"MASTER": set.Name, "SENTINELHOST": host, "SENTINELPORT": port} {
		ts.Setenv(name, value)
	}
	_, port, err = net.SplitHostPort(set.Replica().Addr)
	ts.Check(err)
	ts.Setenv("REPLICAPORT", port)
}

func (s *scripted) masters(ts *testscript.TestScript, _ bool, _ []string) {
	s.several = redistest.StartMasters(s.tb, 5)
	s.running = s.several[0]
	s.where(ts, s.running.Addr)
	urls := make([]string, len(s.several))
	for i, m := range s.several {
		ts.Setenv(fmt.Sprint("M", i+1), m.Addr)
		urls[i] = "redis://" + m.Addr
	}
	ts.Setenv("LOCKTOP_URL", strings.Join(urls, " "))
}

func (s *scripted) at(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if args[1] == "kill" {
		s.several[n-1].Kill()
		return
	}
	before := s.running
	defer func() { s.running = before }()
	s.running = s.several[n-1]
	s.redis(ts, false, args[1:])
}

func (s *scripted) where(ts *testscript.TestScript, addr string) {
	host, port, err := net.SplitHostPort(addr)
	ts.Check(err)
	for name, value := range map[string]string{"HOST": host, "PORT": port, "ADDR": addr, "SOCKET": s.running.Socket} {
		ts.Setenv(name, value)
	}
}

func (s *scripted) tlsServer(ts *testscript.TestScript, _ bool, _ []string) {
	secure := redistest.StartTLS(s.tb, "--tls-auth-clients", "optional")
	s.running = secure.Server
	s.where(ts, secure.Addr)
	for name, file := range map[string]string{"CA": secure.CA, "CERT": secure.ClientCert, "KEY": secure.ClientKey} {
		ts.Setenv(name, file)
	}
}

// subscribed waits until the program listens, and has read the strings that are there since the last time that it did.
func (s *scripted) subscribed(*testscript.TestScript, bool, []string) {
	redistest.Eventually(s.tb, 10*time.Second, func() (bool, string) {
		clients := fmt.Sprint(s.running.Do("CLIENT", "LIST"))
		reads := stringReads.FindString(fmt.Sprint(s.running.Do("INFO", "commandstats")))
		if !listening.MatchString(clients) || reads == s.reads {
			return false, clients + reads
		}
		s.reads = reads
		return true, ""
	})
}

var (
	listening   = regexp.MustCompile(`name=locktop.* psub=[1-9]`)     // a client of ours with a subscription, in CLIENT LIST
	stringReads = regexp.MustCompile(`cmdstat_getrange:calls=[0-9]+`) // in INFO commandstats
)

func (s *scripted) enabled(*testscript.TestScript, bool, []string) {
	redistest.Eventually(s.tb, 10*time.Second, func() (bool, string) {
		flags := fmt.Sprint(s.running.Do("CONFIG", "GET", "notify-keyspace-events"))
		return strings.Contains(flags, "h"), flags
	})
}

func (s *scripted) busy(ts *testscript.TestScript, _ bool, args []string) {
	ctx, stop := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() {
		every := time.NewTicker(50 * time.Millisecond) // what comes and goes at once is gone before it is read
		defer every.Stop()
		for ctx.Err() == nil {
			s.running.Do("SET", args[0], "worker", "PX", 60000)
			<-every.C
			s.running.Do("DEL", args[0])
			<-every.C
		}
	})
	ts.Defer(func() {
		stop()
		working.Wait()
	})
}

func (s *scripted) redis(ts *testscript.TestScript, _ bool, args []string) {
	values := make([]any, len(args))
	for i, arg := range args {
		value, err := text.Unescape(arg) // binary keys
		ts.Check(err)
		values[i] = value
	}
	if s.formed != nil { // where the key is
		fmt.Fprintln(ts.Stdout(), s.formed.Do(args[1], values...))
		return
	}
	fmt.Fprintln(ts.Stdout(), s.running.Do(values...))
}

// exits runs a program and ends well if it ends with the code that is asked for. An interrupt is passed on.
func exits() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	err := cmd.Start()
	if err == nil {
		go func() {
			for s := range interrupts {
				_ = cmd.Process.Signal(s) // it may have ended by itself
			}
		}()
		err = cmd.Wait()
	}
	if code := cmd.ProcessState.ExitCode(); strconv.Itoa(code) != os.Args[1] {
		fmt.Fprintf(os.Stderr, "exits: the code is %d (%v), not %s\n", code, err, os.Args[1])
		os.Exit(1)
	}
}

// jsonAt looks at the last line of the output.
func jsonAt(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: json path [pattern]")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	var value any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &value); err != nil {
		ts.Fatalf("%q is no JSON: %v", lines[len(lines)-1], err)
	}
	got, found := walk(value, strings.Split(args[0], "."))
	switch {
	case neg && len(args) == 1:
		if found {
			ts.Fatalf("%s is %v, and should not be there", args[0], got)
		}
	case !found:
		ts.Fatalf("%s is not there", args[0])
	case len(args) == 2:
		if regexp.MustCompile("^(?:"+args[1]+")$").MatchString(fmt.Sprint(got)) == neg {
			ts.Fatalf("%s is %v", args[0], got)
		}
	}
}

// pickLock does what a script of the shell does with jq -c '.locks[N]'.
func pickLock(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	var s struct{ Locks []map[string]any }
	ts.Check(json.Unmarshal([]byte(lines[len(lines)-1]), &s))
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if n >= len(s.Locks) {
		ts.Fatalf("there are %d locks", len(s.Locks))
	}
	holders := s.Locks[n]["holders"].([]any)
	var kept []any
	for _, arg := range args[1:] {
		i, err := strconv.Atoi(arg)
		ts.Check(err)
		kept = append(kept, holders[i])
	}
	if kept != nil {
		s.Locks[n]["holders"] = kept
	}
	object, err := json.Marshal(s.Locks[n])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("lock.json"), append(object, '\n'), 0o600))
}

func walk(value any, path []string) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	switch at := value.(type) {
	case map[string]any:
		next, ok := at[path[0]]
		if !ok {
			return nil, false
		}
		return walk(next, path[1:])
	case []any:
		if path[0] == "len" {
			return len(at), true
		}
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(at) {
			return nil, false
		}
		return walk(at[i], path[1:])
	}
	return nil, false
}

// plainOutput looks at all of the output.
func plainOutput(ts *testscript.TestScript, _ bool, _ []string) {
	for _, name := range []string{"stdout", "stderr"} {
		for line := range strings.Lines(ts.ReadFile(name)) {
			if !text.Printable(strings.TrimSuffix(line, "\n")) {
				ts.Fatalf("%s holds what a terminal would obey: %q", name, line)
			}
		}
	}
}

// oneLineOfError counts.
func oneLineOfError(ts *testscript.TestScript, _ bool, _ []string) {
	if said := ts.ReadFile("stderr"); strings.Count(said, "\n") != 1 {
		ts.Fatalf("the standard error is not one line: %q", said)
	}
}
