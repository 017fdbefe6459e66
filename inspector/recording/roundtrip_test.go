package recording

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// notKept are fields that a recording leaves out on purpose.
var notKept = map[string]bool{
	"Snapshot.Seq": true, "Snapshot.Done": true, "Snapshot.Err": true,
	"Record.Value": true, "Record.Truncated": true, "Record.ExpiryError": true, "Record.ExpireTime": true, "Record.Companions": true, "Vote.Observed": true,
	// Only what compares a master with the one before it needs these.
	"Replication.Stream": true, "Replication.Offset": true, "Replication.Asked": true, "Replication.Answered": true,
	"Replication.Before": true, "Replication.Copied": true,
}

// fill gives every exported field a value that is not zero, so that one that a recording forgets is found.
func fill(v reflect.Value, number *int64) {
	*number++
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() || v.Type() == reflect.TypeFor[keyspace.Node]() {
			v.SetString(fmt.Sprintf("text %d \x1b\xff", *number))
		} else { // a word of our own
			v.SetString(fmt.Sprintf("word %d", *number))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		if v.Type() == reflect.TypeFor[time.Duration]() {
			v.SetInt(*number * int64(time.Millisecond))
		} else {
			v.SetInt(*number)
		}
	case reflect.Uint64, reflect.Uint32, reflect.Uint16:
		v.SetUint(uint64(*number))
	case reflect.Float64:
		v.SetFloat(float64(*number))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), number)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), number)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.SetString("state")
		fill(value, number)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.UnixMicro(1_700_000_000_000_000 + *number)))
			return
		}
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			if v.Type().Field(i).IsExported() && !notKept[name] {
				fill(v.Field(i), number)
			}
		}
	default:
		panic("a field of a kind that this test does not know: " + v.Kind().String())
	}
}

// filled is a snapshot in which no field is zero.
func filled() *inspector.Snapshot {
	s := &inspector.Snapshot{}
	number := int64(0)
	fill(reflect.ValueOf(s).Elem(), &number)
	for _, l := range s.Locks {
		for i := range l.Observed.Companions {
			l.Observed.Companions[i] = keyspace.Record{}
		}
		l.Observed.Ref, l.Observed.ExpiresAt = l.Ref, l.ExpiresAt
		l.Sample.Key, l.Sample.DB = l.Key, l.DB
		l.Keep(filledKept(&number))
		l.Observed.Companions = []keyspace.Record{{Ref: keyspace.Ref{Node: l.Node, DB: l.DB, Key: "companion\xfe"}, Type: keyspace.TypeList, Size: 3}}
	}
	// Of who is connected, those that hold something are kept, and the others are counted.
	var clients []keyspace.Client
	for _, c := range s.Locks[1].Holders[1].Presence.Clients {
		c.Idle += time.Minute
		clients = append(clients, c)
	}
	nodes := map[keyspace.Node][]keyspace.Client{}
	for _, c := range clients {
		nodes[c.Node] = append(nodes[c.Node], c)
	}
	rolls := []*keyspace.Roll{{Node: "silent\xff", TakenAt: s.TakenAt, Partial: "NOPERM\x1b", Denied: true}}
	for node, list := range nodes {
		rolls = append(rolls, &keyspace.Roll{Node: node, TakenAt: s.TakenAt, Clients: list})
	}
	s.Roll = inspector.NewRoll(rolls, 5)
	return s
}

// filledKept is what is kept of a lock, with nothing zero.
func filledKept(number *int64) inspector.Kept {
	var k inspector.Kept
	fill(reflect.ValueOf(&k).Elem(), number)
	return k
}

