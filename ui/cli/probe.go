package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	rules := about.rulesOf(found.lock.Key)
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

// sampleRepaired is the place of the column of repairs, which is there only where a client has made
// one.
const sampleRepaired = 7

// sampleRows are the clients of a sample as a table.
func sampleRows(s *inspector.Sample) [][]string {
	rows := [][]string{{"CLIENT", "NAME", "LIBRARY", "ATTEMPTS", "ACQUIRED", "FAILED", "EXTENDED", "RELEASED", "WAITS", "TOKEN"}}
	repairs := slices.ContainsFunc(s.Clients, func(c inspector.SampledClient) bool { return c.Repaired > 0 })
	if repairs {
		rows[0] = slices.Insert(rows[0], sampleRepaired, "REPAIRED")
	}
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
		row := []string{
			addr, orDash(text.Truncate(text.Escape(c.Name), maxHolderCells)), orDash(text.Escape(c.Program())),
			text.Count(int64(c.Attempts)), text.Count(int64(c.Acquired)), failed, c.Extends.Text(),
			c.Releases.Text(), waits, orDash(token),
		}
		if repairs {
			row = slices.Insert(row, sampleRepaired, text.Count(int64(c.Repaired)))
		}
		rows = append(rows, row)
	}
	return rows
}
