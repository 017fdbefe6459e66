package recording

import (
	"locktop/inspector"
	"locktop/keyspace"
)

// sampleLine is what a contention probe found of a lock; none: that was too long ago.
type sampleLine struct {
	None    bool                `json:"none,omitempty"`
	Node    string              `json:"node,omitempty"`
	From    int64               `json:"from,omitempty"`
	To      int64               `json:"to,omitempty"`
	Ended   string              `json:"ended,omitempty"`
	Counts  sampledLine         `json:"counts"`
	Waiting int                 `json:"waiting,omitempty"`
	Clients []sampledClientLine `json:"clients,omitempty"`
	More    int                 `json:"more,omitempty"`
	Lines   int64               `json:"lines,omitempty"`
	Bytes   int64               `json:"bytes,omitempty"`
	Nodes   []sampledNodeLine   `json:"nodes,omitempty"`
}

type sampledLine struct {
	Attempts int `json:"attempts,omitempty"`
	Acquired int `json:"acquired,omitempty"`
	Failed   int `json:"failed,omitempty"`
	// Without the attempts the line is of an older version, where extended and released were the
	// attempts themselves.
	Extended        int `json:"extended,omitempty"`
	ExtendAttempts  int `json:"extend_attempts,omitempty"`
	ExtendRefused   int `json:"extend_refused,omitempty"`
	Released        int `json:"released,omitempty"`
	ReleaseAttempts int `json:"release_attempts,omitempty"`
	ReleaseRefused  int `json:"release_refused,omitempty"`
	Repaired        int `json:"repaired,omitempty"`
	Waits           int `json:"waits,omitempty"`
}

func newSampled(s inspector.Sampled) sampledLine {
	return sampledLine{
		Attempts: s.Attempts, Acquired: s.Acquired, Failed: s.Failed,
		Extended: s.Extends.Done, ExtendAttempts: s.Extends.All, ExtendRefused: s.Extends.Refused,
		Released: s.Releases.Done, ReleaseAttempts: s.Releases.All, ReleaseRefused: s.Releases.Refused,
		Repaired: s.Repaired, Waits: s.Waits,
	}
}

func (line sampledLine) sampled() inspector.Sampled {
	tries := func(all, done, refused int) inspector.Tries {
		if all == 0 {
			return inspector.Tries{All: done}
		}
		return inspector.Tries{All: all, Done: done, Refused: refused}
	}
	return inspector.Sampled{
		Attempts: line.Attempts, Acquired: line.Acquired, Failed: line.Failed,
		Extends:  tries(line.ExtendAttempts, line.Extended, line.ExtendRefused),
		Releases: tries(line.ReleaseAttempts, line.Released, line.ReleaseRefused),
		Repaired: line.Repaired, Waits: line.Waits,
	}
}

type sampledClientLine struct {
	Addr           string      `json:"addr"`
	Connections    int         `json:"connections"`
	Name           string      `json:"name,omitempty"`
	User           string      `json:"user,omitempty"`
	Library        string      `json:"library,omitempty"`
	LibraryVersion string      `json:"library_version,omitempty"`
	Owner          string      `json:"owner,omitempty"`
	Owners         int         `json:"owners,omitempty"`
	Counts         sampledLine `json:"counts"`
	First          int64       `json:"first,omitempty"`
	Last           int64       `json:"last,omitempty"`
	Waiting        bool        `json:"waiting,omitempty"`
}

type sampledNodeLine struct {
	Node      string  `json:"node"`
	Lines     int64   `json:"lines,omitempty"`
	Bytes     int64   `json:"bytes,omitempty"`
	LoadKnown bool    `json:"load_known,omitempty"`
	OpsBefore float64 `json:"ops_before,omitempty"`
	OpsDuring float64 `json:"ops_during,omitempty"`
	CPU       float64 `json:"cpu,omitempty"`
	Err       string  `json:"error,omitempty"`
}

func newSample(s *inspector.Sample) *sampleLine {
	if s == nil {
		return &sampleLine{None: true}
	}
	return &sampleLine{
		Node: pack(string(s.Node)), From: micro(s.From), To: micro(s.To), Ended: pack(string(s.Ended)), Counts: newSampled(s.Sampled),
		Waiting: s.Waiting, More: s.More, Lines: s.Lines, Bytes: s.Bytes,
		Clients: each(s.Clients, func(c inspector.SampledClient) sampledClientLine {
			return sampledClientLine{
				Addr: pack(c.Addr), Connections: c.Connections, Name: pack(c.Name), User: pack(c.User), Library: pack(c.Library),
				LibraryVersion: pack(c.LibraryVersion), Owner: pack(c.Owner), Owners: c.Owners, Counts: newSampled(c.Sampled),
				First: micro(c.First), Last: micro(c.Last), Waiting: c.Waiting,
			}
		}),
		Nodes: each(s.Nodes, func(n inspector.SampledNode) sampledNodeLine {
			return sampledNodeLine{pack(string(n.Node)), n.Lines, n.Bytes, n.LoadKnown, n.OpsBefore, n.OpsDuring, n.CPU, pack(n.Err)}
		}),
	}
}

// sample is what was found of a lock.
func (line *sampleLine) sample(of keyspace.Ref) *inspector.Sample {
	if line.None {
		return nil
	}
	of.Node = keyspace.Node(unpack(line.Node))
	return &inspector.Sample{
		Ref: of, From: instant(line.From), To: instant(line.To), Ended: keyspace.ProbeEnd(word(line.Ended)), Sampled: line.Counts.sampled(),
		Waiting: line.Waiting, More: line.More, Lines: line.Lines, Bytes: line.Bytes,
		Clients: each(line.Clients, func(c sampledClientLine) inspector.SampledClient {
			return inspector.SampledClient{
				Addr: unpack(c.Addr), Connections: c.Connections, Name: unpack(c.Name), User: unpack(c.User), Library: unpack(c.Library),
				LibraryVersion: unpack(c.LibraryVersion), Owner: unpack(c.Owner), Owners: c.Owners, Sampled: c.Counts.sampled(),
				First: instant(c.First), Last: instant(c.Last), Waiting: c.Waiting,
			}
		}),
		Nodes: each(line.Nodes, func(n sampledNodeLine) inspector.SampledNode {
			return inspector.SampledNode{
				Node: keyspace.Node(unpack(n.Node)), Lines: n.Lines, Bytes: n.Bytes, LoadKnown: n.LoadKnown,
				OpsBefore: n.OpsBefore, OpsDuring: n.OpsDuring, CPU: n.CPU, Err: unpack(n.Err),
			}
		}),
	}
}
