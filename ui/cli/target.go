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

// unquote decodes an argument if the user says that it is escaped.
func (t *target) unquote(name, s string) (string, error) {
	if !t.quoted {
		return s, nil
	}
	out, err := text.Unescape(s)
	if err != nil {
		return "", usage("%s: %v", name, err)
	}
	return out, nil
}

// readOne reads a key. Where it cannot be read, the error says why.
func (s *session) readOne(ctx context.Context, rules inspector.Rules, key string) (keyspace.Record, error) {
	records, err := s.connection.ReadWith(ctx, rules, key)
	if err != nil {
		return keyspace.Record{}, failed("reading %s: %w", named(key), err)
	}
	r := records[0]
	if r.Type == keyspace.TypeDenied {
		return r, failed("reading %s: %s; the user needs ~ or %%R~ for this key, and +@read (locktop check says more)",
			named(key), text.Escape(r.Denied()))
	}
	return r, nil
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

// noLock is the error for a key that is there, but is no lock.
func noLock(r keyspace.Record) error {
	return failed("%s is no lock: %s", named(r.Key), kindOf(r))
}

// kindOf says what a key is, in words.
func kindOf(r keyspace.Record) string {
	ends := "without a TTL"
	if !r.ExpiresAt.IsZero() {
		ends = "with a TTL of " + text.Duration(max(0, r.ExpiresAt.Sub(r.ReadAt)))
	}
	switch r.Type {
	case keyspace.TypeString:
		return fmt.Sprintf("it is a string of %s bytes %s, and its name and value are not like a lock's", text.Count(r.Size), ends)
	case keyspace.TypeHash:
		return fmt.Sprintf("it is a hash of %s fields %s, and they are not like a lock's", text.Count(r.Size), ends)
	default:
		return fmt.Sprintf("it is of type %s with %s elements, and not laid out like a lock", text.Escape(string(r.Type)), text.Count(r.Size))
	}
}

// single is a snapshot of one lock that was read by its name.
func (s *session) single(l *inspector.Lock, at time.Time) *inspector.Snapshot {
	server := s.connection.Server()
	status := keyspace.Status{
		Node: s.connection.Node(), DB: s.connection.DB(), Software: server.Software, Version: server.Version, Role: server.Role,
		Feed: keyspace.FeedPoll, Connected: true,
	}
	return &inspector.Snapshot{TakenAt: at, Complete: true, Nodes: []keyspace.Status{status}, Locks: []*inspector.Lock{l}}
}