// frames encodes snapshots, each with its events, as a recorder would.
func frames(t testing.TB, key func(i int) bool, list ...*inspector.Snapshot) [][]byte {
	t.Helper()
	e := newEncoder()
	var all [][]byte
	last := uint64(0)
	for i, s := range list {
		var news []inspector.Event
		for _, event := range s.Events {
			if event.Seq > last {
				news, last = append(news, event), event.Seq
			}
		}
		text, err := e.frame(s, news, key(i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bytes.Clone(text))
	}
	return all
}

// decoded reads frames one after another, and returns the snapshot of each.
func decoded(t testing.TB, all [][]byte) []*inspector.Snapshot {
	t.Helper()
	var s state
	var out []*inspector.Snapshot
	for _, frame := range all {
		for line := range bytes.Lines(frame) {
			whole, err := s.take(line)
			if err != nil {
				t.Fatalf("%v: %.300s", err, line)
			}
			if whole {
				out = append(out, s.snapshot())
			}
		}
	}
	return out
}

func always(int) bool    { return true }
func atFirst(i int) bool { return i == 0 }

// TestEveryFieldIsRecorded fails where a snapshot has a field of which a recording knows nothing: it belongs into the file, or into
// notKept with a reason.
func TestEveryFieldIsRecorded(t *testing.T) {
	want := filled()
	got := decoded(t, frames(t, always, want))[0]
	wantSame(t, got, want)
	for line := range bytes.Lines(bytes.Join(frames(t, always, want), nil)) {
		if !keyspace.Printable(string(bytes.TrimSuffix(line, []byte("\n")))) {
			t.Errorf("a line that moves a terminal: %q", line)
		}
	}
}

// wantSame compares what a recording keeps of two snapshots.
func wantSame(t testing.TB, got, want *inspector.Snapshot) {
	t.Helper()
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"time", got.TakenAt.UnixMicro(), want.TakenAt.UnixMicro()},
		{"complete", got.Complete, want.Complete},
		{"totals", fmt.Sprint(got.Totals), fmt.Sprint(want.Totals)},
		{"nodes", fmt.Sprintf("%+v", got.Nodes), fmt.Sprintf("%+v", want.Nodes)},
		{"unseen", exported(reflect.ValueOf(got.Unseen)), exported(reflect.ValueOf(want.Unseen))},
		{"roll", attending(got.Roll), attending(want.Roll)},
		{"locks", told(got.Locks), told(want.Locks)},
		{"events", inWhole(got.Events), inWhole(want.Events)},
	} {
		if !reflect.DeepEqual(part.got, part.want) {
			got, want := fmt.Sprint(part.got), fmt.Sprint(part.want)
			same := 0
			for same < min(len(got), len(want)) && got[same] == want[same] {
				same++
			}
			from := max(same-100, 0)
			t.Fatalf("%s differ: got\n…%.300s\nwant\n…%.300s", part.name, got[from:], want[from:])
		}
	}
}

// attending is who is connected, in words.
func attending(r *inspector.Roll) string {
	if r == nil {
		return "nobody knows"
	}
	rolls, nodes := r.Rolls()
	said := fmt.Sprint(nodes, " nodes, ", r.Clients(), " clients, ", r.Partial())
	for _, one := range rolls {
		shown := *one
		shown.Clients = nil // of which those are kept that hold something
		said += exported(reflect.ValueOf(shown))
	}
	return said
}

// inWhole are events with their times and durations as a recording keeps them.
func inWhole(list []inspector.Event) []inspector.Event {
	out := make([]inspector.Event, 0, len(list))
	for _, e := range list {
		e.At, e.TTL, e.Held = instant(micro(e.At)), e.TTL.Truncate(time.Microsecond), e.Held.Truncate(time.Microsecond)
		out = append(out, e)
	}
	return out
}

// told is all that a lock shows, in words.
func told(locks []*inspector.Lock) []string {
	var out []string
	for _, l := range locks {
		shown := *l
		shown.Observed.Ref, shown.Observed.ExpiresAt = l.Ref, l.ExpiresAt // as is so of every lock that was read
		kept := l.Kept()
		said := fmt.Sprintf("%+v %v %v", exported(reflect.ValueOf(shown)), l.LibraryNames(), exported(reflect.ValueOf(kept)))
		out = append(out, said)
	}
	return out
}

