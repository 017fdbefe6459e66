package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// office is a store whose nodes list their clients every five seconds.
type office struct {
	t *testing.T
	*store
	now   time.Time
	nodes []keyspace.Node
}

func newOffice(t *testing.T, rules ...string) *office {
	t.Helper()
	var names []OwnerName
	for _, rule := range rules {
		name, err := ParseOwnerName(rule)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	o := &office{t: t, store: newStore(Options{OwnerNames: names}, &eventLog{}), now: schemeNow, nodes: []keyspace.Node{"a:1", "b:1"}}
	for _, node := range o.nodes {
		o.answers(node, true)
	}
	return o
}

func (o *office) answers(node keyspace.Node, does bool) {
	o.take(keyspace.Update{Node: node, Status: &keyspace.Status{Node: node, Connected: does, Feed: keyspace.FeedPush}})
	o.wake(o.now)
}

// lock reads a lock with this owner at the first node, for the next 20 minutes.
func (o *office) lock(key, owner string) {
	r := keyspace.Record{
		Ref: keyspace.Ref{Node: o.nodes[0], Key: key}, Type: keyspace.TypeString, Value: keyspace.Value{Text: owner}, Size: int64(len(owner)),
		ExpiresAt: o.now.Add(20 * time.Minute), ReadAt: o.now,
	}
	o.take(keyspace.Update{Node: o.nodes[0], Records: []keyspace.Record{r}, Hints: []keyspace.Hint{{Ref: r.Ref, Event: "set", At: o.now}}})
	o.wake(o.now)
}

// clients are some of these names; their ids go by the names.
func clients(node keyspace.Node, names ...string) []keyspace.Client {
	var list []keyspace.Client
	for _, name := range names {
		id := int64(1)
		for _, c := range []byte(name) {
			id = id*31%1_000_003 + int64(c)
		}
		list = append(list, keyspace.Client{Node: node, ID: id, Name: name, Addr: fmt.Sprintf("10.0.0.1:%d", 1024+id%60_000)})
	}
	slices.SortFunc(list, func(a, b keyspace.Client) int { return int(a.ID - b.ID) })
	return list
}

// calls has the nodes list their clients, five seconds after the last time: the first one these, the other ones nobody.
func (o *office) calls(names ...string) {
	o.now = o.now.Add(5 * time.Second)
	for i, node := range o.nodes {
		r := &keyspace.Roll{Node: node, TakenAt: o.now}
		if i == 0 {
			r.Clients = clients(node, names...)
		}
		o.take(keyspace.Update{Node: node, Roll: r})
	}
	o.attendance.due = time.Time{}
	o.wake(o.now)
}

// partly has one node say that it does not list its clients.
func (o *office) partly(node keyspace.Node) {
	o.now = o.now.Add(5 * time.Second)
	o.take(keyspace.Update{Node: node, Roll: &keyspace.Roll{Node: node, TakenAt: o.now, Partial: "too many"}})
	o.attendance.due = time.Time{}
	o.wake(o.now)
}

// is wants this to be known of the holder of a lock.
func (o *office) is(key string, want Connection) *Lock {
	o.t.Helper()
	for _, l := range o.snapshot(o.now).Locks {
		if l.Key != key {
			continue
		}
		if got := l.Holders[0].Connection(); got != want {
			o.t.Fatalf("the holder of %s is %s, want %s: %+v", key, got, want, l.Holders[0].Presence)
		}
		orphan := slices.ContainsFunc(l.Findings, func(f Finding) bool { return f.Code == CodeOrphaned })
		if orphan != (want == ConnectionGone) {
			o.t.Fatalf("the holder of %s is %s, and the findings are %v", key, want, l.Findings)
		}
		return l
	}
	o.t.Fatalf("there is no lock %s", key)
	return nil
}

func TestAHolderThatWasSeenAndIsGone(t *testing.T) {
	o := newOffice(t)
	o.calls("worker-7", "worker-8")
	o.lock("lock:a", "worker-7:3f9c")
	l := o.is("lock:a", ConnectionAlive)
	if p := l.Holders[0].Presence; p.Name != "worker-7" || p.By != "the connection's name is a part of the owner" || len(p.Clients) != 1 {
		t.Errorf("%+v", p)
	}
	o.calls("worker-7", "worker-8")
	o.calls("worker-8")
	o.is("lock:a", ConnectionUnknown) // one list may have missed it
	since := o.now
	o.calls("worker-8")
	l = o.is("lock:a", ConnectionGone)
	if p := l.Holders[0].Presence; !p.Since.Equal(since) || !p.Seen.Equal(since.Add(-5*time.Second)) || len(p.Clients) != 1 || p.Clients[0].Name != "worker-7" {
		t.Errorf("%+v", p)
	}
	for _, f := range l.Findings {
		if f.Code == CodeOrphaned && (f.Severity != SeverityWarning || !strings.Contains(f.Text, "worker-7 was last seen at ") || !strings.Contains(f.Text, "connected from 10.0.0.1:")) {
			t.Errorf("%+v", f)
		}
	}
	o.calls("worker-7") // it is the name that counts, and not the connection
	o.is("lock:a", ConnectionAlive)
}

func TestStuckAndOrphanedIsCritical(t *testing.T) {
	o := newOffice(t)
	o.calls("worker-7")
	r := keyspace.Record{Ref: keyspace.Ref{Node: o.nodes[0], Key: "lock:s"}, Type: keyspace.TypeString, Value: keyspace.Value{Text: "worker-7:3f9c"}, Size: 13, ReadAt: o.now}
	o.take(keyspace.Update{Node: o.nodes[0], Records: []keyspace.Record{r}})
	o.calls()
	o.calls()
	l := o.is("lock:s", ConnectionGone)
	if i := slices.IndexFunc(l.Findings, func(f Finding) bool { return f.Code == CodeOrphaned }); l.Findings[i].Severity != SeverityCritical {
		t.Errorf("%+v", l.Findings[i])
	}
}

// Whoever was not seen may be anybody; whoever shows no name, too.
func TestNobodyIsGuessed(t *testing.T) {
	for owner, client := range map[string]string{
		"worker-7:3f9c": "worker",   // a part of a word
		"app:3f9c":      "app",      // what everybody may be called
		"Lettuce:3f9c":  "Lettuce",  // a library
		"12345:3f9c":    "12345",    // a number
		"ab:3f9c":       "ab",       // too short
		"10.0.0.1:3f9c": "worker-7", // a host
		"0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42": "redisson", // a UUID that is nowhere
		"3f9c0a51be":               "worker-7",  // nothing in common
		"n4L/2ZlftbtoJh00000001==": "2Zlftbtox", // a token that looks like parts
	} {
		t.Run(owner, func(t *testing.T) {
			o := newOffice(t)
			o.calls(client)
			o.lock("lock:a", owner)
			o.is("lock:a", ConnectionUnknown)
			for range 3 {
				o.calls()
			}
			if l := o.is("lock:a", ConnectionUnknown); l.Holders[0].Presence != nil {
				t.Errorf("%+v", l.Holders[0].Presence)
			}
		})
	}
	t.Run("never seen", func(t *testing.T) {
		o := newOffice(t)
		o.lock("lock:a", "worker-7:3f9c")
		for range 4 {
			o.calls("worker-8")
		}
		o.is("lock:a", ConnectionUnknown)
	})
}

func TestWaysToBeJoined(t *testing.T) {
	const id = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11"
	for _, c := range []struct{ owner, client, by string }{
		{"worker-7", "worker-7", "the connection's name is the owner"},
		{"orders:worker-7:3f9c", "orders:worker-7", "the connection's name is a part of the owner"},
		{"ADDED:2026-01-02T03:04:05Z@orders-7d9f-x2:" + id, "orders-7d9f-x2", "the connection's name is a part of the owner"},
		{`s:13:"worker-7:3f9c";`, "worker-7", "the connection's name is a part of the owner"},
		{"worker-7", "billing/worker-7", "the owner is a part of the connection's name"},
		{id + ":42", "billing-" + strings.ToUpper(id), "the connection's name has the UUID of the owner"},
	} {
		t.Run(c.owner+" "+c.client, func(t *testing.T) {
			o := newOffice(t)
			o.calls(c.client)
			o.lock("lock:a", c.owner)
			if p := o.is("lock:a", ConnectionAlive).Holders[0].Presence; p.By != c.by {
				t.Errorf("%+v", p)
			}
			o.calls()
			o.calls()
			o.is("lock:a", ConnectionGone)
		})
	}
	t.Run("address", func(t *testing.T) {
		o := newOffice(t)
		addr := clients("", "")[0].Addr
		o.calls("")
		o.lock("lock:a", addr+":3f9c")
		if p := o.is("lock:a", ConnectionAlive).Holders[0].Presence; p.By != "the owner has the connection's address" {
			t.Errorf("%+v", p)
		}
		o.calls()
		o.calls()
		o.is("lock:a", ConnectionGone)
	})
}

// Of several connections to which a holder joins, all have to be gone.
func TestOneConnectionIsEnough(t *testing.T) {
	o := newOffice(t)
	o.calls("orders", "orders:worker-7")
	o.lock("lock:a", "orders:worker-7:3f9c")
	if p := o.is("lock:a", ConnectionAlive).Holders[0].Presence; len(p.Clients) != 2 || p.Name != "orders:worker-7" {
		t.Errorf("%+v", p)
	}
	for range 3 {
		o.calls("orders")
	}
	o.is("lock:a", ConnectionAlive)
	o.calls()
	o.calls()
	o.is("lock:a", ConnectionGone)
}

// A list that is not complete makes nobody gone, and neither does a node that does not answer, whichever it is.
func TestPartialListsProveNothing(t *testing.T) {
	for i, trouble := range []func(o *office, node keyspace.Node){
		(*office).partly,
		func(o *office, node keyspace.Node) { o.answers(node, false) },
	} {
		for node := range 2 {
			t.Run(fmt.Sprint(i, node), func(t *testing.T) {
				o := newOffice(t)
				o.calls("worker-7")
				o.lock("lock:a", "worker-7:3f9c")
				o.calls("worker-7")
				for range 4 {
					o.calls()
					trouble(o, o.nodes[node])
					o.is("lock:a", ConnectionUnknown)
					o.answers(o.nodes[node], true)
				}
				o.calls()
				o.is("lock:a", ConnectionUnknown) // the first complete one
				o.calls()
				o.is("lock:a", ConnectionGone)
				trouble(o, o.nodes[node]) // it may have come back, and nobody can tell
				o.attendance.due = time.Time{}
				o.wake(o.now)
				o.is("lock:a", ConnectionUnknown)
			})
		}
	}
}

// A holder that acquires again after its connection went has another one, which no list has shown yet.
func TestAcquiredAgain(t *testing.T) {
	o := newOffice(t)
	o.calls("worker-7")
	o.lock("lock:a", "worker-7:3f9c")
	o.calls()
	o.calls()
	o.is("lock:a", ConnectionGone)
	o.now = o.now.Add(time.Second)
	o.lock("lock:b", "worker-7:77aa")
	o.is("lock:b", ConnectionUnknown)
	o.is("lock:a", ConnectionGone)
	o.calls()
	o.is("lock:b", ConnectionUnknown)
	o.calls()
	o.is("lock:b", ConnectionGone)
}

// Whoever renews, lives.
func TestARenewalIsASignOfLife(t *testing.T) {
	o := newOffice(t)
	o.calls("worker-7")
	o.lock("lock:a", "worker-7:3f9c")
	for range 6 {
		o.calls()
		r := keyspace.Record{
			Ref: keyspace.Ref{Node: o.nodes[0], Key: "lock:a"}, Type: keyspace.TypeString, Value: keyspace.Value{Text: "worker-7:3f9c"}, Size: 13,
			ExpiresAt: o.now.Add(20 * time.Minute), ReadAt: o.now.Add(time.Millisecond),
		}
		o.take(keyspace.Update{Node: o.nodes[0], Records: []keyspace.Record{r}, Hints: []keyspace.Hint{{Ref: r.Ref, Event: "expire", At: o.now}}})
		o.is("lock:a", ConnectionUnknown)
	}
	for range 4 {
		o.calls()
	}
	o.is("lock:a", ConnectionGone)
}

func TestDeclaredNames(t *testing.T) {
	o := newOffice(t, "lock:*={name}:*")
	o.lock("lock:a", "worker-7:3f9c")
	o.lock("lock:b", "n4L2ZlftbtoJh0000")
	o.lock("lock:c", "worker-8:1")
	o.calls("worker-8")
	l := o.is("lock:a", ConnectionGone)
	p := l.Holders[0].Presence
	if p.By != "--owner-name lock:*={name}:*" || p.Name != "worker-7" || !p.Since.Equal(o.now) {
		t.Errorf("%+v", p)
	}
	o.is("lock:b", ConnectionUnknown)
	o.is("lock:c", ConnectionAlive)
	o.partly("b:1")
	o.is("lock:a", ConnectionUnknown)
	o.calls("worker-7")
	o.is("lock:a", ConnectionAlive)
	o.lock("lock:d", "app:1") // even a name that says nothing
	o.calls("worker-7")
	o.is("lock:d", ConnectionGone)
}

// A rule is for the keys that it names, and for owners that a client has given; and who renews,
// lives, whatever it is called.
func TestWhatRulesCover(t *testing.T) {
	const worker = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
	o := newOffice(t, "app:*={name}:*")
	o.lock("app:lock:alive", "worker-7:1")
	o.lock("app:lock:dead", "worker-8:1")
	o.lock("app:lock:renews", "worker-9:1")
	o.lock("other:lock", "worker-8:1")
	o.lock("app:lock:tag", worker)
	o.lock("app:shedlock:default:report", "ADDED:2026-01-02T03:04:05Z@pod-1")
	r := hashRecord("app:redisson", 30*time.Second, worker, "1")
	r.Node = o.nodes[0]
	o.take(keyspace.Update{Node: o.nodes[0], Records: []keyspace.Record{r}})
	renew := func() {
		r := stringRecord("app:lock:renews", "worker-9:1", 0)
		r.Node, r.ReadAt, r.ExpiresAt = o.nodes[0], o.now.Add(time.Millisecond), o.now.Add(20*time.Minute)
		hints := []keyspace.Hint{{Ref: r.Ref, Event: "expire", At: o.now}}
		o.take(keyspace.Update{Node: o.nodes[0], Records: []keyspace.Record{r}, Hints: hints})
	}
	o.now = o.now.Add(5 * time.Second)
	renew()
	for range 10 { // however long ago
		o.calls("worker-7")
	}
	o.is("app:lock:alive", ConnectionAlive)
	o.is("app:lock:dead", ConnectionGone)
	for _, key := range []string{
		"app:lock:renews", "other:lock", "app:lock:tag", "app:shedlock:default:report", "app:redisson",
	} {
		o.is(key, ConnectionUnknown)
	}
}

// A rule that does not fit most of its holders is wrong, and not they.
func TestARuleThatFitsHardlyAnybody(t *testing.T) {
	o := newOffice(t, "lock:*={name}:*")
	use := func(want string) {
		t.Helper()
		want = "--owner-name lock:*={name}:* matched " + want
		if uses := o.snapshot(o.now).OwnerNames; len(uses) != 1 || !strings.HasPrefix(uses[0].String(), want) {
			t.Fatalf("%v, want %s", uses, want)
		}
	}
	for n := range 5 {
		o.lock(fmt.Sprintf("lock:%d", n), fmt.Sprintf("worker-%d:1", n))
	}
	o.lock("lock:too", "worker-4:2") // one client
	o.calls("worker-0", "worker-1")
	use("2 of 5 holders: the rule looks wrong, so it makes no lock orphaned")
	for range 3 {
		o.calls("worker-0", "worker-1")
		o.is("lock:3", ConnectionUnknown)
	}
	o.is("lock:0", ConnectionAlive)
	o.calls("worker-0", "worker-1", "worker-2")
	use("3 of 5 holders")
	o.is("lock:3", ConnectionGone)
	o.is("lock:too", ConnectionGone)
	o.calls("worker-0") // those that went had been there
	use("3 of 5 holders")
	o.is("lock:2", ConnectionGone)
	o.lock("lock:6", "worker-6:1")
	o.lock("lock:7", "worker-7:1")
	o.calls("worker-0")
	use("3 of 7 holders: the rule looks wrong")
	o.is("lock:3", ConnectionUnknown)
}

func TestOwnerNameRules(t *testing.T) {
	for rule, owners := range map[string]map[string]string{
		"{name}:*":     {"worker-7:3f:9c": "worker-7:3f worker-7", "worker-7": "", ":x": ""},
		"*@{name}":     {"x@y@pod-1": "y@pod-1 pod-1", "pod-1": ""},
		"{addr}/*":     {"10.0.0.5:41212/7": "10.0.0.5:41212", "[::1]:80/7": "[::1]:80", "10.0.0.5/7": ""},
		"client-{id}":  {"client-17": "17", "client-x": "", "client-017": ""},
		"lock[ab]{id}": {"locka17": "17", "lockc17": ""},
	} {
		r, err := ParseOwnerName("*=" + rule)
		if err != nil {
			t.Fatal(err)
		}
		for owner, want := range owners {
			var got []string
			r.eachReading(owner, func(l link) { got = append(got, l.text) })
			if strings.Join(got, " ") != want {
				t.Errorf("%s reads %v in %q, want %q", rule, got, owner, want)
			}
		}
	}
	for _, wrong := range []string{
		"", "*", "{name}:*", "={name}", "*=", "*=*", "*={name}{id}", "*={name}:{name}", "*={host}", "{name}=*",
		"[={name}",
	} {
		if _, err := ParseOwnerName(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// What nobody is joined by any more is forgotten.
func TestAttendanceForgets(t *testing.T) {
	o := newOffice(t, "lock:*={name}:*")
	for round := range 50 {
		o.calls("worker-7", fmt.Sprintf("w-%d", round))
		o.lock("lock:a", fmt.Sprintf("w-%d:1", round))
	}
	a := o.attendance
	if len(a.known) > 5 || len(a.parties) > 5 || len(a.present) > 20 {
		t.Errorf("%d links, %d parties, %d that are there", len(a.known), len(a.parties), len(a.present))
	}
	o.take(keyspace.Update{Node: "a:1", Left: true})
	o.take(keyspace.Update{Node: "b:1", Left: true})
	if len(a.present) != 0 {
		t.Errorf("%v are still there", a.present)
	}
}

func FuzzLinks(f *testing.F) {
	f.Add("orders:worker-7:3f9c", "worker-7", "10.0.0.1:41212")
	f.Add("[::1]:80/0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11", "::::", "/tmp/s:0")
	f.Fuzz(func(t *testing.T, owner, name, addr string) {
		eachLink(owner, func(l link) {
			if len(l.text) < leastLink && l.kind != linkAddr {
				t.Errorf("%q: %+v", owner, l)
			}
		})
		eachLinkOf(&keyspace.Client{Name: name, Addr: addr}, func(link) {})
		for _, rule := range []string{"*={name}:*", "*=*{id}*", "*={addr}"} {
			r, err := ParseOwnerName(rule)
			if err != nil {
				t.Fatal(err)
			}
			r.eachReading(owner, func(link) {})
		}
	})
}
