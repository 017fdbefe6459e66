package keyspace

import (
	"fmt"
	"strconv"
	"strings"
)

// observerCommands are the ACL rules of the commands that an observer sends, beside those that open a connection, which
// nobody is denied (HELLO, AUTH; SELECT is listed for "-@all").
var observerCommands = []string{
	"hello", "ping", "select", "time", "info", "dbsize", "scan", "type", "exists", "pttl", "pexpiretime", "getrange", "strlen",
	"hlen", "hgetall", "llen", "lrange", "scard", "smembers", "zcard", "zrange", "xlen", "pubsub|channels", "pubsub|numsub",
	"pubsub|shardchannels", "pubsub|shardnumsub", "client|list", "memory|usage", "object|encoding", "config|get", "psubscribe",
	"subscribe", "client|setname", "client|tracking",
}

// ObserverACL is the least that a user needs to look at keys of these patterns, as rules for ACL SETUSER. With the rules
// goes no right to write: the key patterns are %R~ (7.0), and no command writes.
//
// SCAN shows the names of all keys to whoever may SCAN; the server knows no narrower rule. A pattern of channels is granted
// by the very same pattern only, so that the rules hold for these patterns and database alone.
func (c *Connection) ObserverACL(patterns []Pattern) string {
	rules := append([]string{"-@all", "resetkeys", "resetchannels"}, c.readRules(patterns)...)
	for _, p := range patterns {
		rules = append(rules, ACLWord("&"+channelPrefix(c.options.DB)+ACLGlob(p.Glob)))
	}
	for _, name := range observerCommands {
		rules = append(rules, "+"+name)
	}
	if c.server.atLeast(7, 2) {
		rules = append(rules, "+client|no-touch")
	}
	return strings.Join(rules, " ")
}

// readRules let a user read the keys of these patterns.
func (c *Connection) readRules(patterns []Pattern) []string {
	read := "%R~"
	if c.server.Version != "" && !c.server.atLeast(7, 0) {
		read = "~" // %R~ is new in 7.0, as are rules for subcommands of every command
	}
	return keyRules(read, patterns)
}

// WriteRules are the rules for ACL SETUSER that let a user write to the keys of these patterns.
func WriteRules(patterns []Pattern) []string { return keyRules("~", patterns) }

func keyRules(prefix string, patterns []Pattern) []string {
	var rules []string
	for _, p := range patterns {
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
