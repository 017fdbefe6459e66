package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/term"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/report"
	"locktop/ui/text"
)

// secondLook is how long after the first look doubtful keys are looked at again: most clients renew within that time.
const secondLook = 12 * time.Second

// discovering is what "check --discover" is told.
type discovering struct {
	on            bool
	keysPerSecond int
}

// discoveryJSON is what a discovery found.
type discoveryJSON struct {
	Complete  bool           `json:"complete"` // false: it was interrupted, and judged only a part
	Keys      int            `json:"keys"`
	Known     int            `json:"known_locks"` // those that the patterns in use name
	Took      int64          `json:"took_ms"`
	Proposals []proposalJSON `json:"proposals"`
	// Nameless are locks that no pattern names but such as "*", and NamelessExample is the key of one.
	Nameless        int    `json:"nameless_locks,omitempty"`
	NamelessExample string `json:"nameless_example,omitempty"`
}

type proposalJSON struct {
	Pattern       string   `json:"pattern"`
	Locks         int      `json:"locks"`
	Keys          int      `json:"keys"`
	Schemes       []string `json:"schemes"`
	Confidence    string   `json:"confidence"`
	Renewed       int      `json:"renewed,omitempty"`
	Example       string   `json:"example"`
	ExampleBase64 string   `json:"example_base64,omitempty"`
	Evidence      []string `json:"evidence"`
}

// discover judges all keys once. Where the context ends it returns what it has found until then, and the context's error.
func (a *app) discover(ctx context.Context, s *session, o *discovering, look *observing) (discoveryJSON, error) {
	began := time.Now()
	d := inspector.NewDiscovery(look.ruling(), look.globs())
	bar, cleared := a.progress()
	walked := s.servers.Walk(ctx, look.ruling(), o.keysPerSecond, func(records []keyspace.Record, p keyspace.Pass) error {
		for _, r := range records {
			d.Take(r)
		}
		bar(p)
		return nil
	})
	cleared()
	if walked == nil {
		walked = a.lookAgain(ctx, s, d, began)
	}
	if walked != nil && ctx.Err() == nil {
		return discoveryJSON{}, failed("%w", walked)
	}
	out := discoveryJSON{
		Complete: walked == nil, Keys: d.Keys, Known: d.Known, Took: time.Since(began).Milliseconds(), Proposals: []proposalJSON{},
	}
	if locks, example := d.Nameless(); locks > 0 {
		out.Nameless, out.NamelessExample = locks, report.Shown(example)
	}
	for _, p := range d.Proposals() {
		found := proposalJSON{
			Pattern: p.Pattern.Glob, Locks: p.Locks, Keys: p.Keys, Confidence: string(p.Confidence), Renewed: p.Renewed,
		}
		for _, scheme := range p.Schemes {
			found.Schemes = append(found.Schemes, string(scheme))
		}
		for _, fact := range p.Evidence {
			found.Evidence = append(found.Evidence, report.Shown(fact))
		}
		found.Example, found.ExampleBase64 = report.Plain(p.Example)
		out.Proposals = append(out.Proposals, found)
	}
	return out, walked
}

