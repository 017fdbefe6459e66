package cli

import (
	"slices"
	"strings"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
)

// need is what acting on these keys takes from this server.
func need(connection *keyspace.Connection, patterns []keyspace.Pattern, in keyspace.Topology, scripts bool) actions.Need {
	server := connection.Server()
	return actions.Need{
		Patterns: patterns, Server: server, NoScripts: !scripts, Topology: in,
		Sharded: in == keyspace.Cluster && server.AtLeast(7, 0), // SPUBLISH is new in 7.0
	}
}

// leastRights are the ACL lines that let a user look at these keys by these rules, and besides act
// on them.
func leastRights(connection *keyspace.Connection, what actions.Need, rules inspector.Rules) (look, act string) {
	rights := actions.RightsFor(what)
	announcements := rules.Announcements()
	channels := slices.DeleteFunc(rights.Channels, func(rule string) bool { return isGranted(rule, announcements) })
	return "ACL SETUSER locktop reset on >PASSWORD " +
			connection.ObserverACL(what.Patterns, inspector.BesidePatterns(what.Patterns), announcements, what.Topology),
		"ACL SETUSER locktop " + strings.Join(slices.Concat(rights.Keys, channels, rights.Commands), " ")
}

// isGranted reports whether a user with these patterns of channels may do already what a rule allows.
func isGranted(rule string, patterns []string) bool {
	channels := keyspace.Pattern{Glob: strings.TrimPrefix(rule, "&")}
	return slices.ContainsFunc(patterns, func(glob string) bool { return keyspace.Pattern{Glob: glob}.Covers(channels) })
}

// actMend are the ACL lines that let this user act, where ACL DRYRUN has these words for what is denied; without any, all
// of them. Commands, keys and channels each have a line, because the server refuses a line as a whole that names keys or
// channels to who has all of them.
func actMend(connection *keyspace.Connection, what actions.Need, denied []string) string {
	rights := actions.RightsFor(what)
	var lines []string
	for _, line := range []struct {
		what  string
		rules []string
	}{{"' command", rights.Commands}, {"' key", rights.Keys}, {"' channel", rights.Channels}} {
		if len(line.rules) > 0 && (len(denied) == 0 || slices.ContainsFunc(denied, func(word string) bool { return strings.Contains(word, line.what) })) {
			lines = append(lines, connection.Mend(strings.Join(line.rules, " ")))
		}
	}
	return strings.Join(lines, "\n")
}
