package report

import (
	"time"

	"locktop/actions"
	"locktop/inspector"
)

// IncidentSchema is that of an incident report in JSON. Changes to it are additive only.
const IncidentSchema = "locktop.incident/1"

// Bounds of a report. What is left out is said.
const (
	maxLocks  = 200
	maxEvents = 2000
	// maxCommands is of how many locks a page has the commands, which are long.
	maxCommands = 10
)

// Incident is what a report tells: how some locks are at a moment, how that was seen, and what happened to them.
type Incident struct {
	At time.Time
	// Where are the servers without a secret, Locktop is the version, and Profile and Environment are the user's; empty: none.
	Where, Locktop, Profile, Environment string
	// Recording is the file that was played; empty: the servers were looked at. Of a recording there are no commands.
	Recording string
	// Snapshot is what was seen, of which Locks are those that the report is about; All says that they are all suspects.
	Snapshot *inspector.Snapshot
	Locks    []*inspector.Lock
	All      bool
	// Once says that there was one look, so that nothing is known of what happened before.
	Once bool
	// Gone says that the one lock is not there any more, and is shown as it was seen last.
	Gone bool
	// Events are those of the locks, oldest first; Actions what the audit has of this session, and Audit where that is.
	Events  []inspector.Event
	Actions []actions.AuditLine
	Audit   string
	// AuditTrouble is why the audit cannot be read; empty: it can.
	AuditTrouble string
}

// incidentJSON is an incident report.
type incidentJSON struct {
	Schema        string              `json:"schema"`
	At            string              `json:"at"`
	Where         string              `json:"where"`
	Locktop       string              `json:"locktop"`
	Profile       string              `json:"profile,omitempty"`
	Environment   string              `json:"environment,omitempty"`
	Recording     string              `json:"recording,omitempty"`
	Topology      string              `json:"topology"`
	Complete      bool                `json:"complete"`
	Nodes         []seenNode          `json:"nodes"`
	Unseen        []unseen            `json:"unseen"`
	EarlierUnseen int                 `json:"unseen_left_out,omitempty"`
	Gone          bool                `json:"gone,omitempty"`
	Locks         []incidentLock      `json:"locks"`
	LeftOut       int                 `json:"locks_left_out,omitempty"`
	Events        []Event             `json:"events"`
	Earlier       int                 `json:"events_left_out,omitempty"`
	Actions       []actions.AuditLine `json:"actions,omitempty"`
	AuditTrouble  string              `json:"audit_error,omitempty"`
}

// seenNode is a server, and how well it was seen.
type seenNode struct {
	Node
	Connected   bool    `json:"connected"`
	StaleSince  string  `json:"stale_since,omitempty"`
	Reason      string  `json:"feed_reason,omitempty"`
	Lag         float64 `json:"lag_ms"`
	ClockOffset float64 `json:"clock_offset_ms"`
	LastPass    string  `json:"last_pass_at,omitempty"`
	Gaps        uint64  `json:"gaps"`
	LastGap     string  `json:"last_gap_at,omitempty"`
	LastGapWhy  string  `json:"last_gap,omitempty"`
	Denied      int     `json:"denied,omitempty"`
}

