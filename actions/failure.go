package actions

import (
	"cmp"
	"errors"
	"regexp"
	"strings"

	"github.com/redis/go-redis/v9"
)

// failure turns an executor's error into an outcome.
func failure(err error, p plan, user string) Outcome {
	out := Outcome{Result: ResultFailed, Woken: -1, Err: err}
	var lost lostError
	reply := replyText(err)
	switch {
	case errors.As(err, &lost):
		out.Result = ResultUnknown
		out.Detail = "the answer was lost, and the action is not sent twice: " + printable(err.Error())
	case strings.Contains(reply, "READONLY You can't write"):
		out.Result = ResultReplica
		out.Detail = "this server is a replica, which takes no writes; act on its master"
	case strings.HasPrefix(reply, "NOPERM"), deniedInScript.MatchString(reply):
		out.Result = ResultDenied
		out.Detail = "mend: " + aclMend(reply, p, user)
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
	deniedEval    = regexp.MustCompile(`(?i)run the '(eval|evalsha)' command`)
	unknownEval   = regexp.MustCompile(`(?i)^(ERR )?unknown command .?(eval|evalsha)\b`)
	deniedCommand = regexp.MustCompile(`run the '([a-zA-Z|]+)' command`)
)

// aclMend is the command that gives a user what was denied. Where the server did not say what that is, it gives all that
// the verb needs.
func aclMend(reply string, p plan, user string) string {
	rule := "ACL SETUSER " + printable(cmp.Or(user, "default")) + " "
	command := deniedCommand.FindStringSubmatch(reply)
	switch {
	case strings.Contains(reply, "channel"):
		return rule + strings.Join(p.wake.channelRules(), " ")
	case command != nil:
		return rule + "+" + command[1]
	case strings.Contains(reply, "key"):
		return rule + strings.Join(keyRules(p.keys()), " ")
	default:
		return rule + strings.Join(p.commands(), " ")
	}
}

// commands are the ACL rules for the commands that the plan's script runs.
func (p plan) commands() []string {
	rules := []string{"+eval", "+evalsha", "+type", "+pttl"}
	if p.hash {
		rules = append(rules, "+hget", "+hlen", "+hscan")
	} else {
		rules = append(rules, "+strlen", "+getrange")
	}
	switch {
	case p.verb == VerbExtend && p.value != "":
		rules = append(rules, "+set")
	case p.verb == VerbExtend, p.verb == VerbForceExpire && p.ms > 0:
		rules = append(rules, "+pexpire")
	case p.verb == VerbRelease && p.hash:
		rules = append(rules, "+hincrby", "+hdel", "+del")
	default:
		rules = append(rules, "+del")
	}
	return append(rules, p.wake.commands()...)
}

// keyRules are the ACL rules for keys.
func keyRules(keys []string) []string {
	rules := make([]string, len(keys))
	for i, key := range keys {
		rules[i] = quoteArg("~" + globEscape(key))
	}
	return rules
}

// globEscape makes a glob that names only the key.
func globEscape(key string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(key)
}

// mends are what helps against errors that a server gives before it does anything.
var mends = []struct{ prefix, mend string }{
	{"MISCONF", "the server refuses writes because it cannot save: free its disk, or CONFIG SET stop-writes-on-bgsave-error no"},
	{"OOM", "the server is out of memory: raise maxmemory or free some, or force-expire the lock, which needs none"},
	{"LOADING", "the server is loading its data: try again when it has ended"},
	{"BUSY", "another script blocks the server: SCRIPT KILL ends it if it has not written yet"},
	{"NOREPLICAS", "the server has too few replicas to take writes: see min-replicas-to-write"},
	{"MASTERDOWN", "this replica has lost its master: act on the master"},
	{"CLUSTERDOWN", "the cluster does not serve this slot: see CLUSTER INFO"},
	{"MOVED", "the key's slot is on another node: act there"},
	{"NOAUTH", "the server wants a password: --user, --pass or REDISCLI_AUTH"},
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
