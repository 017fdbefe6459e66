package recording

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// story are snapshots in which locks come, change hands, and go, by the dice of a seed.
func story(seed uint64, n int) []*inspector.Snapshot {
	dice := rand.New(rand.NewPCG(seed, 1))
	at := time.UnixMicro(1_763_755_377_000_000)
	var locks []*inspector.Lock
	var events []inspector.Event
	var list []*inspector.Snapshot
	for i := range n {
		at = at.Add(time.Duration(500+dice.IntN(40_000)) * time.Millisecond)
		locks = append([]*inspector.Lock(nil), locks...)
		for range dice.IntN(4) {
			switch {
			case len(locks) < 3 || dice.IntN(3) == 0:
				locks = append(locks, storyLock(dice, at, nil, len(events)))
			case dice.IntN(4) == 0:
				at := dice.IntN(len(locks))
				locks = append(locks[:at], locks[at+1:]...)
			default:
				i := dice.IntN(len(locks))
				locks[i] = storyLock(dice, at, locks[i], 0)
			}
		}
		for range dice.IntN(3) * dice.IntN(2) * dice.IntN(60) {
			events = append(events, inspector.Event{Seq: uint64(len(events) + 1), At: at, Kind: inspector.EventAcquired, Ref: keyspace.Ref{Key: "k"}, Text: fmt.Sprint(i)})
		}
		list = append(list, &inspector.Snapshot{
			TakenAt: at, Complete: i > 2, Locks: locks, Totals: inspector.Totals{Locks: len(locks), ByState: map[inspector.State]int{inspector.StateHeld: len(locks)}},
			Nodes:  []keyspace.Status{{Node: "a:1", Feed: keyspace.FeedPush, Connected: true, Patterns: []string{"*lock*"}, Commands: uint64(i)}},
			Events: events[max(0, len(events)-tailKept):len(events):len(events)],
		})
	}
	return list
}

func storyLock(dice *rand.Rand, at time.Time, before *inspector.Lock, number int) *inspector.Lock {
	owner := fmt.Sprintf("owner-%d", dice.IntN(5))
	l := &inspector.Lock{
		Ref: keyspace.Ref{Node: "a:1", Key: fmt.Sprintf("lock-%d-%d", number, dice.Uint64())}, Scheme: inspector.SchemeToken, State: inspector.StateHeld,
		Holders: []inspector.Holder{{Owner: owner, Label: owner}}, ExpiresAt: at.Add(time.Duration(dice.IntN(60)) * time.Second), HeldSince: at,
		Evidence: []string{"it has a TTL"}, Renewals: dice.IntN(5),
	}
	if before != nil {
		l.Ref = before.Ref
		l.History = append(l.History, before.History[max(0, len(before.History)-4):]...)
	}
	if n := len(l.History); n > 0 {
		l.History[n-1].Until, l.History[n-1].Cause = at, inspector.CauseReleased
	}
	l.History = append(l.History, inspector.Hold{Owner: owner, Label: owner, Since: at})
	if dice.IntN(3) == 0 {
		l.Findings = []inspector.Finding{{Code: inspector.CodeLongLease, Severity: inspector.SeverityWarning, Text: fmt.Sprint(dice.IntN(3))}}
	}
	return l
}

// written records snapshots into a file.
func written(t testing.TB, name string, list []*inspector.Snapshot) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	w, err := Create(path, Header{Locktop: "test", Where: "a:1", Started: list[0].TakenAt}, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := uint64(0)
	for _, s := range list {
		var news []inspector.Event
		for _, e := range s.Events {
			if e.Seq > last {
				news, last = append(news, e), e.Seq
			}
		}
		if err := w.Frame(s, news); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close("the story is over"); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t testing.TB, path string) *Recording {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func snapshotAt(t testing.TB, r *Recording, frame int) *inspector.Snapshot {
	t.Helper()
	s, err := r.Snapshot(frame)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var names = []string{"rec.jsonl", "rec.jsonl.gz"}

// TestJumpIsLikePlaying: whatever way one comes to a frame, it shows what was recorded there.
func TestJumpIsLikePlaying(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			list := story(7, 120)
			r := opened(t, written(t, name, list))
			if r.Len() != len(list) || r.Trouble != "" || r.Why != "the story is over" || r.Header.Where != "a:1" {
				t.Fatalf("%d frames, trouble %q, why %q, header %+v", r.Len(), r.Trouble, r.Why, r.Header)
			}
			if len(r.keys) < 5 {
				t.Fatalf("%d key frames: jumps are not tried", len(r.keys))
			}
			for i := range list {
				wantSame(t, snapshotAt(t, r, i), list[i])
			}
			for range 60 {
				i := rand.IntN(len(list))
				wantSame(t, snapshotAt(t, r, i), list[i])
			}
			if got := r.FrameAt(list[50].TakenAt.Add(time.Microsecond)); got != 50 {
				t.Errorf("the frame after frame 50 began is %d", got)
			}
			if got := r.FrameAt(list[0].TakenAt.Add(-time.Hour)); got != 0 {
				t.Errorf("the frame before the first is %d", got)
			}
		})
	}
}

