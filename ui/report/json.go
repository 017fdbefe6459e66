package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// The schemas of the JSON output. Changes to them are additive only.
const (
	SnapshotSchema = "locktop.snapshot/1"
	EventSchema    = "locktop.event/1"
	OutcomeSchema  = "locktop.outcome/1"
)

// Snapshot is one snapshot.
type Snapshot struct {
	Schema  string `json:"schema"`
	TakenAt string `json:"taken_at"`
	Source  Source `json:"source"`
	Locks   []Lock `json:"locks"`
}

// Source is where a snapshot comes from.
type Source struct {
	Topology string `json:"topology"`
	Complete bool   `json:"complete"`
	Nodes    []Node `json:"nodes"`
	// Clients are those that are connected to the servers; absent where that was not asked.
	Clients *Roll `json:"clients,omitempty"`
}

// Node is a server, and how it is seen.
type Node struct {
	Addr    string `json:"addr"`
	Version string `json:"version,omitempty"`
	// Feed is "push" or "poll". Via is "tracking" where changes are pushed by CLIENT TRACKING.
	Feed  string `json:"feed"`
	Error string `json:"error,omitempty"`
	Via   string `json:"via,omitempty"`
	// Role is "master" or "replica"; Slots is how many hash slots a cluster's master serves, MasterAddr where a replica copies from.
	Role       string    `json:"role,omitempty"`
	Slots      int       `json:"slots,omitempty"`
	MasterAddr string    `json:"master_addr,omitempty"`
	Replicas   []Replica `json:"replicas,omitempty"`
}

// Replica is what a master says of a replica.
type Replica struct {
	Addr     string `json:"addr"`
	Online   bool   `json:"online"`
	Behind   int64  `json:"behind_bytes"`
	SinceAck int64  `json:"since_ack_ms"`
}