// exported is a value by its exported fields, down to the last.
func exported(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return exported(v.Elem())
	case reflect.Struct:
		if at, is := v.Interface().(time.Time); is {
			return fmt.Sprint(micro(at))
		}
		out := "{"
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !notKept[v.Type().Name()+"."+f.Name] {
				out += f.Name + "=" + exported(v.Field(i)) + " "
			}
		}
		return out + "}"
	case reflect.Slice, reflect.Array:
		out := "["
		for i := range v.Len() {
			out += exported(v.Index(i)) + " "
		}
		return out + "]"
	default:
	}
	if d, is := v.Interface().(time.Duration); is {
		return fmt.Sprint(d.Microseconds())
	}
	return fmt.Sprintf("%q", fmt.Sprint(v.Interface()))
}

func TestChangesAreToldByDifference(t *testing.T) {
	at := time.UnixMicro(1_763_755_377_000_000)
	lock := func(key string, n int) *inspector.Lock {
		l := &inspector.Lock{
			Ref: keyspace.Ref{Node: "a:1", Key: key}, Scheme: inspector.SchemeToken, State: inspector.StateHeld,
			Holders: []inspector.Holder{{Owner: fmt.Sprint("owner-", n), Label: "worker"}}, Evidence: []string{"its value is a token"},
		}
		for i := max(0, n-3); i <= n; i++ {
			l.History = append(l.History, inspector.Hold{Owner: fmt.Sprint("owner-", i), Since: at.Add(time.Duration(i) * time.Second), Until: at.Add(time.Duration(i+1) * time.Second)})
		}
		l.History[len(l.History)-1].Until = time.Time{}
		return l
	}
	snap := func(n int, locks ...*inspector.Lock) *inspector.Snapshot {
		s := &inspector.Snapshot{TakenAt: at.Add(time.Duration(n) * time.Second), Locks: locks, Totals: inspector.Totals{ByState: map[inspector.State]int{}}}
		for i := range n {
			s.Events = append(s.Events, inspector.Event{Seq: uint64(i + 1), At: at, Kind: inspector.EventAcquired})
		}
		return s
	}
	a, b, c := lock("a", 0), lock("b", 0), lock("c", 0)
	list := []*inspector.Snapshot{
		snap(0, a, b, c),
		snap(1, a, b, c),
		snap(2, a, lock("b", 1), c),
		snap(3, a, c),
		snap(4, a, c, lock("b", 5)),
		snap(5, lock("b", 9), a), // in another place than before: the order is the recording's own
		snap(6),
		snap(7, a),
	}
	list[5].Locks = []*inspector.Lock{a, list[5].Locks[0]}
	all := frames(t, atFirst, list...)
	for i, got := range decoded(t, all) {
		wantSame(t, got, list[i])
	}
	if n := len(all[1]); n > 300 {
		t.Errorf("a frame in which one event is new takes %d bytes: %s", n, all[1])
	}
	if bytes.Contains(all[2], []byte(`"key":"b"`)) || bytes.Contains(all[2], []byte("its value")) {
		t.Errorf("what did not change is told again: %s", all[2])
	}
}

