package recording

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"locktop/inspector"
)

// DefaultLimit is how large a recording may become where nobody says otherwise.
const DefaultLimit = 256_000_000

// keyEvery is how often everything is told anew, where so much was written since that it is worth it.
const keyEvery = time.Minute

// ErrFull says that a recording has reached its limit.
var ErrFull = errors.New("the recording has reached its limit")

// Writer writes a recording. It is not safe for concurrent use.
type Writer struct {
	file    *os.File
	written counted
	zip     *gzip.Writer // nil: it is not compressed
	limit   int64

	encoder *encoder
	keyAt   time.Time // of the last key frame
	keySize int       // in bytes, before compression
	since   int       // bytes of changes since then
}

// counted counts what went through it.
type counted struct {
	to io.Writer
	n  int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// Create begins a recording in a file that only the user may read. One that is there already, and not empty, is left alone. The limit
// is in bytes; zero: [DefaultLimit].
func Create(path string, h Header, limit int64) (*Writer, error) {
	file, err := create(path)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = DefaultLimit
	}
	w := &Writer{file: file, written: counted{to: file}, limit: limit, encoder: newEncoder()}
	if strings.HasSuffix(path, ".gz") {
		w.zip, _ = gzip.NewWriterLevel(&w.written, gzip.BestSpeed) // the only error is a level that there is not
	}
	h.Schema = Schema
	h.Where, h.Locktop, h.Profile, h.Environment = pack(h.Where), pack(h.Locktop), pack(h.Profile), pack(h.Environment)
	h.Patterns = packAll(h.Patterns)
	text, err := json.Marshal(h)
	if err == nil {
		err = w.write(append(text, '\n'))
	}
	if err != nil {
		_ = file.Close() // the error that matters is the first
		return nil, fmt.Errorf("begin the recording: %w", err)
	}
	return w, nil
}

func create(path string) (*os.File, error) {
	// O_EXCL does not follow a symbolic link, which might make a file that nobody named. What is there
	// already must be empty; a named pipe without a reader is an error, and does not wait for one.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		file, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		if link, no := os.Readlink(path); no == nil && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is a symbolic link to %q, which is not there: name the file itself", path, link)
		}
		return nil, fmt.Errorf("make the recording: %w", err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("make the recording: %w", err)
	case info.Mode().IsRegular() && info.Size() > 0:
		err = fmt.Errorf("%s is there already, and is not overwritten: name another file, or remove it first", path)
	case info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0:
		if err = file.Chmod(0o600); err != nil {
			err = fmt.Errorf("make the recording: %w", err)
		}
	}
	if err != nil {
		_ = file.Close() // the error that matters is the first
		return nil, err
	}
	return file, nil
}

// Frame writes what a snapshot shows, and the events since the frame before. After an error nothing more is to be written; ErrFull is
// one.
func (w *Writer) Frame(s *inspector.Snapshot, news []inspector.Event) error {
	key := w.keyAt.IsZero() || s.TakenAt.Sub(w.keyAt) >= keyEvery && w.since >= w.keySize || s.TakenAt.Before(w.keyAt)
	text, err := w.encoder.frame(s, news, key)
	if err != nil {
		return err
	}
	if w.zip == nil && w.written.n+int64(len(text)) > w.limit || w.written.n >= w.limit {
		return ErrFull
	}
	if key {
		w.keyAt, w.keySize, w.since = s.TakenAt, len(text), 0
		if err := w.part(); err != nil {
			return err
		}
	} else {
		w.since += len(text)
	}
	return w.write(text)
}

// part begins a part that can be read by itself.
func (w *Writer) part() error {
	if w.zip == nil {
		return nil
	}
	if err := w.zip.Close(); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	w.zip.Reset(&w.written)
	return nil
}

// write has the text in the file when it returns, as far as the system is concerned: a crash of locktop loses nothing of it.
func (w *Writer) write(text []byte) error {
	var err error
	if w.zip == nil {
		_, err = w.written.Write(text)
	} else if _, err = w.zip.Write(text); err == nil {
		err = w.zip.Flush()
	}
	if err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	return nil
}

// Bytes is the size of the file.
func (w *Writer) Bytes() int64 { return w.written.n }

// Close ends the recording, and tells in it why; empty: nothing is told, for the file cannot be written any more.
func (w *Writer) Close(why string) error {
	var err error
	if why != "" {
		var text []byte
		text, err = json.Marshal(frameLine{Frame: frameEnd, At: micro(time.Now()), Why: pack(why)})
		if err == nil {
			err = w.write(append(text, '\n'))
		}
		if err == nil && w.zip != nil {
			err = w.zip.Close()
		}
	}
	if err = errors.Join(err, w.file.Close()); err != nil {
		return fmt.Errorf("end the recording: %w", err)
	}
	return nil
}
