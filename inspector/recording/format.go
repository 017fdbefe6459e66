package recording

import (
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"locktop/keyspace"
)

// Schema is that of the first line. Within its version, changes only add fields.
const (
	Schema     = "locktop.recording/1"
	schemaName = "locktop.recording/"
)

// Bounds of what is written and read.
const (
	maxLine   = 16 << 20   // bytes of one line that is read
	fullLine  = 1 << 20    // bytes of locks or events after which a frame goes on in another line
	maxLocks  = 1_500_000  // of a snapshot that is read
	maxFrames = 20_000_000 // of a recording that is read: four months
	maxNodes  = 10_000
	maxEvents = 5_000 // new ones of a frame; of more, the latest
	tailKept  = 500   // events that every snapshot has, if there were so many
)

// Header is what the first line tells of the recording.
type Header struct {
	Schema string `json:"schema"`
	// Locktop is the version that wrote it, Where the servers without a secret, and Started when it began.
	Locktop string    `json:"locktop"`
	Where   string    `json:"where"`
	Started time.Time `json:"started"`
	// Patterns are the globs that were looked for.
	Patterns []string `json:"patterns,omitempty"`
	// Profile and Environment are the user's; empty: none.
	Profile     string `json:"profile,omitempty"`
	Environment string `json:"environment,omitempty"`
}

// The kinds of frames.
const (
	frameKey    = "key"
	frameChange = "change"
	frameEnd    = "end"
)

// frameLine is one line of a frame. The fields of the first four names come first, so that an index needs no more than those.
type frameLine struct {
	Frame string `json:"frame"`
	At    int64  `json:"at"`
	News  int    `json:"news"` // how many of the events are new since the frame before
	More  bool   `json:"more"` // the frame goes on in the next line

	restLine
	Locks  []lockLine  `json:"locks,omitempty"`
	Events []eventLine `json:"events,omitempty"`
	// Why says, at the end, why it ended.
	Why string `json:"why,omitempty"`
}

// restLine is what the first line of a frame has besides.
type restLine struct {
	Complete bool        `json:"complete,omitempty"`
	Totals   *totalsLine `json:"totals,omitempty"`
	// NodeCount is how many nodes there are, and Nodes those that changed.
	NodeCount int        `json:"node_count,omitempty"`
	Nodes     []nodeLine `json:"nodes,omitempty"`
	// Roll is what is new of who is connected, and Unseen when changes may have been missed; nil: as in the frame before.
	Roll   *rollLine     `json:"roll,omitempty"`
	Unseen *[]unseenLine `json:"unseen,omitempty"`
	// Gone are the places of locks that are not there any more, by the order of the frame before; changed locks name theirs as
	// well. New ones go to the end.
	Gone []int `json:"gone,omitempty"`
}

type totalsLine struct {
	Locks     int            `json:"locks"`
	ByState   map[string]int `json:"by_state,omitempty"`
	Suspects  int            `json:"suspects,omitempty"`
	Contended int            `json:"contended,omitempty"`
	PerSecond float64        `json:"per_second,omitempty"`
	Rates     []float64      `json:"rates,omitempty"`
}

// nodeLine is a node, at its place among them. It has no patterns where they are those of the frame before.
type nodeLine struct {
	I      int             `json:"i"`
	Status keyspace.Status `json:"status"`
}

// lockLine is a lock: all of a new one, and of another what changed since the frame before.
type lockLine struct {
	I    *int   `json:"i,omitempty"` // its place; nil: it is new
	Key  string `json:"key,omitempty"`
	DB   int    `json:"db,omitempty"`
	Node string `json:"node,omitempty"`

	What     *whatLine      `json:"what,omitempty"`
	Now      nowLine        `json:"now"`
	Votes    *quorumLine    `json:"votes,omitempty"`
	Findings *[]findingLine `json:"findings,omitempty"`
	Spark    *sparkLine     `json:"spark,omitempty"`
	Past     *pastLine      `json:"past,omitempty"`
	// Gaps, Chronicle and Sample are nil where they are as before.
	Gaps      *gapsLine      `json:"gaps,omitempty"`
	Chronicle *chronicleLine `json:"chronicle,omitempty"`
	Sample    *sampleLine    `json:"sample,omitempty"`
}