// TestWhatIsRememberedIsToldByDifference: of a chronicle, of renewals and of who is connected, a frame has only what is new.
func TestWhatIsRememberedIsToldByDifference(t *testing.T) {
	at := time.UnixMicro(1_763_755_377_000_000)
	clients := func(n int, idle time.Duration) (list []keyspace.Client) {
		for i := range n {
			list = append(list, keyspace.Client{Node: "a:1", ID: int64(i + 1), Name: fmt.Sprint("worker-", i), Addr: "10.0.0.7:5", Age: time.Hour + idle, Idle: idle})
		}
		return list
	}
	roll := func(n int, idle time.Duration) *inspector.Roll {
		return inspector.NewRoll([]*keyspace.Roll{{Node: "a:1", TakenAt: at.Add(idle), Clients: clients(n, idle)}}, 1)
	}
	snap := func(minute int64, count uint32, gaps int, joined int, who *inspector.Roll) *inspector.Snapshot {
		l := &inspector.Lock{Ref: keyspace.Ref{Node: "a:1", Key: "a"}, Scheme: inspector.SchemeToken, State: inspector.StateHeld}
		for _, c := range clients(joined, 0) {
			l.Holders = append(l.Holders, inspector.Holder{Owner: c.Name, Label: c.Name, Presence: &inspector.Presence{Connection: inspector.ConnectionAlive, Clients: []keyspace.Client{c}}})
		}
		k := inspector.Kept{Lease: time.Second, Forgets: true}
		for i := max(0, gaps-24); i < gaps; i++ {
			k.Gaps = append(k.Gaps, time.Duration(10_000+i)*time.Millisecond)
		}
		if count > 0 {
			k.Chronicle = &inspector.KeptChronicle{Minute: minute, Counted: count, Longest: time.Duration(count) * time.Second, Waiting: 2}
			for i := range k.Chronicle.Acquisitions {
				k.Chronicle.Acquisitions[i] = uint16(int64(i) + minute)
				k.Chronicle.Waiters[i] = 2
			}
			k.Chronicle.Holds[7] = uint16(count)
		}
		l.Keep(k)
		return &inspector.Snapshot{TakenAt: at, Locks: []*inspector.Lock{l}, Roll: who}
	}
	first, second := roll(4, 0), roll(4, 5*time.Second)
	list := []*inspector.Snapshot{
		snap(0, 0, 3, 0, nil), snap(100, 7, 24, 2, first), snap(101, 8, 25, 3, first), snap(101, 8, 25, 3, second), snap(300, 9, 0, 3, roll(1, time.Minute)),
		snap(300, 9, 2, 3, roll(0, time.Minute)), snap(300, 9, 2, 3, inspector.NewRoll(nil, 1)), snap(300, 9, 2, 3, nil),
	}
	for _, key := range []func(int) bool{atFirst, always} {
		for i, got := range decoded(t, frames(t, key, list...)) {
			wantSame(t, got, list[i])
			for _, c := range clients(4, 0) {
				g, gotAt, gotIs := got.Client(c)
				w, wantAt, wantIs := list[i].Client(c)
				if held := int(c.ID) <= len(list[i].Locks[0].Holders); held && (g != w || gotIs != wantIs || !gotAt.Equal(wantAt)) || !held && gotIs {
					t.Fatalf("frame %d: the client %d is %+v %v %v, and was %+v %v %v", i, c.ID, g, gotAt, gotIs, w, wantAt, wantIs)
				}
			}
		}
	}
	all := frames(t, atFirst, list...)
	if bytes.Count(all[2], []byte(`"is"`)) != 1 || bytes.Contains(all[3], []byte(`"is"`)) {
		t.Errorf("who is connected is told again: %s\n%s", all[2], all[3])
	}
	if line := all[2]; bytes.Count(line, []byte(`"gaps":{"keep":23,"new":[10024]}`)) != 1 || bytes.Contains(line, []byte(`"waiters":[`)) {
		t.Errorf("what is remembered is told again: %s", line)
	}
}

func TestOrderIsKept(t *testing.T) {
	lock := func(key string) *inspector.Lock {
		return &inspector.Lock{Ref: keyspace.Ref{Key: key}}
	}
	a, b, c := lock("a"), lock("b"), lock("c")
	snap := func(locks ...*inspector.Lock) *inspector.Snapshot { return &inspector.Snapshot{Locks: locks} }
	keys := func(s *inspector.Snapshot) (out []string) {
		for _, l := range s.Locks {
			out = append(out, l.Key)
		}
		return out
	}
	got := decoded(t, frames(t, atFirst, snap(a, b, c), snap(c, lock("d"), a), snap(lock("d"), c, a, lock("b"))))
	for i, want := range [][]string{{"a", "b", "c"}, {"a", "c", "d"}, {"a", "c", "d", "b"}} {
		if !slices.Equal(keys(got[i]), want) {
			t.Errorf("frame %d has %q, want %q", i, keys(got[i]), want)
		}
	}
}
