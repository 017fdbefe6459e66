package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/report"
	"locktop/ui/text"
)

// This file reads the lock object of --from: one lock as "locktop list -o json" printed it.

// maxFrom bounds the input. A lock object has a few kilobytes.
const maxFrom = 16 << 20

// listedLock is a lock as it was listed, possibly by another process.
type listedLock struct {
	report.Lock
	key    string
	owners []string // of its holders, byte for byte
	votes  []string // the owners of its votes
}

// keyOrFrom takes a KEY, which --from makes optional.
func keyOrFrom(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && cmd.Flags().Changed("from") {
		return nil
	}
	return oneKey(cmd, args)
}

// readFrom reads the object that --from names and checks it against the rest of the command line.
// It reads the standard input to its end, so questions then go to the terminal.
func (a *app) readFrom(cmd *cobra.Command, c *acting, args []string, r actions.Request) (*listedLock, error) {
	data, err := a.readObject(cmd, c.from)
	if err != nil {
		return nil, err
	}
	l, err := parseListed(data)
	if err != nil {
		return nil, usage("--from: %w", err)
	}
	if len(args) > 0 {
		key, err := c.about.unquote("KEY", args[0])
		if err == nil && key != l.key {
			err = usage("KEY is %s, but the lock of --from is %s: leave KEY out", named(key), named(l.key))
		}
		if err != nil {
			return nil, err
		}
	}
	if cmd.Flags().Changed("holder") {
		owner, err := c.about.unquote("--holder", c.holder)
		if err = cmp.Or(err, l.keep(owner)); err != nil {
			return nil, err
		}
	}
	return l, l.checkCount(r.Entries)
}

// checkCount refuses a number of entries that contradicts the object.
func (l *listedLock) checkCount(entries int64) error {
	if entries == 0 {
		return nil
	}
	if len(l.Holders) > 1 {
		return usage("--count %d: the lock of --from has %d holders; name one of them with --holder", entries, len(l.Holders))
	}
	if count := l.Holders[0].Count; count != nil && *count < entries {
		return usage("--count %d: the lock of --from was entered %s", entries, times(*count))
	}
	return nil
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return text.Count(n) + " times"
}

// readObject reads a file, or the standard input.
func (a *app) readObject(cmd *cobra.Command, path string) ([]byte, error) {
	in := a.stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, failed("--from: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	} else if isTerminal(in) {
		return nil, usage("--from - reads a lock object from the standard input, but that is the terminal: pipe one in, for example with jq -c '.locks[0]'")
	}
	data, err := await(cmd.Context(), func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, maxFrom+1)) })
	switch {
	case err != nil:
		return nil, failed("--from: %w", err)
	case len(data) > maxFrom:
		return nil, usage("--from: the input is larger than %s, so it is not one lock object", text.Bytes(maxFrom))
	}
	if path == "-" {
		a.stdin = strings.NewReader("")
		if tty, err := os.OpenFile(terminalInput, os.O_RDWR, 0); err == nil {
			a.stdin = tty // until the program ends: answers come from there
		}
	}
	return data, nil
}

// parseListed reads one lock object.
func parseListed(data []byte) (*listedLock, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var first json.RawMessage
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the input is empty: one lock object is expected")
	case err != nil:
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows the first lock object: pick one, for example with jq -c '.locks[0]'")
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(first, &parts); err != nil || parts == nil {
		return nil, errors.New("one lock object is expected, as jq -c '.locks[0]' prints it")
	}
	if _, is := parts["locks"]; is {
		return nil, errors.New("the input is a whole snapshot: pick one lock, for example with jq -c '.locks[0]'")
	}
	for _, name := range [...]string{"key", "node", "db", "scheme", "holders", "ttl_ms"} {
		if _, is := parts[name]; !is {
			return nil, fmt.Errorf("the lock object is not complete: %q is missing", name)
		}
	}
	var holders []map[string]json.RawMessage
	if json.Unmarshal(parts["holders"], &holders) == nil { // else the next one says what is wrong
		for i := range holders {
			if _, is := holders[i]["owner"]; !is {
				return nil, fmt.Errorf("the lock object is not complete: %q of a holder is missing", "owner")
			}
		}
	}
	l := &listedLock{}
	if err := json.Unmarshal(first, &l.Lock); err != nil {
		return nil, fmt.Errorf("not a lock object of locktop list -o json: %w", err)
	}
	return l, l.check()
}

// check decodes the names, and refuses a lock that no verb can act on.
func (l *listedLock) check() (err error) {
	if l.key, err = report.Bytes(l.Key, l.KeyBase64); err != nil {
		return fmt.Errorf("key: %w", err)
	}
	if !slices.Contains(inspector.RuleSchemes(), inspector.Scheme(l.Scheme)) || l.Scheme == string(inspector.NoLock) {
		return fmt.Errorf("locktop cannot act on the scheme %q", l.Scheme)
	}
	if len(l.Holders) == 0 {
		return fmt.Errorf("%s lists no holders", named(l.key))
	}
	if l.Mode == "" {
		return fmt.Errorf("the lock object is not complete: %q is missing", "mode")
	}
	for i := range l.Holders {
		owner, err := report.Bytes(l.Holders[i].Owner, l.Holders[i].OwnerBase64)
		if err != nil {
			return fmt.Errorf("holders: %w", err)
		}
		if slices.Contains(l.owners, owner) {
			return fmt.Errorf("holders: %s is listed twice", text.Escape(owner))
		}
		l.owners = append(l.owners, owner)
	}
	for i := range l.Votes {
		owner, err := report.Bytes(l.Votes[i].Owner, l.Votes[i].OwnerBase64)
		if err != nil {
			return fmt.Errorf("votes: %w", err)
		}
		l.votes = append(l.votes, owner)
	}
	if l.TTL != nil && *l.TTL >= 0 && l.ExpiresAt == "" {
		return errors.New(`it has a ttl_ms but no "expires_at"`)
	}
	return nil
}

// keep removes all holders but one.
func (l *listedLock) keep(owner string) error {
	i := slices.Index(l.owners, owner)
	if i < 0 {
		return usage("--holder %s is not among the holders in --from: leave --holder out, or list the lock again", text.Escape(owner))
	}
	l.owners, l.Holders = l.owners[i:i+1], l.Holders[i:i+1]
	return nil
}

// at sets the database of the place to that of the listed lock, unless the command line names one.
func (l *listedLock) at(named bool, place *keyspace.Place) error {
	set := func(o *keyspace.Options) error {
		if named && o.DB != l.DB {
			return usage("--db is %d, but the lock of --from is in database %d", o.DB, l.DB)
		}
		o.DB = l.DB
		return nil
	}
	if place.Sentinel != "" {
		return set(&place.Master)
	}
	for i := range place.Servers {
		if err := set(&place.Servers[i]); err != nil {
			return err
		}
	}
	return nil
}

// find looks at the listed key. If its bytes do not show that it is a lock, a rule may have made it
// one in the list; then the scheme of the object counts.
func (l *listedLock) find(look func(inspector.Rules) (sight, error), rules inspector.Rules) (sight, error) {
	found, err := look(rules)
	if err != nil || !found.record.Exists() || found.lock != nil && string(found.lock.Scheme) == l.Scheme {
		return found, err
	}
	rule := inspector.Rule{Pattern: keyspace.Pattern{Glob: keyspace.Escape(l.key)}, Scheme: inspector.Scheme(l.Scheme)}
	ruled, err := look(append(inspector.Rules{rule}, rules...))
	if err != nil || ruled.lock == nil || string(ruled.lock.Scheme) != l.Scheme {
		return found, err
	}
	return ruled, nil
}