// unseen is a time in which changes on a node may have been missed; without a beginning, ever before.
type unseen struct {
	Node string `json:"node"`
	DB   int    `json:"db"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	Why  string `json:"why,omitempty"`
}

// incidentLock is a lock with its past.
type incidentLock struct {
	Lock
	Renewals      int    `json:"renewals"`
	RenewalPeriod int64  `json:"renewal_period_ms,omitempty"`
	LastRenewal   string `json:"last_renewal_at,omitempty"`
	// Waiters are the most that were seen in each of the last minutes, oldest first.
	WaitersPerMinute []int  `json:"waiters_per_minute,omitempty"`
	History          []hold `json:"history"`
}

// hold is the time for which one owner had a lock.
type hold struct {
	Owner       string `json:"owner"`
	OwnerBase64 string `json:"owner_base64,omitempty"`
	Label       string `json:"label,omitempty"`
	Since       string `json:"since"`
	SinceExact  bool   `json:"since_is_exact"`
	Until       string `json:"until,omitempty"`
	UntilExact  *bool  `json:"until_is_exact,omitempty"`
	Cause       string `json:"cause,omitempty"`
	Proven      *bool  `json:"proven,omitempty"`
	Renewals    int    `json:"renewals,omitempty"`
	Lost        *loss  `json:"lost_while_held,omitempty"`
}

// loss is how a holder lost the lock while it was at work, and when it was seen to have noticed.
type loss struct {
	At      string `json:"at"`
	Noticed string `json:"noticed_at,omitempty"`
	Text    string `json:"text"`
}

// JSON is the report for programs, on one line.
func (i *Incident) JSON() ([]byte, error) {
	out := incidentJSON{
		Schema: IncidentSchema, At: Instant(i.At), Where: Shown(i.Where), Locktop: i.Locktop, Profile: Shown(i.Profile),
		Environment: Shown(i.Environment), Recording: Shown(i.Recording), Unseen: []unseen{}, AuditTrouble: Shown(i.AuditTrouble),
		Topology: topology(i.Snapshot), Complete: i.Snapshot.Complete, Nodes: []seenNode{}, Gone: i.Gone, Locks: []incidentLock{}, Events: []Event{},
		Actions: i.Actions,
	}
	for n := range i.Snapshot.Nodes {
		s := &i.Snapshot.Nodes[n]
		out.Nodes = append(out.Nodes, seenNode{
			Node: NewNode(*s), Connected: s.Connected, StaleSince: Instant(s.StaleSince), Reason: Shown(s.FeedReason),
			Lag: s.Lag.Seconds() * 1e3, ClockOffset: s.ClockOffset.Seconds() * 1e3, LastPass: Instant(s.LastPass.Ended),
			Gaps: s.Gaps, LastGap: Instant(s.LastGap), LastGapWhy: Shown(s.LastGapWhy), Denied: s.Denied,
		})
	}
	times, before := latestUnseen(i.Snapshot)
	out.EarlierUnseen = before
	for _, u := range times {
		out.Unseen = append(out.Unseen, unseen{Shown(string(u.Node)), u.DB, Instant(u.From), Instant(u.To), Shown(u.Why)})
	}
	locks, left := i.locks()
	out.LeftOut = left
	out.Locks = append(out.Locks, i.shown(locks)...)
	events, earlier := i.events()
	out.Earlier = earlier
	for _, e := range events {
		out.Events = append(out.Events, NewEvent(e))
	}
	return marshal(out)
}

// locks are those that the report has room for, and how many more there are.
func (i *Incident) locks() (locks []*inspector.Lock, left int) {
	n := min(len(i.Locks), maxLocks)
	return i.Locks[:n], len(i.Locks) - n
}

// events are the latest ones, and how many there are before them.
func (i *Incident) events() (events []inspector.Event, earlier int) {
	n := min(len(i.Events), maxEvents)
	return i.Events[len(i.Events)-n:], len(i.Events) - n
}

// shown are locks as "locktop show" tells of them, as of the moment of the report, with their past.
func (i *Incident) shown(locks []*inspector.Lock) []incidentLock {
	now := *i.Snapshot
	now.TakenAt = i.At
	all := NewSnapshot(&now, locks).Locks
	out := make([]incidentLock, 0, len(all))
	for n, l := range locks {
		one := incidentLock{
			Lock: all[n], Renewals: l.Renewals, RenewalPeriod: l.RenewalPeriod.Milliseconds(), LastRenewal: Instant(l.LastRenewal), History: []hold{},
		}
		one.State = string(l.StateAt(i.At))
		one.addStatistics(l, i.At)
		one.Sample = NewSample(l.Sample)
		if waiters, seen := l.WaitersPerMinute(i.At); seen {
			one.WaitersPerMinute = waiters[:]
		}
		for _, fact := range l.Evidence {
			one.Evidence = append(one.Evidence, Shown(fact))
		}
		if i.Recording == "" {
			one.Commands = Commands(l, i.At)
		}
		for _, h := range l.History {
			past := hold{Label: Shown(h.Label), Since: Instant(h.Since), SinceExact: h.SinceExact, Until: Instant(h.Until), Cause: causeWord(h.Cause), Renewals: h.Renewals}
			past.Owner, past.OwnerBase64 = Plain(h.Owner)
			if !h.Until.IsZero() {
				past.UntilExact = &h.UntilExact
			}
			if deleted, proven := h.Cause.Deleted(); deleted {
				past.Proven = &proven
			}
			if h.WasLost() {
				past.Lost = &loss{Instant(h.Lost.At), Instant(h.Lost.Until), Shown(h.Lost.Text)}
			}
			one.History = append(one.History, past)
		}
		out = append(out, one)
	}
	return out
}