// TestTornFiles cuts a recording at every place, as a crash would: what is before the cut is as it was.
func TestTornFiles(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			list := story(8, 30)
			whole, err := os.ReadFile(written(t, name, list))
			if err != nil {
				t.Fatal(err)
			}
			most := 0
			for n := 0; n < len(whole); n += 1 + len(whole)/40 {
				path := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
					t.Fatal(err)
				}
				r, err := Open(path)
				if err != nil {
					if most > 0 {
						t.Fatalf("of %d bytes: %v", n, err)
					}
					continue
				}
				if r.Len() < most {
					t.Fatalf("of %d bytes %d frames, of fewer %d", n, r.Len(), most)
				}
				most = r.Len()
				wantSame(t, snapshotAt(t, r, most-1), list[most-1])
				_ = r.Close()
			}
			if most < len(list)/2 {
				t.Errorf("nearly all of the file has %d of %d frames", most, len(list))
			}
		})
	}
}

// TestDamagedFiles changes single bytes: nothing panics, and what is before the damage is as it was.
func TestDamagedFiles(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			list := story(9, 30)
			whole, err := os.ReadFile(written(t, name, list))
			if err != nil {
				t.Fatal(err)
			}
			dice := rand.New(rand.NewPCG(9, 9))
			path := filepath.Join(t.TempDir(), name)
			for range 40 {
				at := dice.IntN(len(whole))
				torn := bytes.Clone(whole)
				torn[at] ^= byte(1 + dice.IntN(255))
				if err := os.WriteFile(path, torn, 0o600); err != nil {
					t.Fatal(err)
				}
				r, err := Open(path)
				if err != nil {
					continue
				}
				for i := 0; i < r.Len(); i++ {
					if _, err := r.Snapshot(i); err != nil {
						break
					}
				}
				if first, err := r.Snapshot(0); err == nil && name == "rec.jsonl" && at > len(whole)/2 {
					wantSame(t, first, list[0])
				}
				_ = r.Close()
			}
		})
	}
}

func TestDamageInTheMidstEndsTheRecording(t *testing.T) {
	list := story(10, 40)
	path := written(t, "rec.jsonl", list)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines[20] = append(bytes.TrimSuffix(lines[20], []byte("}\n")), '\n')
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	r := opened(t, path)
	s := snapshotAt(t, r, r.Len()-1)
	if !strings.Contains(r.Trouble, "line 21 is damaged") {
		t.Errorf("the trouble is %q", r.Trouble)
	}
	wantSame(t, s, list[int(s.Seq)-1])
	if r.Len() != int(s.Seq) {
		t.Errorf("%d frames are left, and the last is %d", r.Len(), s.Seq)
	}
	wantSame(t, snapshotAt(t, r, 0), list[0])
}

func TestFilesThatAreNoRecordings(t *testing.T) {
	zipped := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, s)
		_ = w.Close()
		return b.String()
	}
	head := `{"schema":"locktop.recording/1","locktop":"x"}` + "\n"
	for content, want := range map[string]string{
		"":                                       "it is empty",
		"\n":                                     "no recording of locktop's",
		"hello\n":                                "no recording of locktop's",
		"hello":                                  "no recording of locktop's",
		`{"schema":"locktop.snapshot/1"}` + "\n": "no recording of locktop's",
		"\x1f\x8b":                               "no recording of locktop's",
		zipped("hello\n"):                        "no recording of locktop's",
		`{"schema":"locktop.recording/2","locktop":"locktop 9"}` + "\n": "locktop 9",
		head:          "nothing is in this recording",
		head + "{}\n": "line 2 is damaged",
		head + `{"frame":"change","at":1,"news":0,"more":false}` + "\n": "line 2 is damaged",
		head + strings.Repeat("x", maxLine+2) + "\n":                    "longer than",
		strings.Repeat("x", maxLine+2):                                  "longer than",
	} {
		path := filepath.Join(t.TempDir(), "rec")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", content, err, want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a directory was opened")
	}
}

// Whoever has had enough of a large file is obeyed.
func TestOpeningEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OpenContext(ctx, written(t, "rec.jsonl", story(3, 20))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestRecompressedFile: a user may compress a recording, or pack it anew in one part.
func TestRecompressedFile(t *testing.T) {
	list := story(11, 60)
	plain, err := os.ReadFile(written(t, "rec.jsonl", list))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rec.gz")
	var b bytes.Buffer
	for rest := plain; len(rest) > 0; { // parts that end in the midst of lines
		n := min(len(rest), 7001)
		w := gzip.NewWriter(&b)
		_, _ = w.Write(rest[:n])
		_ = w.Close()
		rest = rest[n:]
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	r := opened(t, path)
	if r.Len() != len(list) {
		t.Fatalf("%d frames of %d: %s", r.Len(), len(list), r.Trouble)
	}
	for range 30 {
		i := rand.IntN(len(list))
		wantSame(t, snapshotAt(t, r, i), list[i])
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rec.jsonl")
	if err := os.WriteFile(path, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, Header{}, 0); err == nil || !strings.Contains(err.Error(), "not overwritten") {
		t.Errorf("a file that is there: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "precious" {
		t.Errorf("it is %q now", got)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	w, err := Create(path, Header{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
	_ = w.Close("")
}

func TestRecordingIsBounded(t *testing.T) {
	for _, name := range names {
		path := filepath.Join(t.TempDir(), name)
		w, err := Create(path, Header{}, 200_000)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ {
			s := story(uint64(i), 2)
			if err = w.Frame(s[1], s[1].Events); err != nil {
				break
			}
		}
		if !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
		if err := w.Close("full"); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(path); info.Size() > 250_000 || info.Size() < 150_000 {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
		if r := opened(t, path); r.Why != "full" {
			t.Errorf("why it ends: %q", r.Why)
		}
	}
}
