package cli

import (
	"encoding/base64"
	"io"
	"time"
	"unicode/utf8"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// The schemas of the JSON output. Changes to them are additive only.
const (
	snapshotSchema = "locktop.snapshot/1"
	eventSchema    = "locktop.event/1"
	outcomeSchema  = "locktop.outcome/1"
)

// snapshotJSON is one snapshot.
type snapshotJSON struct {
	Schema  string     `json:"schema"`
	TakenAt string     `json:"taken_at"`
	Source  sourceJSON `json:"source"`
	Locks   []lockJSON `json:"locks"`
}

type sourceJSON struct {
	Topology string     `json:"topology"`
	Complete bool       `json:"complete"`
	Nodes    []nodeJSON `json:"nodes"`
	// Clients are those that are connected to the servers; absent where that was not asked.
	Clients *rollJSON `json:"clients,omitempty"`
}

type nodeJSON struct {
	Addr    string `json:"addr"`
	Version string `json:"version,omitempty"`
	// Feed is "push" or "poll". Via is "tracking" where changes are pushed by CLIENT TRACKING.
	Feed  string `json:"feed"`
	Error string `json:"error,omitempty"`
	Via   string `json:"via,omitempty"`
	// Role is "master" or "replica"; Slots is how many hash slots a cluster's master serves, MasterAddr where a replica copies from.
	Role       string        `json:"role,omitempty"`
	Slots      int           `json:"slots,omitempty"`
	MasterAddr string        `json:"master_addr,omitempty"`
	Replicas   []replicaJSON `json:"replicas,omitempty"`
}

// replicaJSON is what a master says of a replica.
type replicaJSON struct {
	Addr     string `json:"addr"`
	Online   bool   `json:"online"`
	Behind   int64  `json:"behind_bytes"`
	SinceAck int64  `json:"since_ack_ms"`
}

type lockJSON struct {
	Key       string `json:"key"`
	KeyBase64 string `json:"key_base64,omitempty"`
	Node      string `json:"node"`
	DB        int    `json:"db"`
	Scheme    string `json:"scheme"`
	// Library left it, surely; or one of Candidates may have.
	Library    string       `json:"library,omitempty"`
	Candidates []string     `json:"candidates,omitempty"`
	Mode       string       `json:"mode,omitempty"`
	State      string       `json:"state"`
	Holders    []holderJSON `json:"holders"`
	TTL        int64        `json:"ttl_ms"` // -1: none
	ExpiresAt  string       `json:"expires_at,omitempty"`
	Held       *int64       `json:"held_ms,omitempty"`
	HeldExact  *bool        `json:"held_is_exact,omitempty"`
	Waiters    *waitersJSON `json:"waiters,omitempty"`
	Fencing    *int64       `json:"fencing_token,omitempty"`
	Companion  []string     `json:"companions,omitempty"`
	// HeldWith are other keys of the snapshot that the same owner holds.
	HeldWith []string `json:"held_with,omitempty"`
	// Votes are those of the independent masters of a Redlock, VotesNeeded is the number that makes a quorum, and ValidUntil until when the holder
	// surely has it.
	Votes       []voteJSON    `json:"votes,omitempty"`
	VotesNeeded int           `json:"votes_needed,omitempty"`
	ValidUntil  string        `json:"valid_until,omitempty"`
	Findings    []findingJSON `json:"findings"`
	// HoldTimes, AcquisitionsPerMinute (of the last hour, oldest first), Renewal, Evidence, Commands and Sample are added by "locktop show" only.
	HoldTimes             *holdTimesJSON `json:"hold_ms,omitempty"`
	AcquisitionsPerMinute []int          `json:"acquisitions_per_minute,omitempty"`
	Renewal               *renewalJSON   `json:"renewal,omitempty"`

	Evidence []string      `json:"evidence,omitempty"`
	Commands []commandJSON `json:"commands,omitempty"`
	// Sample is what a probe found ("locktop show --probe").
	Sample *sampleJSON `json:"sample,omitempty"`
}

// voteJSON is what one master says; ballot is one of "for", "other holder", "absent", "wrong type", "denied", "timeout", "down",
// "not read yet".
type voteJSON struct {
	Node        string `json:"node"`
	Ballot      string `json:"ballot"`
	Owner       string `json:"owner,omitempty"`
	OwnerBase64 string `json:"owner_base64,omitempty"`
	TTL         *int64 `json:"ttl_ms,omitempty"` // -1: none
	Error       string `json:"error,omitempty"`
}

type holderJSON struct {
	Owner       string `json:"owner"`
	OwnerBase64 string `json:"owner_base64,omitempty"`
	Count       *int64 `json:"count"` // null: the scheme does not store it
	Label       string `json:"label,omitempty"`
	ExpiresAt   string `json:"expires_at,omitempty"`
	// Client is the holder's connection, where it is known.
	Client *clientJSON `json:"client,omitempty"`
}

type waitersJSON struct {
	Count int    `json:"count"`
	Exact bool   `json:"exact"`
	By    string `json:"by"`
}

type findingJSON struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Advice   string `json:"advice,omitempty"`
}

type commandJSON struct {
	Does    string `json:"does"`
	Command string `json:"command"`
}

// instant is RFC 3339 in UTC with milliseconds, and "" for no time at all.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// plain is text from Redis for a JSON string: as it is where it is UTF-8, else escaped; encoded is its bytes in base64
// in the second case only.
func plain(s string) (shown, encoded string) {
	if utf8.ValidString(s) {
		return s, ""
	}
	return text.Escape(s), base64.StdEncoding.EncodeToString([]byte(s))
}

// shownOf is the first answer of plain.
func shownOf(s string) string {
	shown, _ := plain(s)
	return shown
}

