package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// rightsCheck runs "locktop check" on a server with users of its own.
type rightsCheck struct {
	t       *testing.T
	server  *redistest.Server
	pattern []string
}

// report is what the command says to a user.
func (r rightsCheck) report(user ...string) checkJSON {
	r.t.Helper()
	var out, said bytes.Buffer
	args := slices.Concat([]string{"check", "-o", "json", "-s", r.server.Socket}, r.pattern, user)
	var report checkJSON
	if code := Main(r.t.Context(), args, strings.NewReader(""), &out, &said); code != exitDone {
		return checkJSON{Checks: []itemJSON{{Name: "connect", Detail: said.String()}}}
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		r.t.Errorf("%v: %s", err, &out)
	}
	return report
}

// lacks are the names of what is not well.
func (c checkJSON) lacks() []string {
	var names []string
	for _, item := range c.Checks {
		if !item.OK && !slices.Contains(names, item.Name) {
			names = append(names, item.Name)
		}
	}
	return names
}

// words are those of a printed line, which begins with "ACL SETUSER locktop".
func words(line string) []string { return strings.Fields(line)[3:] }

// grants says whether a rule gives something.
func grants(rule string) bool {
	return strings.HasPrefix(rule, "+") || strings.Contains(rule, "~") || strings.HasPrefix(rule, "&")
}

// setUser makes the user whose name is locktop anew, with these rules.
func (r rightsCheck) setUser(rules ...string) { r.set("locktop", rules) }

func (r rightsCheck) set(user string, rules []string) {
	command := []any{"ACL", "SETUSER", user, "reset", "on", ">PASSWORD"}
	for _, rule := range rules {
		command = append(command, rule)
	}
	r.server.Do(command...)
}

// without asks, for each rule that gives something, what a user lacks who has all the others of these and the rest; all at once,
// each for a user of its own.
func (r rightsCheck) without(rules, rest []string, judge func(rule string, lacks []string)) {
	var asking errgroup.Group
	asking.SetLimit(8)
	for i, rule := range rules {
		if !grants(rule) || slices.Contains(rest, rule) {
			continue
		}
		asking.Go(func() error {
			user := fmt.Sprint("locktop-", i)
			r.set(user, slices.Concat(rest, slices.Delete(slices.Clone(rules), i, i+1)))
			judge(rule, r.report("--user", user).lacks())
			return nil
		})
	}
	_ = asking.Wait() // there are no errors but those of the test
}

// TestNoRuleIsMissingOrSuperfluous gives a user exactly the rules that the command prints, and then all of them but one: the command
// says of each that something is lacking, and without a rule less that nothing is.
func TestNoRuleIsMissingOrSuperfluous(t *testing.T) {
	ownState(t)
	t.Setenv("REDISCLI_AUTH", "PASSWORD") // which the default user does not need
	for _, pattern := range [][]string{{"--pattern", "orders:*", "-n", "2"}, {"--pattern", "lock:*", "--pattern", "SEMAPHORE:*", "--pattern", "{*}:time"}} {
		t.Run(strings.Join(pattern, " "), func(t *testing.T) {
			server := redistest.Start(t)
			r := rightsCheck{t, server, pattern}
			printed := r.report()
			look, act := words(printed.Look), words(printed.Act)
			r.setUser(look...)
			lookOnly := r.report("--user", "locktop").lacks()
			for _, name := range lookOnly {
				if !slices.Contains([]string{"eval", "actions"}, name) {
					t.Errorf("an observer lacks %s", name)
				}
			}
			r.without(look, nil, func(rule string, lacks []string) {
				if !more(lacks, lookOnly) {
					t.Errorf("looking without %s lacks %q, as with it", rule, lacks)
				}
			})
			all := slices.Concat(look, act)
			r.setUser(all...)
			if got := r.report("--user", "locktop").lacks(); len(got) > 0 {
				t.Errorf("an operator lacks %q", got)
			}
			r.without(act, look, func(rule string, lacks []string) {
				// An observer may use all such channels but those whose names begin with an underscore.
				partly := rule == "&*-release" || rule == "&*:released"
				if len(lacks) == 0 && !partly {
					t.Errorf("acting without %s lacks nothing", rule)
				}
			})
		})
	}
}

// more says whether something is in one that is not in the other.
func more(one, other []string) bool {
	return slices.ContainsFunc(one, func(name string) bool { return !slices.Contains(other, name) })
}