// whatLine is what a lock is, which hardly ever changes.
type whatLine struct {
	Scheme     string          `json:"scheme"`
	Mode       string          `json:"mode,omitempty"`
	Type       string          `json:"type,omitempty"`
	Evidence   []string        `json:"evidence,omitempty"`
	Libraries  []string        `json:"libraries,omitempty"`
	Surely     bool            `json:"surely,omitempty"`
	Companions []companionLine `json:"companions,omitempty"`
}

type companionLine struct {
	Key  string `json:"key"`
	Type string `json:"type"`
	Size int64  `json:"size,omitempty"`
}

// nowLine is how a lock is at the moment.
type nowLine struct {
	State     string       `json:"state"`
	Holders   []holderLine `json:"holders,omitempty"`
	Expires   int64        `json:"expires,omitempty"`
	LeaseEnds int64        `json:"lease_ends,omitempty"`
	Since     int64        `json:"since,omitempty"`
	Exact     bool         `json:"exact,omitempty"`
	Renewals  int          `json:"renewals,omitempty"`
	Period    int64        `json:"period,omitempty"`
	Renewed   int64        `json:"renewed,omitempty"`
	Waiters   int          `json:"waiters,omitempty"`
	Counted   bool         `json:"waiters_exact,omitempty"`
	By        string       `json:"waiters_by,omitempty"`
	Fencing   *int64       `json:"fencing,omitempty"`
	Freed     int64        `json:"freed,omitempty"`
	FreedBy   string       `json:"freed_by,omitempty"`
	Read      int64        `json:"read,omitempty"`
	Size      int64        `json:"size,omitempty"`
	Cooling   bool         `json:"cooling,omitempty"`
	Lease     int64        `json:"lease,omitempty"`
	Forgets   bool         `json:"forgets,omitempty"`
	// FieldTTLs says that holders' fields have TTLs of their own. Expires is then the earlier of
	// the last of those and of the key's, which KeyEnds is. NoFieldTTLs says that they could not be
	// read.
	FieldTTLs   bool  `json:"field_ttls,omitempty"`
	KeyEnds     int64 `json:"key_ends,omitempty"`
	NoFieldTTLs bool  `json:"field_ttls_unread,omitempty"`
}

type holderLine struct {
	Owner    string        `json:"owner"`
	Label    *string       `json:"label,omitempty"` // nil: the owner
	Count    *int64        `json:"count,omitempty"` // nil: not known
	Expires  int64         `json:"expires,omitempty"`
	Presence *presenceLine `json:"presence,omitempty"`
}

type presenceLine struct {
	Connection string            `json:"connection"`
	Name       string            `json:"name,omitempty"`
	Clients    []keyspace.Client `json:"clients,omitempty"`
	By         string            `json:"by,omitempty"`
	Seen       int64             `json:"seen,omitempty"`
	Since      int64             `json:"since,omitempty"`
}

type quorumLine struct {
	Votes  []voteLine `json:"votes"`
	For    int        `json:"for"`
	Needed int        `json:"needed"`
	Valid  int64      `json:"valid,omitempty"`
	Skew   int64      `json:"skew,omitempty"`
}

type voteLine struct {
	Node    string  `json:"node"`
	Ballot  string  `json:"ballot"`
	Owner   string  `json:"owner,omitempty"`
	Label   *string `json:"label,omitempty"` // nil: the owner
	Expires int64   `json:"expires,omitempty"`
	Detail  string  `json:"detail,omitempty"`
}

type findingLine struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Advice   string `json:"advice,omitempty"`
}

type sparkLine struct {
	Counts []uint16 `json:"counts"`
	Start  int64    `json:"start"`
}

// pastLine is how the history changed: so many of the holds before are forgotten, so many after those are as they were, and then come
// these.
type pastLine struct {
	Drop  int        `json:"drop,omitempty"`
	Keep  int        `json:"keep,omitempty"`
	Holds []holdLine `json:"holds,omitempty"`
}

