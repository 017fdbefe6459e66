package actions

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/adrg/xdg"

	"locktop/inspector"
	"locktop/keyspace"
)

// Audit is the append-only file of actions. Each action that is sent to a server leaves two lines with the same id: an
// "intent" before it is sent, so that a process that dies in between leaves a trace, and an "outcome" after it. An action
// that is refused before anything is sent, and a dry run, leave the outcome only.
//
// A line is written with one call to the system, so several processes may share the file, and is read back: it is a line of its
// own also after half a line that a full disk has left. It is not forced to the disk: the death of the process loses nothing,
// that of the machine may lose the last lines.
//
// In the file, every character that is not graphic is a JSON escape, so that it is safe to print.
type Audit struct {
	mu   sync.Mutex
	file *os.File
	// readable: it is a regular file, and no device such as /dev/null.
	readable bool
}

// OpenAudit opens or makes the audit file; an empty path stands for audit.jsonl in the XDG state directory. Only the
// user may read it; a regular file that others may read is closed to them. A named pipe is refused: it keeps no record, and to
// write to it waits for a reader.
func OpenAudit(path string) (*Audit, error) {
	if path == "" {
		path = filepath.Join(xdg.StateHome, "locktop", "audit.jsonl")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	// Without O_NONBLOCK, to open a named pipe would wait for its other end.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	a := &Audit{file: file}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.Mode().IsRegular():
		a.readable = true
		if info.Mode().Perm()&0o077 != 0 {
			err = file.Chmod(0o600)
		}
	case info.Mode()&os.ModeCharDevice == 0:
		err = fmt.Errorf("%s is not a regular file: name one that is", path)
	}
	if err != nil {
		_ = file.Close() // the error that matters is the first
		return nil, fmt.Errorf("audit: %w", err)
	}
	return a, nil
}

// Path is where the file is.
func (a *Audit) Path() string { return a.file.Name() }

// Close closes the file.
func (a *Audit) Close() error { return a.file.Close() }

// AuditSchema is the schema of the lines. Changes only add fields.
const AuditSchema = "locktop.audit/1"

// The phases of an action.
const (
	PhaseIntent  = "intent"
	PhaseOutcome = "outcome"
	PhaseSession = "session" // no action: writing has lapsed, or was armed again
)

// AuditLine is one line of the audit. A field that ends in _base64 is there where the bytes are not UTF-8; the plain
// field then holds them escaped.
type AuditLine struct {
	Schema string        `json:"schema"`
	ID     string        `json:"id"`
	Phase  string        `json:"phase"`
	At     time.Time     `json:"at"`
	Actor  AuditActor    `json:"actor"`
	Where  string        `json:"where"`
	DB     int           `json:"db"`
	Verb   Verb          `json:"verb"`
	Key    string        `json:"key"`
	Key64  string        `json:"key_base64,omitempty"`
	Scheme string        `json:"scheme"`
	Saw    AuditObserved `json:"observed"`
	Asked  AuditRequest  `json:"request"`
	// Node is the server that was to be acted on, and in an outcome the one that was: a cluster may have sent us on.
	Node string `json:"node,omitempty"`
	// Nodes are, of a Redlock, the masters that were to be asked; in an outcome all, with what became of it there.
	Nodes []AuditNode `json:"nodes,omitempty"`
	// What follows is in an outcome only.
	Outcome   Result `json:"outcome,omitempty"`
	By        string `json:"by,omitempty"` // script or watch
	Detail    string `json:"detail,omitempty"`
	Error     string `json:"error,omitempty"`
	Holder    string `json:"holder,omitempty"` // who has the lock now
	Holder64  string `json:"holder_base64,omitempty"`
	CountLeft *int64 `json:"count_left,omitempty"`
	Woken     *int64 `json:"woken,omitempty"`
}

// AuditActor is who acted, as the operating system knows them.
type AuditActor struct {
	User string `json:"user"`
	Host string `json:"host"`
	PID  int    `json:"pid"`
}

