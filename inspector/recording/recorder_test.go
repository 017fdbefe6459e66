package recording

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"locktop/inspector"
)

// fakeSource gives out one snapshot after another.
type fakeSource struct {
	list []*inspector.Snapshot
	last int
}

func (f *fakeSource) Next(ctx context.Context, after uint64) (*inspector.Snapshot, error) {
	if int(after) < len(f.list) {
		f.last = int(after) + 1
		s := *f.list[after]
		s.Seq = after + 1
		return &s, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (f *fakeSource) Latest() *inspector.Snapshot {
	s := *f.list[f.last-1]
	s.Seq = uint64(f.last)
	return &s
}

func (f *fakeSource) EventsSince(seq uint64) ([]inspector.Event, uint64) {
	var list []inspector.Event
	for _, e := range f.list[f.last-1].Events {
		if e.Seq > seq {
			list = append(list, e)
		}
	}
	return list, 0
}

// TestRecorder: a recorder that is closed has written what there was last; one whose file takes nothing says so, and stops.
func TestRecorder(t *testing.T) {
	list := story(12, 3)
	path := filepath.Join(t.TempDir(), "rec.jsonl.gz")
	w, err := Create(path, Header{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := Record(t.Context(), &fakeSource{list: list}, w)
	if err := r.Close(20 * time.Second); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Status(); n == 0 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	got := opened(t, path)
	s := snapshotAt(t, got, got.Len()-1)
	wantSame(t, s, list[len(list)-1])

	w, err = Create(filepath.Join(t.TempDir(), "rec.jsonl"), Header{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.file.Close()
	r = Record(t.Context(), &fakeSource{list: list}, w)
	<-r.done
	if _, err := r.Status(); err == nil {
		t.Error("a file that takes nothing is no error")
	}
}