type holdLine struct {
	Owner      string  `json:"owner"`
	Label      *string `json:"label,omitempty"` // nil: the owner
	Since      int64   `json:"since,omitempty"`
	SinceExact bool    `json:"since_exact,omitempty"`
	Until      int64   `json:"until,omitempty"`
	UntilExact bool    `json:"until_exact,omitempty"`
	// SinceRest and UntilRest are nanoseconds beyond the microsecond: the time between the two is rounded by whoever shows it.
	SinceRest int       `json:"since_rest,omitempty"`
	UntilRest int       `json:"until_rest,omitempty"`
	Cause     string    `json:"cause,omitempty"`
	Renewals  int       `json:"renewals,omitempty"`
	Lost      *lossLine `json:"lost,omitempty"`
}

type eventLine struct {
	Seq       uint64 `json:"seq"`
	At        int64  `json:"at"`
	Kind      string `json:"kind"`
	Node      string `json:"node,omitempty"`
	DB        int    `json:"db,omitempty"`
	Key       string `json:"key,omitempty"`
	Scheme    string `json:"scheme,omitempty"`
	Owner     string `json:"owner,omitempty"`
	Label     string `json:"label,omitempty"`
	Previous  string `json:"previous,omitempty"`
	Count     *int64 `json:"count,omitempty"`
	TTL       *int64 `json:"ttl,omitempty"` // nil: it tells of no lease
	Held      int64  `json:"held,omitempty"`
	HeldExact bool   `json:"held_exact,omitempty"`
	Cause     string `json:"cause,omitempty"`
	Repaired  bool   `json:"repaired,omitempty"`
	Text      string `json:"text,omitempty"`
}

// encoded begins a text that is kept as base64.
const encoded = "base64:"

// pack is a text for the file.
func pack(s string) string {
	if plain(s) {
		return s
	}
	return encoded + base64.StdEncoding.EncodeToString([]byte(s))
}

func plain(s string) bool {
	if strings.HasPrefix(s, encoded) {
		return false
	}
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return utf8.ValidString(s) && keyspace.Printable(s)
		}
	}
	return true
}

// unpack is the inverse of pack; what is no base64 stays as it is.
func unpack(s string) string {
	rest, is := strings.CutPrefix(s, encoded)
	if !is {
		return s
	}
	raw, err := base64.StdEncoding.DecodeString(rest)
	if err != nil {
		return s
	}
	return string(raw)
}

// word is the inverse of pack for one of our own words, such as a state. Nobody escapes those where they are shown, so that what is none
// of them is escaped here.
func word(s string) string { return keyspace.Visible(unpack(s)) }

func packAll(list []string) []string   { return each(list, pack) }
func unpackAll(list []string) []string { return each(list, unpack) }

func each[A, B any](list []A, one func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i := range list {
		out[i] = one(list[i])
	}
	return out
}

// packLabel is a label beside its owner; nil: it is the same.
func packLabel(label, owner string) *string {
	if label == owner {
		return nil
	}
	p := pack(label)
	return &p
}

func unpackLabel(label *string, owner string) string {
	if label == nil {
		return owner
	}
	return unpack(*label)
}

// micro is an instant for the file; zero: none.
func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// beyond are the nanoseconds of an instant that [micro] leaves out.
func beyond(t time.Time) int {
	if t.IsZero() {
		return 0
	}
	return t.Nanosecond() % 1000
}

// exactly is the inverse of micro and beyond.
func exactly(us int64, rest int) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return instant(us).Add(time.Duration(min(max(rest, 0), 999)))
}

// latest bounds the instants that are read: durations between them stay durations.
const latest = 8_000_000_000_000_000 // the year 2223

func instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(min(max(us, 1), latest))
}

// longest bounds the durations that are read.
const longest = 100 * 365 * 24 * time.Hour

func span(us int64) time.Duration {
	return time.Duration(min(max(us, -longest.Microseconds()), longest.Microseconds())) * time.Microsecond
}
