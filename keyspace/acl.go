package keyspace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// observerCommands are the ACL rules of the commands that an observer sends, beside those that open a connection, which
// nobody is denied (HELLO, AUTH). Each of them is tried by [Connection.Capabilities].
var observerCommands = []string{
	"ping", "time", "info", "dbsize", "scan", "type", "exists", "getrange", "strlen",
	"hlen", "hgetall", "llen", "lrange", "scard", "smembers", "zcard", "zrange", "xlen", "pubsub|channels", "pubsub|numsub",
	"client|list", "memory|usage", "config|get", "psubscribe", "client|setname", "client|tracking",
}

// commandsSince are those that a server knows from a version on; before it they are no rules of an ACL.
var commandsSince = []struct {
	major, minor int
	commands     []string
}{
	{7, 0, []string{"pexpiretime", "pubsub|shardchannels", "pubsub|shardnumsub"}},
	{7, 2, []string{"client|no-touch"}},
}

// ObserverACL is the least that a user needs to look at keys of these patterns and at what belongs
// to them (beside), and to hear the announcements on these channels ([Companions.Announcements]),
// as rules for ACL SETUSER. They give no right to write: the key patterns are %R~ (7.0), and no
// command writes.
//
// SCAN shows the names of all keys to whoever may SCAN; the server knows no narrower rule. A pattern of channels is granted
// by the very same pattern only, so that the rules hold for these patterns and database alone.
func (c *Connection) ObserverACL(patterns, beside []Pattern, announcements []string, in Topology) string {
	rules := append([]string{"-@all", "resetkeys", "resetchannels"}, c.readRules(slices.Concat(patterns, beside))...)
	var channels []string
	for _, p := range patterns {
		channels = append(channels, channelPrefix(c.options.DB)+ACLGlob(p.Glob))
	}
	rules = append(rules, channelRules(slices.Concat(channels, announcements))...)
	for _, name := range c.observerCommands(in) {
		rules = append(rules, "+"+name)
	}
	return strings.Join(rules, " ")
}

func (c *Connection) observerCommands(in Topology) []string {
	commands := slices.Clone(observerCommands)
	for _, since := range commandsSince {
		if c.server.AtLeast(since.major, since.minor) {
			commands = append(commands, since.commands...)
		}
	}
	if c.server.HasFieldTTLs() {
		commands = append(commands, "hpexpiretime")
	}
	if !c.server.AtLeast(7, 0) {
		commands = append(commands, "hello", "pttl") // HELLO may be denied there, and there is no PEXPIRETIME
	}
	if c.options.DB != 0 {
		commands = append(commands, "select")
	}
	if in == Cluster {
		commands = append(commands, "cluster|slots", "asking")
	}
	return commands
}

// SentinelACL is what the same user needs on each sentinel, as rules for ACL SETUSER.
const SentinelACL = "-@all resetkeys resetchannels +ping +sentinel|get-master-addr-by-name"

// readRules let a user read the keys of these patterns.
func (c *Connection) readRules(patterns []Pattern) []string {
	read := "%R~"
	if c.server.Version != "" && !c.server.AtLeast(7, 0) {
		read = "~" // %R~ is new in 7.0, as are rules for subcommands of every command
	}
	return keyRules(read, patterns)
}

// WriteRules are the rules for ACL SETUSER that let a user write to the keys of these patterns.
func WriteRules(patterns []Pattern) []string { return keyRules("~", patterns) }

func keyRules(prefix string, patterns []Pattern) []string {
	var rules []string
	for _, p := range Distinct(patterns) {
		rules = append(rules, ACLWord(prefix+ACLGlob(p.Glob)))
	}
	return rules
}

// ACLWord writes a word of an ACL line as redis-cli reads it at its prompt: as it is, or, where it holds a blank, a quote or a
// byte that is no printable ASCII, in double quotes, where alone a backslash escapes. The word is safe for a terminal.
func ACLWord(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\'' }) < 0 {
		return word
	}
	return Quote(word)
}

// Quote puts bytes into the double quotes that redis-cli reads at its prompt and, with --quoted-input (since 6.2), among
// its arguments. The result is printable ASCII.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// blanks are what the server does not take in the pattern of an ACL rule, however it is quoted.
const blanks = " \t\n\v\f\r\x00"

// ACLGlob is the glob as an ACL can grant it: each blank, and each class with a blank among its members, becomes "?", which
// names a few keys more.
func ACLGlob(glob string) string {
	if !strings.ContainsAny(glob, blanks) {
		return glob
	}
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		end := i
		switch {
		case glob[i] == '[':
			end, _ = compileClass(glob, i+1, new(set))
		case glob[i] == '\\' && i+1 < len(glob):
			end++
		}
		if part := glob[i : end+1]; strings.ContainsAny(part, blanks) {
			b.WriteByte('?')
		} else {
			b.WriteString(part)
		}
		i = end
	}
	return b.String()
}

// channelPrefix begins the channels that tell of the keys of a database.
func channelPrefix(db int) string { return "__keyspace@" + strconv.Itoa(db) + "__:" }
