package actions

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// RedisCLI is the redis-cli command line, quoted for a POSIX shell, that does what the request asks, with its guard. It is
// one line of printable text. It names the server and the database where they are not redis-cli's defaults, but no user and
// no TLS, and it is empty for a request that would be refused before anything is sent.
//
// It speaks of the companions as they were seen: where they have changed it answers "context", and where the server is older
// than 7.0 and there are several commands "apart", and does nothing.
//
// Of a Redlock it is one command for each master that has it for the owner, one after the other.
//
// Where the key or the holder has bytes that are no printable text, the arguments are given with --quoted-input, which
// redis-cli has since 6.2.
func RedisCLI(r Request) string {
	if r.Lock != nil && r.Lock.Quorum != nil {
		return redisCLIOfVotes(r)
	}
	r.later = true
	p, err := makePlan(r, time.Now())
	if err != nil {
		return ""
	}
	command := slices.Concat([]string{"EVAL", minify(act.text), strconv.Itoa(len(p.keys))}, p.keys, p.args())
	line := "redis-cli" + serverFlags(r.Lock.Node)
	if r.Sharded {
		line += " -c" // the key may be on another node by the time that the line is run
	}
	if r.Lock.DB != 0 {
		line += " -n " + strconv.Itoa(r.Lock.DB)
	}
	quote := quoteArg
	if !keyspace.Printable(strings.Join(command, "")) {
		line += " --quoted-input"
		quote = func(arg string) string {
			if isPlain(arg) {
				return arg
			}
			return quoteArg(keyspace.Quote(arg))
		}
	}
	for _, arg := range command {
		line += " " + quote(arg)
	}
	return line
}

// serverFlags are the flags by which redis-cli reaches a node.
func serverFlags(node keyspace.Node) string {
	if path, isSocket := strings.CutPrefix(string(node), "unix:"); isSocket {
		return " -s " + quoteArg(path)
	}
	host, port, err := net.SplitHostPort(string(node))
	if err != nil {
		return "" // no address that could be dialled
	}
	flags := ""
	if host != "127.0.0.1" {
		flags += " -h " + quoteArg(host)
	}
	if port != strconv.Itoa(keyspace.DefaultPort) {
		flags += " -p " + quoteArg(port)
	}
	return flags
}

// minify puts a script on one line. No line of the scripts has a comment at its end, which would swallow the rest.
func minify(text string) string { return strings.Join(strings.Fields(text), " ") }

// quoteArg quotes an argument for a POSIX shell; a plain word stays as it is.
func quoteArg(arg string) string {
	if isPlain(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// isPlain says whether an argument means itself to a shell and to redis-cli.
func isPlain(arg string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/,@%+"
	return arg != "" && strings.Trim(arg, plain) == ""
}