// lookAgain waits until renewals can be expected, and reads the doubtful keys once more.
func (a *app) lookAgain(ctx context.Context, s *session, d *inspector.Discovery, began time.Time) error {
	keys := d.Doubtful()
	if len(keys) == 0 {
		return nil
	}
	if wait := time.Until(began.Add(secondLook)); wait > 0 {
		a.say("%s keys may be locks; they are looked at again in %s, for a lease that is renewed is a lock's", text.Count(int64(len(keys))), text.Duration(wait))
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
	records, err := s.servers.Read(ctx, keys...)
	if err != nil {
		return err
	}
	for _, r := range records {
		d.Again(r)
	}
	return nil
}

// progress draws a bar on the standard error, where that is a terminal; cleared takes it away.
func (a *app) progress() (bar func(keyspace.Pass), cleared func()) {
	if !isTerminal(a.stderr) {
		return func(keyspace.Pass) {}, func() {}
	}
	var drawn time.Time
	bar = func(p keyspace.Pass) {
		if time.Since(drawn) < 100*time.Millisecond {
			return
		}
		drawn = time.Now()
		part := 1.0
		if p.KeysInDB > 0 {
			part = min(1, float64(p.Scanned)/float64(p.KeysInDB))
		}
		const cells = 24
		full := int(part * cells)
		line := fmt.Sprintf("%s%s %3.0f %%  %s of %s keys, %s; ctrl-c stops", strings.Repeat("█", full), strings.Repeat("░", cells-full),
			100*part, text.Count(p.Scanned), text.Count(p.KeysInDB), text.Duration(time.Since(p.Started)))
		_, _ = io.WriteString(a.stderr, "\r\x1b[K"+text.Truncate(line, a.width()-1)) // a bar that nobody sees is no failure
	}
	return bar, func() { _, _ = io.WriteString(a.stderr, "\r\x1b[K") }
}

// width is that of the terminal on the standard error.
func (a *app) width() int {
	if f, ok := underlying(a.stderr).(interface{ Fd() uintptr }); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 80
}

// writeDiscovery prints what was found, for people.
func (a *app) writeDiscovery(d discoveryJSON) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s keys were judged in %s; the patterns in use name %s locks\n", text.Count(int64(d.Keys)),
		text.Duration(time.Duration(d.Took)*time.Millisecond), text.Count(int64(d.Known)))
	if !d.Complete {
		b.WriteString("it was stopped before the end: there may be more\n")
	}
	switch {
	case d.Nameless > 0:
		fmt.Fprintf(&b, "%s locks have names with nothing in common, such as %s: give a pattern for each of them\n",
			text.Count(int64(d.Nameless)), d.NamelessExample)
	case len(d.Proposals) == 0:
		b.WriteString("no other key looks like a lock\n")
	}
	for _, p := range d.Proposals {
		fmt.Fprintf(&b, "\n--pattern %s\n  %s, %s: %s of the %s keys that it names, such as %s\n", shellWord(p.Pattern), p.Confidence,
			strings.Join(p.Schemes, ", "), text.Count(int64(p.Locks)), text.Count(int64(p.Keys)), text.Escape(p.Example))
		if p.Renewed > 0 {
			fmt.Fprintf(&b, "  %s of them had their lease renewed while locktop looked\n", text.Count(int64(p.Renewed)))
		}
		for _, fact := range p.Evidence {
			fmt.Fprintf(&b, "  - %s\n", text.Escape(fact))
		}
	}
	if len(d.Proposals) > 0 {
		b.WriteString("\nto watch them beside what locktop looks for by itself:\n  locktop --pattern default")
		for _, p := range d.Proposals {
			b.WriteString(" --pattern " + shellWord(p.Pattern))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// shellWord is a text as it is written in a shell: in single quotes, and what a terminal cannot show
// in those of bash and zsh that read escapes.
func shellWord(word string) string {
	if escaped := text.Escape(word); escaped != strings.ReplaceAll(word, `\`, `\\`) {
		return "$'" + strings.ReplaceAll(escaped, "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// discovered runs the discovery of a command, and prints it.
func (a *app) discovered(ctx context.Context, s *session, o *discovering, look *observing, output string) error {
	found, stopped := a.discover(ctx, s, o, look)
	if stopped != nil && !errors.Is(stopped, context.Canceled) {
		return stopped
	}
	if output == "json" {
		return errors.Join(report.WriteJSON(a.stdout, struct {
			Schema string `json:"schema"`
			Node   string `json:"node"`
			DB     int    `json:"db"`
			discoveryJSON
		}{discoverySchema, report.Shown(string(s.connection.Node())), s.connection.DB(), found}), stopped)
	}
	return errors.Join(a.writeDiscovery(found), stopped)
}

// discoverySchema is the schema of "check --discover -o json".
const discoverySchema = "locktop.discovery/1"
