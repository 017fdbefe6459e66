package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// target is one key that a command names, and how it is written on the command line.
type target struct {
	server connecting
	quoted bool
	rules  schemeRules
}

func (t *target) add(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&t.quoted, "quoted-input", false, what+` with escapes, as it is shown: \n, \x1b, \\`)
	t.server.add(cmd)
}

// rulesOf are the rules for a key that the user names.
func (t *target) rulesOf(key string) inspector.Rules { return t.rules.rules.WithKey(key) }

// unquote decodes an argument if the user says that it is escaped.
func (t *target) unquote(name, s string) (string, error) {
	if !t.quoted {
		return s, nil
	}
	out, err := text.Unescape(s)
	if err != nil {
		return "", usage("%s: %w", name, err)
	}
	return out, nil
}

// sight is one look at a key by its name: at the one server that has it, or at every independent master.
type sight struct {
	at     time.Time
	record keyspace.Record // of a Redlock, the first that was found
	lock   *inspector.Lock // nil: it is none
	nodes  []keyspace.Status
	roll   *inspector.Roll // nil: who is connected was not asked
}

// look looks at a key, and judges the lock by these limits. Where it cannot be read, the error says why.
func (s *session) look(ctx context.Context, t *target, limits inspector.Thresholds, key string) (sight, error) {
	found, err := s.lookAt(ctx, t.rulesOf(key), key)
	if err == nil && found.lock != nil {
		limits.Judge(found.lock, found.at)
	}
	return found, err
}

// lookAt is look without the limits that the user has set for findings.
func (s *session) lookAt(ctx context.Context, rules inspector.Rules, key string) (sight, error) {
	if s.servers.Topology() == keyspace.Redlock {
		return s.lookAtEach(ctx, rules, key)
	}
	records, err := s.servers.ReadWith(ctx, rules, key)
	if err != nil {
		return sight{}, failed("reading %s: %w", named(key), err)
	}
	r := records[0]
	if err := denied(r); err != nil {
		return sight{}, err
	}
	found := sight{at: r.ReadAt, record: r}
	found.lock, _ = rules.Inspect(r, r.ReadAt)
	connection, err := s.servers.Connection(ctx, r.Node)
	if err != nil {
		return sight{}, failed("reading %s: %w", named(key), err)
	}
	found.nodes = append(found.nodes, s.statusOf(connection))
	return found, nil
}

// lookAtEach looks at the votes of all masters. One that does not answer has none; all of them are needed for an error.
func (s *session) lookAtEach(ctx context.Context, rules inspector.Rules, key string) (sight, error) {
	answers := s.servers.ReadEach(ctx, rules, key)
	found := sight{at: time.Now(), record: keyspace.Record{
		Ref: keyspace.Ref{Node: s.connection.Node(), DB: s.connection.DB(), Key: key}, Type: keyspace.TypeNone,
	}}
	var (
		looks []inspector.Look
		first error
		heard bool
	)
	for _, a := range answers {
		looks = append(looks, inspector.Look{Node: a.Node, Record: a.Record, Err: a.Err})
		err := a.Err
		if err == nil {
			err = denied(a.Record)
		}
		if first == nil {
			first = err
		}
		heard = heard || err == nil
		if !found.record.Exists() && err == nil && a.Record.Exists() {
			found.record = a.Record
		}
		status := keyspace.Status{Node: a.Node, DB: s.connection.DB(), Topology: keyspace.Redlock, Feed: keyspace.FeedPoll}
		if connection, lost := s.servers.Connection(ctx, a.Node); a.Err == nil && lost == nil {
			status = s.statusOf(connection)
		}
		if err != nil {
			status.Err = err.Error()
		}
		found.nodes = append(found.nodes, status)
	}
	if !heard {
		return sight{}, failed("reading %s: %w", named(key), first)
	}
	found.lock, _ = rules.InspectVotes(found.record.Ref, looks, found.at)
	return found, nil
}

// denied is the error of a record that this user may not read; nil: it was read.
func denied(r keyspace.Record) error {
	if r.Type != keyspace.TypeDenied {
		return nil
	}
	return failed("reading %s: %s; the user needs ~ or %%R~ for this key, and +@read (locktop check says more)", named(r.Key), text.Escape(r.Denied()))
}

// statusOf is the status of a server that answered, and is not observed.
func (s *session) statusOf(connection *keyspace.Connection) keyspace.Status {
	server := connection.Server()
	return keyspace.Status{
		Node: connection.Node(), DB: connection.DB(), Software: server.Software, Version: server.Version, Role: server.Role,
		Topology: s.servers.Topology(), Feed: keyspace.FeedPoll, Connected: true,
	}
}

// snapshot is one of the lock alone.
func (s sight) snapshot() *inspector.Snapshot {
	complete := true
	for _, n := range s.nodes {
		complete = complete && n.Connected
	}
	return &inspector.Snapshot{TakenAt: s.at, Complete: complete, Nodes: s.nodes, Locks: []*inspector.Lock{s.lock}, Roll: s.roll}
}

// named is a key in a sentence.
func named(key string) string {
	if key == "" {
		return `"", the empty key,`
	}
	return text.Escape(key)
}

// missing is the error for a key that is not there.
func (t *target) missing(place keyspace.Place, key string) error {
	hint := ""
	if !t.quoted && strings.ContainsRune(key, '\\') {
		hint = "; --quoted-input reads the escapes in it"
	}
	return failed("there is no key %s on %s%s", named(key), where(place), hint)
}

// noLock is the error for a key that is there, but is no lock. It says which rule makes one of it.
func (t *target) noLock(r keyspace.Record) error {
	said := kindOf(r)
	why := t.rulesOf(r.Key).WhyNot(r)
	if why != "" {
		said += "; " + why
	}
	if first, is := t.rulesOf(r.Key).PartOf(r); is {
		return failed("%s is one of the keys of the lock %s: name that one instead", named(r.Key), named(first))
	}
	scheme, fits := inspector.Remedy(r, r.ReadAt)
	if !fits {
		return failed("%s is no lock: %s; no scheme of --scheme-rule fits it", named(r.Key), said)
	}
	rule := shellWord(keyspace.Escape(r.Key) + "=" + string(scheme))
	return failed("%s is no lock: %s; if it is one nevertheless: --scheme-rule %s", named(r.Key), said, rule)
}

// kindOf says what a key is, in words.
func kindOf(r keyspace.Record) string {
	ends := "without a TTL"
	if !r.ExpiresAt.IsZero() {
		ends = "with a TTL of " + text.Duration(max(0, r.ExpiresAt.Sub(r.ReadAt)))
	}
	switch r.Type {
	case keyspace.TypeString:
		return fmt.Sprintf("it is a string of %s %s, and its value does not look like a lock's", text.Plural(r.Size, "byte"), ends)
	case keyspace.TypeHash:
		return fmt.Sprintf("it is a hash of %s %s, and does not look like a lock's", text.Plural(r.Size, "field"), ends)
	default:
		return fmt.Sprintf("it is of type %s with %s, and does not look like a lock", text.Escape(string(r.Type)), text.Plural(r.Size, "element"))
	}
}