// AuditObserved is what the operator saw. TTL is in milliseconds at the time of the line; -1: none.
type AuditObserved struct {
	Owner   string `json:"owner"`
	Owner64 string `json:"owner_base64,omitempty"`
	Label   string `json:"label,omitempty"`
	Type    string `json:"type"`
	Size    int64  `json:"size"`
	Count   *int64 `json:"count"`
	TTL     int64  `json:"ttl_ms"`
	// EndsBy is "field" if that is the TTL of the holder's field in a hash, and not the key's.
	EndsBy string    `json:"ends_by,omitempty"`
	ReadAt time.Time `json:"read_at"`
}

// AuditRequest is what the operator asked for.
type AuditRequest struct {
	TTL     int64  `json:"ttl_ms,omitempty"`
	Entries int64  `json:"entries,omitempty"`
	DryRun  bool   `json:"dry_run"`
	Reason  string `json:"reason,omitempty"`
}

// AuditNode is one of several masters.
type AuditNode struct {
	Node     string `json:"node"`
	Asked    bool   `json:"asked"`
	Outcome  Result `json:"outcome,omitempty"`
	By       string `json:"by,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Error    string `json:"error,omitempty"`
	Holder   string `json:"holder,omitempty"`
	Holder64 string `json:"holder_base64,omitempty"`
}

// addAsked names the masters of a Redlock that are going to be asked.
func (l *AuditLine) addAsked(r Request) {
	for _, vote := range r.Lock.Quorum.Votes {
		if _, asked := askedOf(r, vote); asked {
			l.Nodes = append(l.Nodes, AuditNode{Node: string(vote.Node), Asked: true})
		}
	}
}

// auditNodes are what became of an action on each of several masters.
func auditNodes(nodes []NodeOutcome) []AuditNode {
	var all []AuditNode
	for _, n := range nodes {
		one := AuditNode{Node: string(n.Node), Asked: n.Asked, Outcome: n.Result, By: n.by, Detail: n.Detail}
		one.Holder, one.Holder64 = text64(n.Holder)
		if n.Err != nil {
			one.Error = n.Err.Error()
		}
		all = append(all, one)
	}
	return all
}

// text64 is text for JSON, and its bytes in base64 where JSON cannot hold them.
func text64(s string) (text, base string) {
	if utf8.ValidString(s) {
		return s, ""
	}
	return printable(s), base64.StdEncoding.EncodeToString([]byte(s))
}

// Names are the key and the owner, byte for byte; exact is false if the line does not hold the bytes.
func (l *AuditLine) Names() (key, owner string, exact bool) {
	key, errKey := bytesOf(l.Key, l.Key64)
	owner, errOwner := bytesOf(l.Saw.Owner, l.Saw.Owner64)
	return key, owner, errKey == nil && errOwner == nil
}

// bytesOf is the reverse of text64.
func bytesOf(text, text64 string) (string, error) {
	if text64 == "" {
		return text, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(text64)
	return string(decoded), err
}

// Concerns reports whether the line is of an action on a key of this name.
func (l *AuditLine) Concerns(db int, key string) bool {
	text, base := text64(key)
	return l.DB == db && l.Key == text && l.Key64 == base
}

// write appends a line.
func (a *Audit) write(line AuditLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	text = append(keyspace.EscapeJSON(text), '\n')
	a.mu.Lock()
	defer a.mu.Unlock()
	for range 20 { // another process may leave half a line between our look and our line
		whole, err := a.append(text)
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		if whole {
			return nil
		}
	}
	return fmt.Errorf("audit: %w", errNotWritten)
}

var errNotWritten = errors.New("what was written is not in the file: is it being cut?")

// append writes a line, and reports whether it is a line of its own in the file.
func (a *Audit) append(text []byte) (whole bool, err error) {
	if !a.readable {
		_, err := a.file.Write(text)
		return err == nil, err
	}
	torn, err := a.torn()
	if err != nil {
		return false, err
	}
	written := text
	if torn {
		written = append([]byte("\n"), text...)
	}
	if _, err := a.file.Write(written); err != nil {
		return false, err
	}
	return a.has(text)
}

// has reports whether the line that was just written is in the file, as a line of its own.
func (a *Audit) has(line []byte) (bool, error) {
	// The file's offset is after what we have written, whatever others have added since.
	after, err := a.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return false, err
	}
	from := max(after-int64(len(line))-1, 0)
	there := make([]byte, after-from)
	if _, err := a.file.ReadAt(there, from); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	own := append([]byte("\n"), line...)
	if bytes.Equal(there, own) || from == 0 && bytes.Equal(there, line) {
		return true, nil
	}
	end, err := a.end(1 << 20) // where a system has another idea of the offset after an append
	return bytes.Contains(end, own) || bytes.HasPrefix(end, line), err
}

// torn reports whether the file ends with half a line, which a full disk or a killed process has left. What another process is
// writing at this moment looks like one, but grows. Should it grow too slowly, an empty line comes before ours.
func (a *Audit) torn() (bool, error) {
	before := int64(-1)
	for range 50 {
		info, err := a.file.Stat()
		if err != nil {
			return false, err
		}
		end, err := a.end(1)
		if err != nil || len(end) == 0 || end[0] == '\n' {
			return false, err
		}
		if info.Size() == before {
			return true, nil
		}
		before = info.Size()
		time.Sleep(2 * time.Millisecond)
	}
	return true, nil
}

// end is the end of the file: at most so many bytes.
func (a *Audit) end(most int64) ([]byte, error) {
	info, err := a.file.Stat()
	if err != nil {
		return nil, err
	}
	from := max(info.Size()-most, 0)
	end := make([]byte, info.Size()-from)
	n, err := a.file.ReadAt(end, from)
	if errors.Is(err, io.EOF) { // it was cut since
		err = nil
	}
	return end[:n], err
}

// newLine fills in what the lines of one action have in common.
func newLine(id, where string, r Request, now time.Time) AuditLine {
	line := AuditLine{
		Schema: AuditSchema, ID: id, Actor: actor(), Where: withoutSecret(where), Verb: r.Verb,
		Asked: AuditRequest{TTL: r.TTL.Milliseconds(), Entries: r.Entries, DryRun: r.DryRun, Reason: r.Reason},
		Saw:   AuditObserved{TTL: -1},
	}
	line.Saw.Owner, line.Saw.Owner64 = text64(r.Owner)
	if r.Lock == nil {
		return line
	}
	line.DB, line.Scheme = r.Lock.DB, string(r.Lock.Scheme)
	line.Key, line.Key64 = text64(r.Lock.Key)
	line.Saw.Type, line.Saw.Size, line.Saw.ReadAt = string(r.Lock.Observed.Type), r.Lock.Observed.Size, r.Lock.Observed.ReadAt
	if ends := seenEnd(r.Lock); !ends.IsZero() {
		line.Saw.TTL = max(ends.Sub(now).Milliseconds(), 0)
	}
	if r.Lock.EndsByField() {
		line.Saw.EndsBy = "field"
	}
	if holder, held := holderOf(r); held {
		line.addHolder(holder)
	}
	return line
}

func (l *AuditLine) addHolder(h inspector.Holder) {
	if h.Label != h.Owner {
		l.Saw.Label = h.Label
	}
	if h.Count.Known {
		l.Saw.Count = &h.Count.N
	}
}

// addOutcome makes an outcome of a line.
func (l *AuditLine) addOutcome(a attempt) {
	o := a.out
	l.Phase, l.Outcome, l.By, l.Detail = PhaseOutcome, o.Result, a.by, o.Detail
	l.Node = cmp.Or(string(a.at), l.Node)
	if o.Nodes != nil {
		l.Nodes = auditNodes(o.Nodes)
	}
	l.Holder, l.Holder64 = text64(o.Holder)
	if o.Err != nil {
		l.Error = o.Err.Error()
	}
	if o.Result == ResultEntryReleased {
		l.CountLeft = &o.Count
	}
	if o.Woken >= 0 {
		l.Woken = &o.Woken
	}
}

// actor finds out who acts. A system that cannot tell leaves what the environment says, or nothing.
var actor = sync.OnceValue(func() AuditActor {
	a := AuditActor{User: os.Getenv("USER"), PID: os.Getpid()}
	if u, err := user.Current(); err == nil {
		a.User = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		a.Host = host
	}
	return a
})

// withoutSecret takes user and password out of a server's name, should anybody have put them there.
func withoutSecret(where string) string {
	u, err := url.Parse(where)
	if err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	if at := strings.LastIndexByte(where, '@'); at >= 0 && !strings.HasPrefix(where, "unix:") {
		return where[at+1:]
	}
	return where
}