// newSnapshotJSON shows these locks of a snapshot.
// maxHeldWith bounds what is said of a client that holds very many locks.
const maxHeldWith = 64

func newSnapshotJSON(s *inspector.Snapshot, locks []*inspector.Lock) snapshotJSON {
	out := snapshotJSON{
		Schema:  snapshotSchema,
		TakenAt: instant(s.TakenAt),
		Source:  sourceJSON{Topology: topology(s), Complete: s.Complete, Nodes: []nodeJSON{}, Clients: newRollJSON(s.Roll)},
		Locks:   make([]lockJSON, 0, len(locks)),
	}
	for _, n := range s.Nodes {
		out.Source.Complete = out.Source.Complete && n.Denied == 0
		out.Source.Nodes = append(out.Source.Nodes, newNodeJSON(n))
	}
	together := s.Together()
	for _, l := range locks {
		shown := newLockJSON(l, s.TakenAt)
		for i := range l.Holders {
			shown.Holders[i].Client = newClientJSON(s, l.Holders[i].Presence)
		}
		if len(l.Holders) == 1 {
			for _, other := range together[l.Holders[0].Owner] {
				if other.Ref != l.Ref && len(shown.HeldWith) < maxHeldWith {
					shown.HeldWith = append(shown.HeldWith, shownOf(other.Key))
				}
			}
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

func newNodeJSON(n keyspace.Status) nodeJSON {
	out := nodeJSON{Addr: shownOf(string(n.Node)), Version: shownOf(n.Version), Error: shownOf(n.Err), Feed: "poll"}
	out.Role, out.Slots, out.MasterAddr = n.Role, n.Slots, shownOf(n.Replication.MasterAddr)
	for _, r := range n.Replication.Replicas {
		out.Replicas = append(out.Replicas, replicaJSON{Addr: shownOf(r.Addr), Online: r.Online, Behind: r.Behind, SinceAck: r.SinceAck.Milliseconds()})
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

func newLockJSON(l *inspector.Lock, at time.Time) lockJSON {
	out := lockJSON{
		Node: shownOf(string(l.Node)), DB: l.DB,
		Scheme: string(l.Scheme), Mode: string(l.Mode), State: string(l.State),
		Holders: make([]holderJSON, 0, len(l.Holders)), TTL: milliseconds(l, at), ExpiresAt: instant(l.ExpiresAt),
		Fencing: l.FencingToken, Findings: make([]findingJSON, 0, len(l.Findings)),
	}
	out.Key, out.KeyBase64 = plain(l.Key)
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
		holder := holderJSON{Label: shownOf(h.Label), ExpiresAt: instant(ends)}
		holder.Owner, holder.OwnerBase64 = plain(h.Owner)
		if h.Count.Known {
			holder.Count = &h.Count.N
		}
		out.Holders = append(out.Holders, holder)
	}
	if q := l.Quorum; q != nil {
		out.VotesNeeded, out.ValidUntil = q.Needed, instant(q.ValidUntil)
		for i := range q.Votes {
			out.Votes = append(out.Votes, newVoteJSON(&q.Votes[i], at))
		}
	}
	if !l.HeldSince.IsZero() {
		held, exact := max(0, at.Sub(l.HeldSince).Milliseconds()), l.HeldExact
		out.Held, out.HeldExact = &held, &exact
	}
	if l.Waiters.By != "" {
		out.Waiters = &waitersJSON{Count: l.Waiters.Count, Exact: l.Waiters.Exact, By: string(l.Waiters.By)}
	}
	for _, c := range l.CompanionKeys() {
		out.Companion = append(out.Companion, shownOf(c))
	}
	for _, f := range l.Findings {
		out.Findings = append(out.Findings, findingJSON{
			Code: string(f.Code), Severity: string(f.Severity), Text: shownOf(f.Text), Advice: shownOf(f.Advice),
		})
	}
	return out
}

func newVoteJSON(v *inspector.Vote, at time.Time) voteJSON {
	out := voteJSON{Node: shownOf(string(v.Node)), Ballot: string(v.Ballot), Error: shownOf(v.Detail)}
	out.Owner, out.OwnerBase64 = plain(v.Owner)
	if v.Owner != "" {
		left := int64(-1)
		if !v.ExpiresAt.IsZero() {
			left = max(0, v.ExpiresAt.Sub(at).Milliseconds())
		}
		out.TTL = &left
	}
	return out
}

// milliseconds is what the key's TTL has left, -1 where it has none, and 0 where it is over.
func milliseconds(l *inspector.Lock, at time.Time) int64 {
	if l.ExpiresAt.IsZero() {
		return -1
	}
	return max(0, l.ExpiresAt.Sub(at).Milliseconds())
}

// eventJSON is one event. What stands after Held was added to the first fields, which are those of the contract.
type eventJSON struct {
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
	Text                string  `json:"text,omitempty"`
}

func newEventJSON(e inspector.Event) eventJSON {
	out := eventJSON{
		Schema: eventSchema, At: instant(e.At), Node: shownOf(string(e.Node)), Event: string(e.Kind), DB: e.DB,
		Scheme: string(e.Scheme), Cause: string(e.Cause), Text: shownOf(e.Text),
	}
	if e.Kind != inspector.EventGap || e.Key != "" { // a gap concerns no key; else an empty key is one as well
		var key string
		key, out.KeyBase64 = plain(e.Key)
		out.Key = &key
	}
	out.Owner, out.OwnerBase64 = plain(e.Owner)
	out.PreviousOwner, out.PreviousOwnerBase64 = plain(e.PreviousOwner)
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

// writeJSON writes one value on one line, in a form that a terminal shows harmlessly.
func writeJSON(w io.Writer, value any) error {
	line, err := marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}
