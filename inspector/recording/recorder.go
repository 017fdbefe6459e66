package recording

import (
	"context"
	"errors"
	"sync"
	"time"

	"locktop/inspector"
)

// The pace of frames: not more often than every, and so seldom that to make them takes the given part of a core at most. On a machine
// that has no core to spare it is not less often than seldom, for that is when a recording is wanted.
const (
	every  = 500 * time.Millisecond
	seldom = 2 * time.Second
	part   = 20
)

// Source is what is recorded; *inspector.Inspector is one.
type Source interface {
	Next(ctx context.Context, after uint64) (*inspector.Snapshot, error)
	Latest() *inspector.Snapshot
	EventsSince(seq uint64) (events []inspector.Event, lost uint64)
}

// Recorder records a source in a goroutine of its own, so that it sees snapshots whatever the screen does, and so that a file that
// cannot be written holds nobody up.
type Recorder struct {
	writer *Writer
	source Source
	stop   context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	bytes int64
	err   error
}

// Record records a source until [Recorder.Close]. The writer belongs to it from now on.
func Record(ctx context.Context, source Source, w *Writer) *Recorder {
	ctx, stop := context.WithCancel(ctx)
	r := &Recorder{writer: w, source: source, stop: stop, done: make(chan struct{}), bytes: w.Bytes()}
	go r.run(ctx)
	return r
}

// Status is how large the file is, and why nothing is recorded any more; nil: it is.
func (r *Recorder) Status() (bytes int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes, r.err
}

// Close writes what there is last, and ends the recording. A file that does not take it within the time is left alone.
func (r *Recorder) Close(within time.Duration) error {
	r.stop()
	select {
	case <-r.done:
		_, err := r.Status()
		return err
	case <-time.After(within):
		return errors.New("the recording could not be ended: its file takes nothing more")
	}
}

func (r *Recorder) run(ctx context.Context) {
	defer close(r.done)
	err := r.record(ctx)
	why := "locktop was ended"
	switch {
	case errors.Is(err, ErrFull):
		why = ErrFull.Error()
	case err != nil:
		why = ""
	}
	r.note(errors.Join(err, r.writer.Close(why)))
}

// record writes frames until the source or the context ends.
func (r *Recorder) record(ctx context.Context) error {
	var shot, event uint64
	for {
		s, nextErr := r.source.Next(ctx, shot)
		if nextErr != nil { // what came since the last frame
			if s = r.source.Latest(); s.Seq <= shot {
				return nil
			}
		}
		began := time.Now()
		events, _ := r.source.EventsSince(event) // those that were forgotten leave a gap in the numbers
		if n := len(events); n > 0 {
			event = events[n-1].Seq
		}
		if err := r.writer.Frame(s, events); err != nil {
			return err
		}
		r.note(nil)
		if nextErr != nil || s.Done {
			return nil
		}
		shot = s.Seq
		rest := time.NewTimer(min(max(every, time.Since(began)*(part-1)), seldom))
		select {
		case <-ctx.Done():
		case <-rest.C:
		}
		rest.Stop()
	}
}

func (r *Recorder) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes, r.err = r.writer.Bytes(), err
}
