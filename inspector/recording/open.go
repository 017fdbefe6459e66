package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"locktop/inspector"
)

// Recording is a file that was recorded, with an index of its frames. It is not safe for concurrent use.
type Recording struct {
	Header Header
	// Trouble says in words why the recording ends earlier than the file; empty: it does not.
	Trouble string
	// Why says why whoever recorded it has stopped; empty: that is not known.
	Why string

	file   *os.File
	size   int64 // of the file in bytes, when it was opened
	zipped bool
	frames marks
	keys   []keyMark

	// Of the last frame that was read:
	in      *lines
	state   state
	current int // -1: none
	line    int
}

// frameMark is what is known of a frame without reading it.
type frameMark struct {
	at   time.Time
	news int
}

// marks are frames in the order of their times.
type marks []frameMark

// before is the last frame that was not after a time; 0 before the first one.
func (m marks) before(at time.Time) int {
	return max(sort.Search(len(m), func(i int) bool { return m[i].at.After(at) })-1, 0)
}

// nextEvent is the next frame after one in which something happened; where there is none, the last one.
func (m marks) nextEvent(frame int) int {
	for frame++; frame < len(m)-1 && m[frame].news == 0; frame++ {
	}
	return min(frame, len(m)-1)
}

// keyMark is where a key frame is.
type keyMark struct {
	frame, line int
	at          place
}

// ErrNotARecording says that a file is no recording.
var ErrNotARecording = errors.New("this is no recording of locktop's")

// Open opens a recording and looks where its frames are. A file that is damaged is good up to the damage, which [Recording.Trouble]
// tells of; the error says why nothing of it is.
func Open(path string) (*Recording, error) { return OpenContext(context.Background(), path) }

// OpenContext is [Open] until a context ends: the whole file is read for it, and it may be large.
func OpenContext(ctx context.Context, path string) (*Recording, error) {
	info, err := os.Stat(path)
	switch { // before it is opened: a pipe is not open before somebody writes into it
	case err != nil:
		return nil, fmt.Errorf("open the recording: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: it is not a regular file: save it to one first", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	r := &Recording{file: file, size: info.Size(), current: -1}
	if err := r.index(ctx); err != nil {
		_ = file.Close() // the error that matters is the first
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Close closes the file.
func (r *Recording) Close() error {
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("close the recording: %w", err)
	}
	return nil
}

func (r *Recording) index(ctx context.Context) error {
	var magic [2]byte
	n, err := r.file.ReadAt(magic[:], 0)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return fmt.Errorf("%w: it is empty", ErrNotARecording)
	case n == 0:
		return fmt.Errorf("read the recording: %w", err)
	}
	r.zipped = magic == [2]byte{0x1f, 0x8b}
	in, err := openLines(r.file, r.zipped, place{})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotARecording, err)
	}
	text, _, err := in.read()
	if err != nil {
		return fmt.Errorf("%w: its first line: %w", ErrNotARecording, err)
	}
	if err := r.readHeader(text); err != nil {
		return err
	}
	if err := r.indexFrames(ctx, in); err != nil {
		return err
	}
	if len(r.frames) == 0 {
		return fmt.Errorf("nothing is in this recording%s", prefixed(": ", r.Trouble))
	}
	return nil
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func (r *Recording) readHeader(text []byte) error {
	if err := json.Unmarshal(text, &r.Header); err != nil {
		return ErrNotARecording
	}
	h := &r.Header
	h.Where, h.Locktop, h.Profile, h.Environment = unpack(h.Where), unpack(h.Locktop), unpack(h.Profile), unpack(h.Environment)
	h.Patterns = unpackAll(h.Patterns)
	switch {
	case h.Schema == Schema:
		return nil
	case strings.HasPrefix(h.Schema, schemaName):
		return fmt.Errorf("its schema is %q, and this version of locktop knows %s: use the version that wrote it (%s), or a newer one", h.Schema, Schema, h.Locktop)
	default:
		return ErrNotARecording
	}
}

// indexFrames looks where the frames are, up to the end or the first line that is none. The error is that of the context.
func (r *Recording) indexFrames(ctx context.Context, in *lines) error {
	open := false
	for number := 2; ; number++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read the recording: %w", err)
		}
		text, at, err := in.read()
		if errors.Is(err, io.EOF) {
			if open {
				r.Trouble = "it ends in the midst of a frame, as where whoever recorded it was killed"
			}
			return nil
		}
		var line frameLine
		if err == nil && !json.Valid(text) {
			err = errors.New("it is no JSON")
		}
		if err == nil {
			line, err = headOf(text)
		}
		if len(r.frames) == maxFrames || int64(len(r.frames)) >= r.size { // no frame is so small, however well it compresses
			err = errors.New("there are more frames than a recording may have")
		}
		if errors.Is(err, errCut) {
			r.Trouble = fmt.Sprintf("line %d is cut off, as where whoever recorded it was killed or goes on", number)
			return nil
		}
		if err != nil {
			r.Trouble = damaged(number, err)
			return nil
		}
		switch {
		case line.Frame == frameEnd:
			r.readEnd(text)
			continue
		case !open && line.Frame == frameKey:
			r.keys = append(r.keys, keyMark{len(r.frames), number, at})
		case len(r.keys) == 0:
			r.Trouble = damaged(number, errApart)
			return nil
		}
		if open = line.More; !open {
			r.mark(&line)
		}
	}
}

