package recording

import (
	"math"
	"slices"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// gapsLine is how the times between renewals changed: so many of the last ones are as they were, and then come these, in milliseconds.
type gapsLine struct {
	Keep int     `json:"keep,omitempty"`
	New  []int64 `json:"new,omitempty"`
}

// maxGaps bounds the times between renewals of one lock that are read.
const maxGaps = 1000

// newGaps tells what is new of the times between renewals; nil: nothing.
func newGaps(gaps, before []time.Duration) *gapsLine {
	keep := min(len(gaps), len(before))
	for keep > 0 && !slices.Equal(before[len(before)-keep:], gaps[:keep]) {
		keep--
	}
	if keep == len(gaps) && keep == len(before) {
		return nil
	}
	return &gapsLine{keep, each(gaps[keep:], time.Duration.Milliseconds)}
}

func (line *gapsLine) gaps(before []time.Duration) ([]time.Duration, error) {
	switch {
	case line == nil:
		return before, nil
	case line.Keep < 0 || line.Keep > len(before) || line.Keep+len(line.New) > maxGaps:
		return nil, errApart
	}
	var out []time.Duration
	out = append(out, before[len(before)-line.Keep:]...)
	for _, ms := range line.New {
		out = append(out, milliseconds(ms))
	}
	return out, nil
}

// chronicleLine is how the chronicle of a lock changed. A row is told as place and figure of those that changed, after it was moved on
// to the minute.
type chronicleLine struct {
	Minute       int64 `json:"minute"`
	Acquisitions []int `json:"acquisitions,omitempty"`
	Waiters      []int `json:"waiters,omitempty"`
	Waiting      int   `json:"waiting,omitempty"`
	Holds        []int `json:"holds,omitempty"`
	Counted      int64 `json:"counted,omitempty"`
	Longest      int64 `json:"longest,omitempty"` // nanoseconds
}

// newChronicle tells what is new of a chronicle; nil: nothing. A lock that has one keeps it.
func newChronicle(c, before *inspector.KeptChronicle) *chronicleLine {
	if c == nil || before != nil && *c == *before {
		return nil
	}
	was := movedOn(before, c.Minute)
	return &chronicleLine{
		Minute: c.Minute, Acquisitions: figures(c.Acquisitions[:], was.Acquisitions[:]), Waiters: figures(c.Waiters[:], was.Waiters[:]),
		Waiting: int(c.Waiting), Holds: figures(c.Holds[:], was.Holds[:]), Counted: int64(c.Counted), Longest: c.Longest.Nanoseconds(),
	}
}

func (line *chronicleLine) chronicle(before *inspector.KeptChronicle) (*inspector.KeptChronicle, error) {
	if line == nil {
		return before, nil
	}
	c := movedOn(before, min(max(line.Minute, 0), latest/time.Minute.Microseconds()))
	for _, row := range []struct {
		row     []uint16
		changed []int
	}{{c.Acquisitions[:], line.Acquisitions}, {c.Waiters[:], line.Waiters}, {c.Holds[:], line.Holds}} {
		if err := change16(row.row, row.changed); err != nil {
			return nil, err
		}
	}
	c.Waiting, c.Counted = uint16(min(max(line.Waiting, 0), math.MaxUint16)), uint32(min(max(line.Counted, 0), math.MaxUint32))
	c.Longest = min(max(time.Duration(line.Longest), 0), longest)
	return &c, nil
}

func movedOn(c *inspector.KeptChronicle, minute int64) inspector.KeptChronicle {
	if c == nil {
		return inspector.KeptChronicle{Minute: minute}
	}
	return c.MovedTo(minute)
}

// figures are the places and figures of a row that are others than before.
func figures(row, before []uint16) (out []int) {
	for i := range row {
		if row[i] != before[i] {
			out = append(out, i, int(row[i]))
		}
	}
	return out
}

// change16 is the inverse of figures.
func change16(row []uint16, changed []int) error {
	if len(changed)%2 != 0 {
		return errApart
	}
	for pair := range slices.Chunk(changed, 2) {
		if pair[0] < 0 || pair[0] >= len(row) {
			return errApart
		}
		row[pair[0]] = uint16(min(max(pair[1], 0), math.MaxUint16))
	}
	return nil
}

type unseenLine struct {
	Node string `json:"node,omitempty"`
	DB   int    `json:"db,omitempty"`
	From int64  `json:"from,omitempty"`
	To   int64  `json:"to,omitempty"`
	Why  string `json:"why,omitempty"`
}

func newUnseen(u inspector.Unseen) unseenLine {
	return unseenLine{Node: pack(string(u.Node)), DB: u.DB, From: micro(u.From), To: micro(u.To), Why: pack(u.Why)}
}

func (line unseenLine) unseen() inspector.Unseen {
	return inspector.Unseen{
		Node: keyspace.Node(unpack(line.Node)), DB: line.DB, From: instant(line.From), To: instant(line.To), Why: unpack(line.Why),
	}
}

// lossLine is how a holder lost the lock.
type lossLine struct {
	At    int64  `json:"at"`
	Until int64  `json:"until,omitempty"`
	Text  string `json:"text,omitempty"`
	// Code is what kind of loss it is; empty: while held. Client is of an overrun.
	Code   string `json:"code,omitempty"`
	Client string `json:"client,omitempty"`
}

func newLoss(l *inspector.Loss) *lossLine {
	if l == nil {
		return nil
	}
	line := &lossLine{At: micro(l.At), Until: micro(l.Until), Text: pack(l.Text), Client: pack(string(l.Client))}
	if l.Code != inspector.CodeLostWhileHeld {
		line.Code = pack(string(l.Code))
	}
	return line
}

func (line *lossLine) loss() *inspector.Loss {
	if line == nil {
		return nil
	}
	code := inspector.Code(word(line.Code))
	if code == "" {
		code = inspector.CodeLostWhileHeld
	}
	return &inspector.Loss{
		Code: code, At: instant(line.At), Until: instant(line.Until), Text: unpack(line.Text), Client: inspector.Connection(word(line.Client)),
	}
}

func sameLoss(a, b *inspector.Loss) bool {
	return a == b || a != nil && b != nil && a.At.Equal(b.At) && a.Until.Equal(b.Until) && a.Text == b.Text &&
		a.Code == b.Code && a.Client == b.Client
}
