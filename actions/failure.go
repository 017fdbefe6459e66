package actions

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
)

const onReplica = "this server is a replica, which takes no writes; act on its master"

// failure turns an executor's error into an outcome.
func failure(err error, p plan, way executor, at place) Outcome {
	out := Outcome{Result: ResultFailed, Woken: -1, Err: err}
	var lost lostError
	reply := replyText(err)
	switch {
	case errors.As(err, &lost):
		out.Result = ResultUnknown
		out.Detail = "the answer was lost, and the action is not sent twice: " + printable(err.Error())
	case strings.Contains(reply, "READONLY You can't write"):
		out.Result = ResultReplica
		out.Detail = onReplica
	case strings.HasPrefix(reply, "NOPERM"), deniedExec.MatchString(reply), deniedInScript.MatchString(reply):
		out.Result = ResultDenied
		out.Detail = "mend: " + aclMend(p, way, at)
	case strings.HasPrefix(reply, "CROSSSLOT"):
		return *crossing(p.keys).outcome()
	default:
		out.Detail = printable(err.Error())
		if mend := mendOf(err); mend != "" {
			out.Detail += "; " + mend
		}
	}
	return out
}

// The words in which servers deny something from within a script, where the prefix NOPERM is missing before Redis 7.2.
var deniedInScript = regexp.MustCompile(`The user executing the script can't|ACL failure in script`)

// The words in which EXEC itself is denied.
var deniedExec = regexp.MustCompile(`^EXECABORT .*\bNOPERM\b`)

// replyText is what the server said, without what was wrapped around it; empty where the error is no answer of a server.
func replyText(err error) string {
	var reply redis.Error
	if errors.As(err, &reply) {
		return reply.Error()
	}
	return ""
}

// scriptsDenied says whether it is scripting itself that this user or this server does not have.
func scriptsDenied(err error) bool {
	reply := replyText(err)
	if strings.HasPrefix(reply, "NOPERM") {
		return deniedEval.MatchString(reply)
	}
	return unknownEval.MatchString(reply)
}

var (
	deniedEval  = regexp.MustCompile(`(?i)run the '(eval|evalsha)' command`)
	unknownEval = regexp.MustCompile(`(?i)^(ERR )?unknown command .?(eval|evalsha)\b`)
)

// aclMend are the commands that give a user all that the plan takes: the server names what it denies one by one, and says
// nothing of what comes after. Commands, keys and channels each have a line, because the server refuses a line as a whole
// that names keys or channels to who has all of them.
func aclMend(p plan, way executor, at place) string {
	line := "ACL SETUSER " + keyspace.ACLWord(cmp.Or(at.user(), "default")) + " "
	mend := line + strings.Join(slices.Concat(way.rules(), at.rules(), p.commandRules()), " ") + "; and unless it has all keys: " + line + strings.Join(ruleWords("~", p.keys), " ")
	if channels := p.channels(); len(channels) > 0 {
		mend += "; and unless it has all channels: " + line + strings.Join(ruleWords("&", channels), " ")
	}
	return mend
}

// ruleWords are the ACL rules for these very keys, or channels.
func ruleWords(prefix string, names []string) []string {
	rules := make([]string, len(names))
	for i, name := range names {
		rules[i] = keyspace.ACLWord(prefix + keyspace.ACLGlob(keyspace.Escape(name)))
	}
	return rules
}

const wantsPassword = "the server wants a password: --user, --pass or REDISCLI_AUTH"

// mends are what helps against errors that a server gives before it does anything.
var mends = []struct{ prefix, mend string }{
	{"MISCONF", "the server refuses writes because it cannot save: free its disk, or CONFIG SET stop-writes-on-bgsave-error no"},
	{"OOM", "the server is out of memory: raise maxmemory, or free some memory, and try again"},
	{"LOADING", "the server is loading its data: try again when it has ended"},
	{"BUSY", "another script blocks the server: SCRIPT KILL ends it if it has not written yet"},
	{"NOREPLICAS", "the server has too few replicas to take writes: see min-replicas-to-write"},
	{"MASTERDOWN", "this replica has lost its master: act on the master"},
	{"CLUSTERDOWN", "the cluster does not serve this slot: see CLUSTER INFO"},
	{"TRYAGAIN", "the key's slot is being moved to another node: try again"},
	{"NOAUTH", wantsPassword},
	{"Protocol error: unauthenticated", wantsPassword}, // so it refuses a command of more than ten words
	{"WRONGPASS", "the server does not take this user and password"},
}

func mendOf(err error) string {
	for _, m := range mends {
		if redis.HasErrorPrefix(err, m.prefix) {
			return m.mend
		}
	}
	if replyText(err) == "" {
		return "nothing was done"
	}
	return ""
}
