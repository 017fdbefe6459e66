package keyspace

import (
	"context"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Verdict says whether something may be done on a server.
type Verdict string

// The verdicts.
const (
	Allowed Verdict = "ok"
	Denied  Verdict = "denied" // by the ACL
	Absent  Verdict = "absent" // the server does not know it, hides it, or has it switched off
	Untried Verdict = "not tried"
)

// Capability is one thing that was tried.
type Capability struct {
	// Name says what it is: "scan", "read", "config get", "notifications", ...
	Name    string
	Verdict Verdict
	// Detail is the server's own word where it refused.
	Detail string
	// Mend is the command that would allow it; empty where it is allowed, or where nothing would.
	Mend string
	// Without says what locktop cannot do without it; empty where it is allowed.
	Without string
}

// Capabilities is what this user can do on this server, in the order of importance.
type Capabilities []Capability

// Of finds a capability by its name.
func (all Capabilities) Of(name string) (Capability, bool) {
	for _, one := range all {
		if one.Name == name {
			return one, true
		}
	}
	return Capability{}, false
}

// attempt is how one capability is tried.
type attempt struct {
	name    string
	rule    string // the ACL rule that allows it
	without string
	command []any
}

// anyKey stands in an attempt's command for a key of each pattern.
type anyKey struct{}

// Capabilities tries, one after the other and without any effect, what locktop does on a server with
// keys of these patterns, with what belongs to them (beside), and with the announcements of their
// release ([Companions.Announcements]). It returns an error only if the server does not answer.
func (c *Connection) Capabilities(ctx context.Context, patterns, beside []Pattern, announcements []string, in Topology) (Capabilities, error) {
	client := redis.NewClient(c.readOptions(c.options.ClientName+"-check", 1, checkCommands))
	defer client.Close()
	patterns = ObserveOptions{Patterns: patterns}.withDefaults().Patterns
	ttl := []any{"PEXPIRETIME", anyKey{}}
	if err := client.Do(ctx, "PEXPIRETIME", ProbeKey(patterns[0])).Err(); isDenied(err) || isAbsent(err) {
		ttl[0] = "PTTL" // which does as well
	}
	all, err := c.attempt(ctx, client, c.looks(ttl, in), patterns, c.readRules(patterns))
	if err != nil {
		return nil, err
	}
	if len(beside) > 0 {
		more, err := c.attempt(ctx, client, []attempt{{
			"read companions", "+type", "nobody knows who waits, or whose lock it is, where a library keeps that beside the lock",
			[]any{"TYPE", anyKey{}},
		}}, beside, c.readRules(beside))
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	acting, err := c.tryActing(ctx, client, patterns)
	if err != nil {
		return nil, err
	}
	heard, err := c.tryHearing(ctx, patterns, announcements)
	return slices.Concat(all, acting, heard), err
}

// looks are the attempts at what looking takes, in the order of importance.
func (c *Connection) looks(ttl []any, in Topology) []attempt {
	key := anyKey{}
	subscribers := attempt{name: "subscribers", rule: "+pubsub|channels +pubsub|numsub", without: "nobody knows who waits on a channel"}
	sharded := attempt{
		name: "sharded subscribers", rule: "+pubsub|shardchannels +pubsub|shardnumsub", without: "nobody knows who waits on a sharded channel",
	}
	attempts := []attempt{
		{"ping", "+ping", "a connection that has died is noticed late, and nothing is heard on it until then", []any{"PING"}},
		{"scan", "+scan", "no lock can be found", []any{"SCAN", 0, "COUNT", 1}},
		{"type", "+type", "no lock can be read", []any{"TYPE", key}},
		{"ttl", "+pexpiretime +pttl", "no lock is shown, since none is read without its TTL", ttl},
		{"read strings", "+getrange +strlen", "locks that are strings are not shown", []any{"GETRANGE", key, 0, 0}},
		{"read strings", "+getrange +strlen", "locks that are strings are not shown", []any{"STRLEN", key}},
		{"read hashes", "+hgetall +hlen", "locks that are hashes are not shown", []any{"HGETALL", key}},
		{"read hashes", "+hgetall +hlen", "locks that are hashes are not shown", []any{"HLEN", key}},
		{"read sorted sets", "+zrange +zcard", "locks that are sorted sets are not shown", []any{"ZRANGE", key, 0, 0}},
		{"read sorted sets", "+zrange +zcard", "locks that are sorted sets are not shown", []any{"ZCARD", key}},
		{"read sets", "+smembers +scard", "locks that are sets are not shown", []any{"SMEMBERS", key}},
		{"read sets", "+smembers +scard", "locks that are sets are not shown", []any{"SCARD", key}},
		{"read lists", "+lrange +llen", "nobody knows who waits in a queue", []any{"LRANGE", key, 0, 0}},
		{"read lists", "+lrange +llen", "nobody knows who waits in a queue", []any{"LLEN", key}},
		{"read streams", "+xlen", "of a stream under a lock's name nobody knows how long it is", []any{"XLEN", key}},
		subscribers.of("PUBSUB", "CHANNELS", nobodysKey), subscribers.of("PUBSUB", "NUMSUB"),
	}
	if c.server.AtLeast(7, 0) {
		attempts = append(attempts, sharded.of("PUBSUB", "SHARDCHANNELS", nobodysKey), sharded.of("PUBSUB", "SHARDNUMSUB"))
	}
	if c.server.HasFieldTTLs() {
		attempts = append(attempts, attempt{
			"field ttl", "+hpexpiretime", "when a holder's field of a hash expires is unknown, and whether it does",
			[]any{"HPEXPIRETIME", key, "FIELDS", 1, "field"},
		})
	}
	attempts = append(attempts, []attempt{
		{"blocked clients", "+client|list", "nobody knows who is blocked for a lock, nor which holder's connection is gone", []any{"CLIENT", "LIST", "ID", 1}},
		{"memory usage", "+memory|usage", "collections of long elements are not read, for fear of their size", []any{"MEMORY", "USAGE", key}},
		{"exists", "+exists", "the end of a lease may be seen minutes late", []any{"EXISTS", key}},
		{"time", "+time", "TTLs are wrong by what the clocks differ", []any{"TIME"}},
		{"info", "+info", "a swap of databases is seen late, when a key that differs is read again", []any{"INFO", "server"}},
		{"dbsize", "+dbsize", "nobody knows how far a pass has come", []any{"DBSIZE"}},
		{"config get", "+config|get", "nobody knows whether notifications are on until one comes", []any{"CONFIG", "GET", notifySetting}},
		{"client name", "+client|setname", "CLIENT LIST does not tell which clients are locktop", []any{"CLIENT", "SETNAME", c.options.ClientName + "-check"}},
	}...)
	if in == Cluster {
		attempts = append(attempts,
			attempt{"cluster slots", "+cluster|slots", "nobody knows which masters there are", []any{"CLUSTER", "SLOTS"}},
			attempt{"asking", "+asking", "a lock whose slot is being moved is not seen for that time", []any{"ASKING"}})
	}
	if c.server.AtLeast(7, 2) {
		attempts = append(attempts, attempt{
			"no touch", "+client|no-touch", "keys that locktop reads look used, which may keep the server from evicting them", noTouch,
		})
	}
	return attempts
}

// of is the same attempt with a command.
func (a attempt) of(command ...any) attempt {
	a.command = command
	return a
}

// attempt makes all attempts in one round trip, those about keys once for each pattern. The attempts of one name stand
// together, and come to one capability. The rules for the keys mend what is denied for the key's sake.
func (c *Connection) attempt(ctx context.Context, client *redis.Client, attempts []attempt, patterns []Pattern, keyRules []string) (Capabilities, error) {
	pipe := client.Pipeline()
	answers := make([][]*redis.Cmd, len(attempts))
	for i, a := range attempts {
		at := slices.Index(a.command, any(anyKey{}))
		if at < 0 {
			answers[i] = []*redis.Cmd{pipe.Do(ctx, a.command...)}
			continue
		}
		for _, p := range patterns {
			command := slices.Clone(a.command)
			command[at] = ProbeKey(p)
			answers[i] = append(answers[i], pipe.Do(ctx, command...))
		}
	}
	if err := exec(ctx, pipe); err != nil {
		return nil, wrap("check", err)
	}
	var all Capabilities
	for i, a := range attempts {
		for _, answer := range answers[i] {
			one, err := c.try(a, answer.Err())
			if err != nil {
				return nil, err
			}
			if isDenied(answer.Err()) && !isCommandDenied(answer.Err()) {
				one.Mend = c.Mend(strings.Join(keyRules, " "))
			}
			switch last := len(all) - 1; {
			case last < 0 || all[last].Name != one.Name:
				all = append(all, one)
			case all[last].Verdict == Allowed:
				all[last] = one
			}
		}
	}
	return all, nil
}

// try turns an answer into a capability.
func (c *Connection) try(a attempt, err error) (Capability, error) {
	one := Capability{Name: a.name, Verdict: Allowed}
	switch {
	case err == nil || isNil(err):
		return one, nil
	case !isAnswer(err):
		return one, wrap("check "+a.name, err)
	case isDenied(err):
		one.Verdict, one.Mend = Denied, c.Mend(a.rule)
	case isAbsent(err):
		one.Verdict = Absent
	default: // an error about the arguments, which only somebody gets who may
		return one, nil
	}
	one.Detail, one.Without = err.Error(), a.without
	return one, nil
}

// tryHearing opens a session as a feed does.
func (c *Connection) tryHearing(ctx context.Context, patterns []Pattern, announcements []string) (Capabilities, error) {
	flags, err := c.Notifications(ctx)
	if err != nil {
		return nil, err
	}
	f := newFeed(c, ObserveOptions{Patterns: patterns}.withDefaults(), flags)
	f.announcements = announcements
	s, err := f.open(ctx)
	if err != nil {
		return nil, wrap("check psubscribe", err)
	}
	defer s.close()
	subscribe, err := c.try(attempt{name: "psubscribe", without: "changes are heard by CLIENT TRACKING at best", rule: channelRule(s.denied, f.channels())}, s.denied)
	if err != nil {
		return nil, err
	}
	announced, err := c.try(attempt{
		name: "announcements", rule: channelRule(s.unannounced, announcements),
		without: "a release that only its library's message proves is shown as freed",
	}, s.unannounced)
	if err != nil {
		return nil, err
	}
	tracking, err := c.try(attempt{
		name: "client tracking", rule: "+client|tracking",
		without: "a flush is seen late, and without notifications locktop polls",
	}, s.tracking)
	if err != nil {
		return nil, err
	}
	notifications := Capability{Name: "notifications", Verdict: Allowed, Detail: flags.Old}
	if !flags.Enough() {
		notifications = Capability{
			Name: "notifications", Verdict: Absent, Detail: flags.why(), Mend: flags.Line(), Without: "events carry no names, or are not heard",
		}
	}
	return Capabilities{notifications, subscribe, announced, tracking}, nil
}
