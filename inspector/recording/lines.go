package recording

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// place is where a line begins: a byte of the file, and in a compressed one a part that begins there, and how many bytes of what it
// holds come before the line.
type place struct {
	offset, skip int64
}

// errCut says that a file ends in the midst of a line.
var errCut = errors.New("it is cut off")

// lines reads a file line by line, and knows where each of them begins.
type lines struct {
	raw  *counter
	zip  *gzip.Reader // nil: it is not compressed
	in   *bufio.Reader
	next place
	text []byte
}

// counter counts what was consumed. It can read single bytes, so that nothing is consumed beyond a compressed part's end.
type counter struct {
	*bufio.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// openLines reads a file from a place on.
func openLines(file io.ReadSeeker, zipped bool, at place) (*lines, error) {
	if _, err := file.Seek(at.offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("seek: %w", err)
	}
	l := &lines{raw: &counter{bufio.NewReaderSize(file, 64<<10), at.offset}, next: place{at.offset, 0}}
	if !zipped {
		l.in = l.raw.Reader
		return l, nil
	}
	zip, err := gzip.NewReader(l.raw)
	if err != nil {
		return nil, errors.Join(errCut, err)
	}
	zip.Multistream(false)
	l.zip, l.in = zip, bufio.NewReaderSize(zip, 64<<10)
	if _, err := io.CopyN(io.Discard, l.in, at.skip); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	l.next.skip = at.skip
	return l, nil
}

// read returns the next line, which is good until the next call, and where it begins. The error is io.EOF at the end, and errCut
// where the last line is not whole.
func (l *lines) read() ([]byte, place, error) {
	begin := l.next
	l.text = l.text[:0]
	for {
		piece, err := l.in.ReadSlice('\n')
		l.text = append(l.text, piece...)
		if l.zip == nil {
			l.next.offset += int64(len(piece))
		} else {
			l.next.skip += int64(len(piece))
		}
		switch {
		case len(l.text) > maxLine:
			return nil, begin, fmt.Errorf("it is longer than %d bytes", maxLine)
		case err == nil:
			return l.text, begin, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && l.zip != nil:
			more, err := l.nextPart()
			if err != nil {
				return nil, begin, err
			}
			if !more {
				return nil, begin, l.atEnd()
			}
			if len(l.text) == 0 {
				begin = l.next
			}
		case errors.Is(err, io.EOF):
			return nil, begin, l.atEnd()
		default:
			return nil, begin, errors.Join(errCut, err)
		}
	}
}

func (l *lines) atEnd() error {
	if len(l.text) > 0 {
		return errCut
	}
	return io.EOF
}

// nextPart goes on with the compressed part that follows; false: there is none.
func (l *lines) nextPart() (bool, error) {
	at := l.raw.n
	err := l.zip.Reset(l.raw)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, errors.Join(errCut, err)
	}
	l.zip.Multistream(false)
	l.in.Reset(l.zip)
	l.next = place{at, 0}
	return true, nil
}