// mark notes a frame. The clock of whoever recorded it may have been set back; here time does not run backwards.
func (r *Recording) mark(line *frameLine) {
	at := instant(line.At)
	if n := len(r.frames); n > 0 && at.Before(r.frames[n-1].at) {
		at = r.frames[n-1].at
	}
	r.frames = append(r.frames, frameMark{at, line.News})
}

func (r *Recording) readEnd(text []byte) {
	var line frameLine
	if json.Unmarshal(text, &line) == nil {
		r.Why = unpack(line.Why)
	}
}

func damaged(line int, err error) string { return fmt.Sprintf("line %d is damaged: %v", line, err) }

// Len is the number of frames.
func (r *Recording) Len() int { return len(r.frames) }

// Time is when a frame was.
func (r *Recording) Time(frame int) time.Time { return r.frames[frame].at }

// First and Last are when the recording begins and ends.
func (r *Recording) First() time.Time { return r.frames[0].at }

// Last is when the recording ends.
func (r *Recording) Last() time.Time { return r.frames[len(r.frames)-1].at }

// FrameAt is the last frame that was not after a time; 0 before the first one.
func (r *Recording) FrameAt(at time.Time) int { return r.frames.before(at) }

// Snapshot reads a frame, and with it what is before it as far as that is needed. Where the file is damaged there, the recording ends
// before the damage from now on, and the snapshot is the last one before it; the error is that of a file of which nothing is left.
func (r *Recording) Snapshot(frame int) (*inspector.Snapshot, error) {
	frame = min(max(frame, 0), len(r.frames)-1)
	if err := r.goTo(frame); err != nil {
		return nil, err
	}
	s := r.state.snapshot()
	s.Seq, s.TakenAt = uint64(r.current)+1, r.frames[r.current].at
	return s, nil
}

// goTo makes a frame the current one.
func (r *Recording) goTo(frame int) error {
	key := r.keyBefore(frame)
	if r.in == nil || r.current > frame || r.current < key.frame-1 {
		in, err := openLines(r.file, r.zipped, key.at)
		if err != nil {
			return fmt.Errorf("read the recording: %w", err)
		}
		r.in, r.state, r.current, r.line = in, state{}, key.frame-1, key.line
	}
	for r.current < frame {
		if err := r.readFrame(); err != nil {
			return r.cut(err)
		}
	}
	return nil
}

func (r *Recording) keyBefore(frame int) keyMark {
	i, found := slices.BinarySearchFunc(r.keys, frame, func(k keyMark, frame int) int { return k.frame - frame })
	if found {
		return r.keys[i]
	}
	return r.keys[max(i-1, 0)]
}

// readFrame reads the next frame.
func (r *Recording) readFrame() error {
	for {
		text, _, err := r.in.read()
		if err != nil {
			return err
		}
		whole, err := r.state.take(text)
		if err != nil {
			return err
		}
		r.line++
		if whole {
			r.current++
			return nil
		}
	}
}

// cut ends the recording before the frame that could not be read, and goes to the one before it.
func (r *Recording) cut(why error) error {
	bad := r.current + 1
	r.Trouble = damaged(r.line, why)
	r.in = nil
	if bad == 0 {
		return fmt.Errorf("nothing of the recording can be read: %s", r.Trouble)
	}
	r.frames = r.frames[:bad]
	r.keys = slices.DeleteFunc(r.keys, func(k keyMark) bool { return k.frame >= bad })
	return r.goTo(bad - 1)
}