// Lock is one lock.
type Lock struct {
	Key       string `json:"key"`
	KeyBase64 string `json:"key_base64,omitempty"`
	Node      string `json:"node"`
	DB        int    `json:"db"`
	Scheme    string `json:"scheme"`
	// Library left it, surely; or one of Candidates may have.
	Library    string   `json:"library,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	Mode       string   `json:"mode,omitempty"`
	State      string   `json:"state"`
	Holders    []Holder `json:"holders"`
	TTL        *int64   `json:"ttl_ms"` // -1: none; null: unknown
	// ExpiresAt is when the TTL ends, or without one the lease by the value.
	ExpiresAt string `json:"expires_at,omitempty"`
	// ExpireTime is PEXPIRETIME as the server answered it; absent without a TTL, before Redis 7.0, and of a Redlock.
	ExpireTime int64 `json:"expire_time_ms,omitempty"`
	// EndsBy is [EndsByField] if the lease ends with a holder's field and not with the key, whose
	// TTL is then KeyTTL; -1: none.
	EndsBy    string `json:"ends_by,omitempty"`
	KeyTTL    *int64 `json:"key_ttl_ms,omitempty"`
	Held      *int64 `json:"held_ms,omitempty"`
	HeldExact *bool  `json:"held_is_exact,omitempty"`
	// FreedAt and FreedBy are when and how a lock in the state freed ended.
	FreedAt string   `json:"freed_at,omitempty"`
	FreedBy string   `json:"freed_by,omitempty"`
	Waiters *Waiters `json:"waiters,omitempty"`
	Fencing *int64   `json:"fencing_token,omitempty"`
	// Digest is the SHA-256 of a string's value that is more than its holder; else absent.
	Digest string `json:"value_sha256,omitempty"`
	// Companion64 is as long as Companion, and has the bytes of those that are not exact there; absent if all of them are.
	Companion   []string `json:"companions,omitempty"`
	Companion64 []string `json:"companions_base64,omitempty"`
	// HeldWith are other keys of the snapshot that the same owner holds, and HeldWith64 their bytes, as for companions.
	HeldWith   []string `json:"held_with,omitempty"`
	HeldWith64 []string `json:"held_with_base64,omitempty"`
	// Votes are those of the independent masters of a Redlock, VotesNeeded is the number that makes a quorum, and ValidUntil until when the holder
	// surely has it.
	Votes       []Vote    `json:"votes,omitempty"`
	VotesNeeded int       `json:"votes_needed,omitempty"`
	ValidUntil  string    `json:"valid_until,omitempty"`
	Findings    []Finding `json:"findings"`
	// HoldTimes, AcquisitionsPerMinute (of the last hour, oldest first), Renewal, Evidence, Commands and Sample are added by "locktop show" only.
	HoldTimes             *HoldTimes `json:"hold_ms,omitempty"`
	AcquisitionsPerMinute []int      `json:"acquisitions_per_minute,omitempty"`
	Renewal               *Renewal   `json:"renewal,omitempty"`

	Evidence []string  `json:"evidence,omitempty"`
	Commands []Command `json:"commands,omitempty"`
	// Sample is what a probe found ("locktop show --probe").
	Sample *Sample `json:"sample,omitempty"`
}

// Vote is what one master says; ballot is one of "for", "other holder", "absent", "wrong type", "denied", "timeout", "down",
// "not read yet".
type Vote struct {
	Node        string `json:"node"`
	Ballot      string `json:"ballot"`
	Owner       string `json:"owner,omitempty"`
	OwnerBase64 string `json:"owner_base64,omitempty"`
	TTL         *int64 `json:"ttl_ms,omitempty"` // -1: none
	ExpiresAt   string `json:"expires_at,omitempty"`
	ExpireTime  int64  `json:"expire_time_ms,omitempty"` // as that of the lock
	Error       string `json:"error,omitempty"`
}

// Holder is a client that has a lock.
type Holder struct {
	Owner       string `json:"owner"`
	OwnerBase64 string `json:"owner_base64,omitempty"`
	Count       *int64 `json:"count"` // null: the scheme does not store it
	Label       string `json:"label,omitempty"`
	ExpiresAt   string `json:"expires_at,omitempty"`
	// Client is the holder's connection, where it is known.
	Client *Client `json:"client,omitempty"`
}

// Waiters are those who wait, and how they were counted. Count is null if they cannot be seen.
type Waiters struct {
	Count *int   `json:"count"`
	Exact bool   `json:"exact"`
	By    string `json:"by"`
}

// Finding is something wrong with a lock.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Advice   string `json:"advice,omitempty"`
}

// Command is a redis-cli command line, and what it does.
type Command struct {
	Does    string `json:"does"`
	Command string `json:"command"`
}

// Instant is RFC 3339 in UTC with milliseconds, and "" for no time at all.
func Instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Plain is text from Redis for a JSON string: as it is if it is UTF-8 and can be an argument of a command line, else escaped;
// encoded is its bytes in base64 in the second case only.
func Plain(s string) (shown, encoded string) {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) {
		return s, ""
	}
	return text.Escape(s), base64.StdEncoding.EncodeToString([]byte(s))
}

// Bytes are the bytes of a text that Plain has shown.
func Bytes(shown, encoded string) (string, error) {
	if encoded == "" {
		return shown, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", fmt.Errorf("%q is not base64", encoded)
	}
	if again, _ := Plain(string(decoded)); again != shown {
		return "", fmt.Errorf("%q and the base64 beside it are different texts", shown)
	}
	return string(decoded), nil
}

// plainList is Plain of several texts; encoded is nil if all of them are exact.
func plainList(list []string) (shown, encoded []string) {
	for i, s := range list {
		one, bytes := Plain(s)
		shown = append(shown, one)
		if bytes != "" && encoded == nil {
			encoded = make([]string, len(list))
		}
		if bytes != "" {
			encoded[i] = bytes
		}
	}
	return shown, encoded
}

// Shown is the first answer of Plain.
func Shown(s string) string {
	shown, _ := Plain(s)
	return shown
}

// maxHeldWith bounds what is said of a client that holds very many locks.
const maxHeldWith = 64

// NewSnapshot shows these locks of a snapshot.
func NewSnapshot(s *inspector.Snapshot, locks []*inspector.Lock) Snapshot {
	out := Snapshot{
		Schema:  SnapshotSchema,
		TakenAt: Instant(s.TakenAt),
		Source:  Source{Topology: topology(s), Complete: s.Complete, Nodes: []Node{}, Clients: newRoll(s)},
		Locks:   make([]Lock, 0, len(locks)),
	}
	for _, n := range s.Nodes {
		out.Source.Complete = out.Source.Complete && n.Denied == 0
		out.Source.Nodes = append(out.Source.Nodes, NewNode(n))
	}
	together := s.Together()
	for _, l := range locks {
		shown := NewLock(l, s.TakenAt)
		for i := range l.Holders {
			shown.Holders[i].Client = NewClient(s, l.Holders[i].Presence)
		}
		if len(l.Holders) == 1 {
			var others []string
			for _, other := range together[l.Holders[0].Owner] {
				if other.Ref != l.Ref && len(others) < maxHeldWith {
					others = append(others, other.Key)
				}
			}
			shown.HeldWith, shown.HeldWith64 = plainList(others)
		}
		out.Locks = append(out.Locks, shown)
	}
	return out
}

// topology is how the nodes of a snapshot belong together.
func topology(s *inspector.Snapshot) string {
	for _, n := range s.Nodes {
		if n.Topology != "" {
			return string(n.Topology)
		}
	}
	return string(keyspace.Standalone)
}

// NewNode shows how a server is seen.
func NewNode(n keyspace.Status) Node {
	out := Node{Addr: Shown(string(n.Node)), Version: Shown(n.Version), Error: Shown(n.Err), Feed: "poll"}
	out.Role, out.Slots, out.MasterAddr = n.Role, n.Slots, Shown(n.Replication.MasterAddr)
	for _, r := range n.Replication.Replicas {
		out.Replicas = append(out.Replicas, Replica{Addr: Shown(r.Addr), Online: r.Online, Behind: r.Behind, SinceAck: r.SinceAck.Milliseconds()})
	}
	switch n.Feed {
	case keyspace.FeedPush:
		out.Feed = "push"
	case keyspace.FeedTracking:
		out.Feed, out.Via = "push", "tracking"
	case keyspace.FeedPoll:
	}
	return out
}

// NewLock shows a lock as it is at a moment.
func NewLock(l *inspector.Lock, at time.Time) Lock {
	out := Lock{
		Node: Shown(string(l.Node)), DB: l.DB,
		Scheme: string(l.Scheme), Mode: string(l.Mode), State: string(l.State),
		Holders: make([]Holder, 0, len(l.Holders)), ExpiresAt: Instant(l.ExpiresAt),
		Fencing: l.FencingToken, Findings: make([]Finding, 0, len(l.Findings)),
	}
	if left, known := Milliseconds(l, at); known {
		out.TTL = &left
	}
	if l.ExpiresAt.IsZero() {
		out.ExpiresAt = Instant(l.LeaseEnds)
	}
	if l.EndsByField() {
		out.EndsBy = EndsByField
		left := int64(-1)
		if key, ends := l.KeyLeft(at); ends {
			left = max(0, key.Milliseconds())
		}
		out.KeyTTL = &left
	}
	out.Key, out.KeyBase64 = Plain(l.Key)
	libraries, surely := l.Libraries()
	for _, library := range libraries {
		if surely {
			out.Library = library.Name
		} else {
			out.Candidates = append(out.Candidates, library.Name)
		}
	}
	for _, h := range l.Holders {
		ends := h.ExpiresAt
		if ends.IsZero() && len(l.Holders) == 1 {
			ends = l.LeaseEnds // the scheme keeps the holder's lease in the value
		}
		holder := Holder{Label: Shown(h.Label), ExpiresAt: Instant(ends)}
		holder.Owner, holder.OwnerBase64 = Plain(h.Owner)
		if h.Count.Known {
			holder.Count = &h.Count.N
		}
		out.Holders = append(out.Holders, holder)
	}
	if q := l.Quorum; q != nil {
		out.VotesNeeded, out.ValidUntil = q.Needed, Instant(q.ValidUntil)
		for i := range q.Votes {
			out.Votes = append(out.Votes, newVote(&q.Votes[i], at))
		}
	}
	if l.State == inspector.StateFreed {
		ended, cause, held, exact := l.Ended()
		out.FreedAt, out.FreedBy = Instant(ended), string(cause)
		if milliseconds := held.Milliseconds(); held > 0 || len(l.History) > 0 {
			out.Held, out.HeldExact = &milliseconds, &exact
		}
	} else if !l.HeldSince.IsZero() {
		held, exact := max(0, at.Sub(l.HeldSince).Milliseconds()), l.HeldExact
		out.Held, out.HeldExact = &held, &exact
	}
	if l.Waiters.By != "" {
		out.Waiters = &Waiters{Exact: l.Waiters.Exact, By: string(l.Waiters.By)}
		if l.Waiters.By != inspector.WaitersNone {
			out.Waiters.Count = &l.Waiters.Count
		}
	}
	if l.Quorum == nil && l.State != inspector.StateFreed {
		out.ExpireTime = l.ExpireTime()
	}
	out.Digest = digest(l)
	out.Companion, out.Companion64 = plainList(l.CompanionKeys())
	for _, f := range l.Findings {
		out.Findings = append(out.Findings, Finding{
			Code: string(f.Code), Severity: string(f.Severity), Text: Shown(f.Text), Advice: Shown(f.Advice),
		})
	}
	return out
}

// digest is that of a value of which the holders and their leases are not all: the number of free permits, or a list of holders.
func digest(l *inspector.Lock) string {
	if l.Observed.Type != keyspace.TypeString || l.Quorum != nil || len(l.Holders) == 0 {
		return ""
	}
	for _, h := range l.Holders {
		if h.Owner == l.Observed.Value.Text || !h.ExpiresAt.IsZero() {
			return ""
		}
	}
	sum := sha256.Sum256([]byte(l.Observed.Value.Text))
	return hex.EncodeToString(sum[:])
}

func newVote(v *inspector.Vote, at time.Time) Vote {
	out := Vote{Node: Shown(string(v.Node)), Ballot: string(v.Ballot), Error: Shown(v.Detail)}
	out.Owner, out.OwnerBase64 = Plain(v.Owner)
	if v.Owner != "" {
		left := int64(-1)
		if !v.ExpiresAt.IsZero() {
			left = max(0, v.ExpiresAt.Sub(at).Milliseconds())
		}
		out.TTL, out.ExpiresAt, out.ExpireTime = &left, Instant(v.ExpiresAt), v.Observed.ExpireTime
	}
	return out
}

// EndsByField is [Lock.EndsBy] of a lease that ends with the TTL of the holder's field in a hash.
const EndsByField = "field"

// Milliseconds is what the TTL has left, the key's or that of the holders' fields, -1 where there
// is none, and 0 where it is over, as that of a lock that is gone. False: it is unknown.
func Milliseconds(l *inspector.Lock, at time.Time) (left int64, known bool) {
	switch {
	case l.State == inspector.StateFreed:
		return 0, true
	case l.EndUnknown():
		return 0, false
	case l.ExpiresAt.IsZero():
		return -1, true
	}
	return max(0, l.ExpiresAt.Sub(at).Milliseconds()), true
}

// Event is one event. What stands after Held was added to the first fields, which are those of the contract.
type Event struct {
	Schema              string  `json:"schema"`
	At                  string  `json:"at"`
	Node                string  `json:"node,omitempty"`
	Key                 *string `json:"key,omitempty"`
	KeyBase64           string  `json:"key_base64,omitempty"`
	Event               string  `json:"event"`
	Owner               string  `json:"owner,omitempty"`
	OwnerBase64         string  `json:"owner_base64,omitempty"`
	PreviousOwner       string  `json:"previous_owner,omitempty"`
	PreviousOwnerBase64 string  `json:"previous_owner_base64,omitempty"`
	TTL                 *int64  `json:"ttl_ms,omitempty"`
	Held                *int64  `json:"held_ms,omitempty"`
	HeldExact           *bool   `json:"held_is_exact,omitempty"`
	DB                  int     `json:"db"`
	Scheme              string  `json:"scheme,omitempty"`
	Count               *int64  `json:"count,omitempty"`
	Cause               string  `json:"cause,omitempty"`
	Repaired            bool    `json:"repaired,omitempty"` // of "renewed": it had no TTL, and was given one
	Proven              *bool   `json:"proven,omitempty"`   // of a release: whether it is known to be one
	Text                string  `json:"text,omitempty"`
}

// causeWord is a cause for programs: one that nothing proves keeps the word that it always had, and "proven" says so.
func causeWord(c inspector.Cause) string {
	if c == inspector.CauseFreed {
		c = inspector.CauseReleased
	}
	return string(c)
}

// NewEvent shows an event.
func NewEvent(e inspector.Event) Event {
	out := Event{
		Schema: EventSchema, At: Instant(e.At), Node: Shown(string(e.Node)), Event: string(e.Kind), DB: e.DB,
		Scheme: string(e.Scheme), Cause: causeWord(e.Cause), Repaired: e.Repaired, Text: Shown(e.Text),
	}
	if e.Kind != inspector.EventGap || e.Key != "" { // a gap concerns no key; else an empty key is one as well
		var key string
		key, out.KeyBase64 = Plain(e.Key)
		out.Key = &key
	}
	if proven, ok := e.Proven(); ok && e.Kind != inspector.EventOperator {
		out.Proven = &proven
	}
	out.Owner, out.OwnerBase64 = Plain(e.Owner)
	out.PreviousOwner, out.PreviousOwnerBase64 = Plain(e.PreviousOwner)
	if e.TTLKnown {
		ttl := int64(-1)
		if e.TTL >= 0 {
			ttl = e.TTL.Milliseconds()
		}
		out.TTL = &ttl
	}
	if e.Held > 0 {
		held, exact := e.Held.Milliseconds(), e.HeldExact
		out.Held, out.HeldExact = &held, &exact
	}
	if e.Count.Known {
		out.Count = &e.Count.N
	}
	return out
}

// WriteJSON writes one value on one line, in a form that a terminal shows harmlessly.
func WriteJSON(w io.Writer, value any) error {
	line, err := marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}
