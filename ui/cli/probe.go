package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// probing is what "show" is told of a contention probe.
type probing struct {
	span  probeSpan
	force bool
}

// probeSpan is for how long "show --probe" listens. The dashboard has a flag of the same name, which says whether it may: see mayProbe.
type probeSpan time.Duration

func (p *probeSpan) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

func (p *probeSpan) Type() string { return "TIME" }

func (p *probeSpan) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > keyspace.LongestProbe {
		return fmt.Errorf("give a time such as 2s, and at most %v", keyspace.LongestProbe)
	}
	*p = probeSpan(d)
	return nil
}

// mayProbe refuses a probe as the dashboard does: by the environment, else by the profile; in production it has to be allowed.
func (a *app) mayProbe() error {
	policy, _ := a.lookup(variable("probe"))
	if setting := a.profile.Of("probe"); policy == "" && setting != nil {
		policy = setting.List[0]
	}
	switch {
	case policy == "off":
		return &codedError{code: exitRefused, text: "a contention probe is switched off here (probe = \"off\")"}
	case policy != "allow" && a.profile.Production():
		return &codedError{code: exitRefused, text: "a contention probe costs the server much, and the profile " + a.profileName() +
			" is of production: LOCKTOP_PROBE=allow, or probe = \"allow\" in the profile, lifts that"}
	}
	return nil
}

// probe samples a lock, and looks at it again.
func (a *app) probe(ctx context.Context, s *session, about *target, found sight, asked probing) (sight, error) {
	rules := about.rules.rules
	prober := inspector.NewProber(s.servers, rules, nil)
	span := time.Duration(asked.span)
	cost, err := prober.Cost(ctx, found.lock)
	if err != nil {
		return found, failed("%w", err)
	}
	a.say("probing for %s, ctrl-c ends it: %s", text.Duration(span), costText(cost, span))
	listening, hungUp := untilSuspended(ctx)
	sample, err := prober.Probe(listening, found.lock, inspector.ProbeOptions{For: span, Force: asked.force})
	hungUp()
	switch {
	case errors.Is(err, keyspace.ErrBusy):
		return found, refusedProbe(err)
	case err != nil:
		return found, failed("%w", err)
	}
	if ctx.Err() == nil { // the lock has gone on meanwhile
		if now, err := s.look(ctx, about, a.limits(), found.lock.Key); err == nil && now.lock != nil {
			found = now
		}
	}
	found.lock.TakeSample(sample)
	return found, nil
}

// refusedProbe is the error of a probe that a guard refused.
func refusedProbe(err error) error {
	return &codedError{code: exitRefused, text: err.Error() + ": --force", err: err}
}

// costText says what a probe will cost.
func costText(cost inspector.ProbeCost, span time.Duration) string {
	if !cost.Known {
		return "MONITOR, which takes about half of what a server can do; how busy it is is not known"
	}
	where := "the server runs "
	if cost.Masters > 1 {
		where = fmt.Sprintf("the %d masters run ", cost.Masters)
	}
	return fmt.Sprintf("MONITOR, which takes about half of what a server can do; %s%s commands a second now, which is about %s lines",
		where, text.Count(int64(cost.Ops)), text.Count(cost.Lines(span)))
}

// sampleLines are a sample in words: what was found, and what it cost.
func sampleLines(line func(name, value string), s *inspector.Sample) {
	line("sampled", fmt.Sprintf("for %s at %s%s", text.Duration(s.Span()), s.From.Local().Format("15:04:05"), s.EndText()))
	line("attempts", s.AttemptsText())
	line("waiting", s.WaitingText())
	line("cost", fmt.Sprintf("%s lines, %s", text.Count(s.Lines), text.Bytes(s.Bytes)))
	for _, n := range s.Nodes {
		said := n.LoadText()
		if n.Err != "" {
			said += "; not probed to the end: " + text.Escape(n.Err)
		}
		line("", text.Escape(string(n.Node))+"  "+said)
	}
}

