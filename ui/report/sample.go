package report

import (
	"locktop/inspector"
)

// Sample is a sample.
type Sample struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Ended    string `json:"ended"` // "time", "lines", "bytes", "unread", "cancelled" or "lost"
	Complete bool   `json:"complete"`
	Sampled
	AttemptsPerSecond float64         `json:"attempts_per_second"`
	FailedPerSecond   float64         `json:"failed_per_second"`
	Waiting           int             `json:"waiting"`
	Clients           []SampledClient `json:"clients"`
	More              int             `json:"more_clients,omitempty"`
	Lines             int64           `json:"lines"`
	Bytes             int64           `json:"bytes"`
	Nodes             []SampledNode   `json:"nodes"`
}

// Sampled counts what was seen.
type Sampled struct {
	Attempts int `json:"attempts"`
	Acquired int `json:"acquired"`
	Failed   int `json:"failed"`
	Unknown  int `json:"unknown"` // attempts of which nobody can tell
	// Extended and Released are those that were done, as far as is known. The attempts that are
	// neither done nor refused may have been done.
	Extended        int `json:"extended"`
	ExtendAttempts  int `json:"extend_attempts"`
	ExtendRefused   int `json:"extend_refused"`
	Released        int `json:"released"`
	ReleaseAttempts int `json:"release_attempts"`
	ReleaseRefused  int `json:"release_refused"`
	Repaired        int `json:"repaired"` // TTLs that were given to a lock without one
	Waits           int `json:"waits"`
}

// SampledClient is one of those who asked for the lock.
type SampledClient struct {
	Addr           string `json:"addr"`
	Connections    int    `json:"connections"`
	Name           string `json:"name,omitempty"`
	Name64         string `json:"name_base64,omitempty"`
	User           string `json:"user,omitempty"`
	Library        string `json:"library,omitempty"`
	LibraryVersion string `json:"library_version,omitempty"`
	Owner          string `json:"owner,omitempty"`
	OwnerBase64    string `json:"owner_base64,omitempty"`
	Owners         int    `json:"owners"`
	Sampled
	First   string `json:"first"`
	Last    string `json:"last"`
	Waiting bool   `json:"waiting"`
}

// SampledNode is a server that was listened to.
type SampledNode struct {
	Node      string   `json:"node"`
	Lines     int64    `json:"lines"`
	Bytes     int64    `json:"bytes"`
	OpsBefore *float64 `json:"ops_before,omitempty"`
	OpsDuring *float64 `json:"ops_during,omitempty"`
	CPU       *float64 `json:"cpu,omitempty"` // of one core
	Error     string   `json:"error,omitempty"`
}

func newSampled(s inspector.Sampled) Sampled {
	return Sampled{
		Attempts: s.Attempts, Acquired: s.Acquired, Failed: s.Failed, Unknown: s.Unknown(),
		Extended: s.Extends.Done, ExtendAttempts: s.Extends.All, ExtendRefused: s.Extends.Refused,
		Released: s.Releases.Done, ReleaseAttempts: s.Releases.All, ReleaseRefused: s.Releases.Refused,
		Repaired: s.Repaired, Waits: s.Waits,
	}
}

// NewSample shows a sample; nil: there is none.
func NewSample(s *inspector.Sample) *Sample {
	if s == nil {
		return nil
	}
	out := &Sample{
		From: Instant(s.From), To: Instant(s.To), Ended: string(s.Ended), Complete: s.Complete(), Sampled: newSampled(s.Sampled),
		AttemptsPerSecond: hundredths(s.PerSecond(s.Attempts)), FailedPerSecond: hundredths(s.PerSecond(s.Failed)),
		Waiting: s.Waiting, Clients: []SampledClient{}, More: s.More, Lines: s.Lines, Bytes: s.Bytes,
	}
	for i := range s.Clients {
		c := &s.Clients[i]
		shown := SampledClient{
			Addr: Shown(c.Addr), Connections: c.Connections, User: Shown(c.User), Library: Shown(c.Library),
			LibraryVersion: Shown(c.LibraryVersion), Owners: c.Owners, Sampled: newSampled(c.Sampled),
			First: Instant(c.First), Last: Instant(c.Last), Waiting: c.Waiting,
		}
		shown.Name, shown.Name64 = Plain(c.Name)
		shown.Owner, shown.OwnerBase64 = Plain(c.Owner)
		out.Clients = append(out.Clients, shown)
	}
	for _, n := range s.Nodes {
		shown := SampledNode{Node: Shown(string(n.Node)), Lines: n.Lines, Bytes: n.Bytes, Error: Shown(n.Err)}
		if n.LoadKnown {
			before, during, cpu := hundredths(n.OpsBefore), hundredths(n.OpsDuring), hundredths(n.CPU)
			shown.OpsBefore, shown.OpsDuring, shown.CPU = &before, &during, &cpu
		}
		out.Nodes = append(out.Nodes, shown)
	}
	return out
}

// hundredths cuts a figure that is not more exact than that.
func hundredths(f float64) float64 { return float64(int64(f*100+0.5)) / 100 }
