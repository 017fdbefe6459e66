package keyspace

import (
	"strconv"
	"strings"
)

// observerCommands are the ACL rules of the commands that an observer sends, beside those that open a connection, which
// nobody is denied (HELLO, AUTH; SELECT is listed for "-@all").
var observerCommands = []string{
	"hello", "ping", "select", "time", "info", "dbsize", "scan", "type", "exists", "pttl", "pexpiretime", "getrange", "strlen",
	"hlen", "hgetall", "llen", "scard", "zcard", "xlen", "memory|usage", "object|encoding", "config|get", "psubscribe",
	"subscribe", "client|setname", "client|tracking",
}

// ObserverACL is the least that a user needs to look at keys of these patterns, as rules for ACL SETUSER. With the rules
// goes no right to write: the key patterns are %R~ (7.0), and no command writes.
//
// SCAN shows the names of all keys to whoever may SCAN; the server knows no narrower rule. A pattern of channels is granted
// by the very same pattern only, so that the rules hold for these patterns and database alone.
func (c *Connection) ObserverACL(patterns []Pattern) string {
	read := "%R~"
	if c.server.Version != "" && !c.server.atLeast(7, 0) {
		read = "~" // %R~ is new in 7.0, as are rules for subcommands of every command
	}
	rules := []string{"-@all", "resetkeys", "resetchannels"}
	for _, p := range patterns {
		rules = append(rules, quoted(read+p.Glob))
	}
	for _, p := range patterns {
		rules = append(rules, quoted("&"+channelPrefix(c.options.DB)+p.Glob))
	}
	for _, name := range observerCommands {
		rules = append(rules, "+"+name)
	}
	if c.server.atLeast(7, 2) {
		rules = append(rules, "+client|no-touch")
	}
	return strings.Join(rules, " ")
}

// quoted writes a rule as redis-cli reads it: as it is, unless it holds a blank, a quote or a byte that does not print.
func quoted(rule string) string {
	if text := strconv.Quote(rule); strings.ContainsAny(rule, " '\"") || strings.Contains(text, `\x`) {
		return text
	}
	return rule
}

// channelPrefix begins the channels that tell of the keys of a database.
func channelPrefix(db int) string { return "__keyspace@" + strconv.Itoa(db) + "__:" }