// sampleRows are the clients of a sample as a table.
func sampleRows(s *inspector.Sample) [][]string {
	rows := [][]string{{"CLIENT", "NAME", "LIBRARY", "ATTEMPTS", "ACQUIRED", "FAILED", "EXTENDED", "RELEASED", "WAITS", "TOKEN"}}
	for i := range s.Clients {
		c := &s.Clients[i]
		addr := text.Escape(c.Addr)
		if c.Connections > 1 {
			addr += fmt.Sprintf(" +%d", c.Connections-1)
		}
		waits := "no"
		if c.Waiting {
			waits = "yes"
		}
		token := text.Truncate(text.Escape(c.Owner), maxHolderCells)
		if c.Owners > 1 {
			token = fmt.Sprintf("%d tokens", c.Owners)
		}
		failed := text.Count(int64(c.Failed))
		if c.Unknown() > 0 {
			failed = "≥" + failed
		}
		rows = append(rows, []string{
			addr, orDash(text.Truncate(text.Escape(c.Name), maxHolderCells)), orDash(text.Escape(c.Program())),
			text.Count(int64(c.Attempts)), text.Count(int64(c.Acquired)), failed, text.Count(int64(c.Extended)),
			text.Count(int64(c.Released)), waits, orDash(token),
		})
	}
	return rows
}

// sampleJSON is a sample.
type sampleJSON struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Ended    string `json:"ended"` // "time", "lines", "bytes", "unread", "cancelled" or "lost"
	Complete bool   `json:"complete"`
	sampledJSON
	AttemptsPerSecond float64             `json:"attempts_per_second"`
	FailedPerSecond   float64             `json:"failed_per_second"`
	Waiting           int                 `json:"waiting"`
	Clients           []sampledClientJSON `json:"clients"`
	More              int                 `json:"more_clients,omitempty"`
	Lines             int64               `json:"lines"`
	Bytes             int64               `json:"bytes"`
	Nodes             []sampledNodeJSON   `json:"nodes"`
}

type sampledJSON struct {
	Attempts int `json:"attempts"`
	Acquired int `json:"acquired"`
	Failed   int `json:"failed"`
	Unknown  int `json:"unknown"` // attempts of which nobody can tell
	Extended int `json:"extended"`
	Released int `json:"released"`
	Waits    int `json:"waits"`
}

type sampledClientJSON struct {
	Addr           string `json:"addr"`
	Connections    int    `json:"connections"`
	Name           string `json:"name,omitempty"`
	User           string `json:"user,omitempty"`
	Library        string `json:"library,omitempty"`
	LibraryVersion string `json:"library_version,omitempty"`
	Owner          string `json:"owner,omitempty"`
	OwnerBase64    string `json:"owner_base64,omitempty"`
	Owners         int    `json:"owners"`
	sampledJSON
	First   string `json:"first"`
	Last    string `json:"last"`
	Waiting bool   `json:"waiting"`
}

type sampledNodeJSON struct {
	Node      string   `json:"node"`
	Lines     int64    `json:"lines"`
	Bytes     int64    `json:"bytes"`
	OpsBefore *float64 `json:"ops_before,omitempty"`
	OpsDuring *float64 `json:"ops_during,omitempty"`
	CPU       *float64 `json:"cpu,omitempty"` // of one core
	Error     string   `json:"error,omitempty"`
}

func newSampledJSON(s inspector.Sampled) sampledJSON {
	return sampledJSON{s.Attempts, s.Acquired, s.Failed, s.Unknown(), s.Extended, s.Released, s.Waits}
}

// newSampleJSON shows a sample; nil: there is none.
func newSampleJSON(s *inspector.Sample) *sampleJSON {
	if s == nil {
		return nil
	}
	out := &sampleJSON{
		From: instant(s.From), To: instant(s.To), Ended: string(s.Ended), Complete: s.Complete(), sampledJSON: newSampledJSON(s.Sampled),
		AttemptsPerSecond: hundredths(s.PerSecond(s.Attempts)), FailedPerSecond: hundredths(s.PerSecond(s.Failed)),
		Waiting: s.Waiting, Clients: []sampledClientJSON{}, More: s.More, Lines: s.Lines, Bytes: s.Bytes,
	}
	for i := range s.Clients {
		c := &s.Clients[i]
		shown := sampledClientJSON{
			Addr: shownOf(c.Addr), Connections: c.Connections, Name: shownOf(c.Name), User: shownOf(c.User), Library: shownOf(c.Library),
			LibraryVersion: shownOf(c.LibraryVersion), Owners: c.Owners, sampledJSON: newSampledJSON(c.Sampled),
			First: instant(c.First), Last: instant(c.Last), Waiting: c.Waiting,
		}
		shown.Owner, shown.OwnerBase64 = plain(c.Owner)
		out.Clients = append(out.Clients, shown)
	}
	for _, n := range s.Nodes {
		shown := sampledNodeJSON{Node: shownOf(string(n.Node)), Lines: n.Lines, Bytes: n.Bytes, Error: shownOf(n.Err)}
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