// TestObserverMayRunNothingElse asks the server of every command that it knows.
func TestObserverMayRunNothingElse(t *testing.T) {
	ownState(t)
	server := redistest.Start(t)
	r := rightsCheck{t: t, server: server}
	look := words(r.report().Look)
	r.setUser(look...)
	admin := server.Client()
	may := func(command string, arity int64) bool {
		args := []any{"ACL", "DRYRUN", "locktop"}
		for word := range strings.SplitSeq(command, "|") {
			args = append(args, word)
		}
		for len(args)-3 < int(max(arity, -arity)) {
			args = append(args, "1")
		}
		answer, err := admin.Do(t.Context(), args...).Text()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return !strings.Contains(answer, "run the '")
	}
	names := admin.Do(t.Context(), "COMMAND", "LIST").Val().([]any)
	if len(names) < 200 {
		t.Fatalf("the server tells of %d commands only", len(names))
	}
	writers := admin.Do(t.Context(), "COMMAND", "LIST", "FILTERBY", "ACLCAT", "write").Val().([]any)
	for _, name := range names {
		command := name.(string)
		infos, err := admin.Do(t.Context(), "COMMAND", "INFO", command).Slice()
		if err != nil {
			t.Fatal(err)
		}
		info := infos[0].([]any)
		if len(info) > 9 && len(info[9].([]any)) > 0 {
			continue // its parts are listed too
		}
		unasked := strings.Contains(fmt.Sprint(info[2]), "no_auth")
		granted := slices.Contains(look, "+"+command) || slices.Contains(look, "+"+strings.Split(command, "|")[0])
		if got := may(command, info[1].(int64)); got != (granted || unasked) {
			t.Errorf("%s: allowed %v, granted %v", command, got, granted)
		}
		if granted && slices.Contains(writers, name) {
			t.Errorf("%s writes", command)
		}
	}
}

// TestObserverSeesAll: with an observer's rights the feed lives by push, and has no limitation to tell of.
func TestObserverSeesAll(t *testing.T) {
	ownState(t)
	t.Setenv("REDISCLI_AUTH", "PASSWORD")
	server := redistest.Start(t)
	r := rightsCheck{t: t, server: server}
	printed := r.report()
	r.setUser(words(printed.Look)...)
	server.Do("HSET", "orders:lock", "0f4d3a52-6c1e-4b7a-8a2e-3f6d5c4b2a10:42", "2")
	server.Do("RPUSH", "redisson_lock_queue:{orders:lock}", "9c2b3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:7")
	server.Do("SET", "bull:mail:42:lock", "5f2c7a0e-1c7b-4c3b-9a55-0d7c2f1e8a11", "PX", 60000)
	server.Do("HSET", "bull:mail:42", "name", "mail")
	server.Do("SET", "somebody's", "secret")
	a := &app{stderr: io.Discard, stdout: io.Discard, lookup: os.LookupEnv, fromEnv: map[string]string{}}
	s, err := connect(t.Context(), keyspace.Place{Servers: []keyspace.Options{{Network: "unix", Addr: server.Socket, Username: "locktop", Password: "PASSWORD"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	if err := a.observe(t.Context(), s, &observing{notify: "require", poll: 1e9}, false); err != nil {
		t.Fatal(err)
	}
	seen, err := settled(t.Context(), s.locks)
	if err != nil {
		t.Fatal(err)
	}
	node := seen.Nodes[0]
	if node.Feed != keyspace.FeedPush || node.Err != "" || node.FeedReason != "" || node.Denied != 0 {
		t.Errorf("it is limited: %+v", node)
	}
	for _, l := range seen.Locks {
		switch l.Key {
		case "orders:lock":
			if l.Waiters != (inspector.Waiters{Count: 1, Exact: true, By: inspector.WaitersQueue}) {
				t.Errorf("%s has the waiters %+v", l.Key, l.Waiters)
			}
		case "bull:mail:42:lock":
			if !strings.Contains(l.LibraryNames(), "Bull") || strings.Contains(l.LibraryNames(), " or ") {
				t.Errorf("%s is of %s", l.Key, l.LibraryNames())
			}
		default:
			t.Errorf("%s is seen too", l.Key)
		}
	}
	if len(seen.Locks) != 2 {
		t.Errorf("%d locks are seen", len(seen.Locks))
	}
}
