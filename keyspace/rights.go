package keyspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

const transactionRules = "+watch +unwatch +multi +exec"

// tryActing tries what those who write begin with, without any effect: scripts, and where they are not to be had,
// transactions. A script takes its keys as if it wrote to them, so that one which does nothing tells whether it might.
func (c *Connection) tryActing(ctx context.Context, client *redis.Client, patterns []Pattern) (Capabilities, error) {
	key := anyKey{}
	writeRules := WriteRules(patterns)
	all, err := c.attempt(ctx, client, []attempt{
		{"eval", "+eval +evalsha", "actions fall back to transactions", []any{"EVAL", "return 1", 0}},
		{"eval", "+eval +evalsha", "actions fall back to transactions", []any{"EVALSHA", strings.Repeat("0", 40), 0}},
		{"write", strings.Join(writeRules, " "), "no action can be done", []any{"EVAL", "return 1", 1, key}},
		{"transactions", transactionRules, "no action can be done", []any{"WATCH", key}},
		{"transactions", transactionRules, "no action can be done", []any{"UNWATCH"}},
		{"transactions", transactionRules, "no action can be done", []any{"MULTI"}},
		{"transactions", transactionRules, "no action can be done", []any{"EXEC"}}, // the last: where it is denied an old server may wait for it still
	}, patterns, writeRules)
	if err != nil {
		return nil, err
	}
	scripts, write, transactions := all[0], all[1], all[2]
	switch {
	case scripts.Verdict == Allowed:
		return Capabilities{scripts, write}, nil
	case transactions.Verdict != Allowed:
		scripts.Without = "no action can be done, because transactions are not to be had either"
	}
	return Capabilities{scripts, transactions}, nil
}

// DryRun is [DryRun] for our user.
func (c *Connection) DryRun(ctx context.Context, commands [][]any) (verdict Verdict, details []string, err error) {
	client := redis.NewClient(c.readOptions(c.options.ClientName+"-check", 1, checkCommands))
	defer client.Close()
	return DryRun(ctx, client, commands)
}

// DryRun asks the server whether the client's user may run these commands, none of which is run: by ACL DRYRUN (new in 7.0),
// and where this user may not ask that, as most may not, by a script that asks of nobody else. With [Denied] and [Absent] go
// the server's words, or such as it would use, for each command that is. The verdict is [Untried], and the reason goes with it,
// where the server can do neither, or this user may not. The error is that of the connection.
func DryRun(ctx context.Context, client *redis.Client, commands [][]any) (verdict Verdict, details []string, err error) {
	pipe := client.Pipeline()
	user := cmp.Or(client.Options().Username, "default")
	var answers []*redis.Cmd
	for _, command := range commands {
		answers = append(answers, pipe.Do(ctx, slices.Concat([]any{"ACL", "DRYRUN", user}, command)...))
	}
	if err := exec(ctx, pipe); err != nil {
		return Untried, nil, wrap("acl dryrun", err)
	}
	var trials []trial
	for i, answer := range answers {
		word, err := answer.Text()
		switch {
		case isUnknownCommand(err):
			trials = append(trials, absentIn(commands[i]))
		case err != nil:
			return dryRunByScript(ctx, client, commands, err.Error())
		case word != "OK":
			trials = append(trials, trial{Denied, word})
		}
	}
	verdict, details = summedUp(trials)
	return verdict, details, nil
}

// trial is what became of one command that was not to be had.
type trial struct {
	verdict Verdict
	words   string
}

func absentIn(command []any) trial {
	return trial{Absent, fmt.Sprintf("the server does not know '%v'", strings.ToLower(fmt.Sprint(command[0])))}
}

func summedUp(trials []trial) (verdict Verdict, details []string) {
	verdict = Allowed
	for _, t := range trials {
		if verdict != Denied {
			verdict = t.verdict
		}
		if !slices.Contains(details, t.words) {
			details = append(details, t.words)
		}
	}
	return verdict, details
}

// mayRun answers for each of its commands, which come after the number of their words: 0 the user may not run it, 1 the user may,
// 2 there is no such command, 3 the user may not write to its key. Nothing where the server cannot be asked so.
const mayRun = `
if not redis.acl_check_cmd then
  return {}
end
local answers, at = {}, 1
while at <= #ARGV do
  local last = at + ARGV[at]
  local command = {unpack(ARGV, at + 1, last)}
  at = last + 1
  local known, may = pcall(redis.acl_check_cmd, unpack(command))
  local answer = not known and 2 or may and 1 or 0
  if answer == 0 and command[1] ~= "PUBLISH" then
    if command[1] == "EVAL" or not redis.acl_check_cmd("EVAL", "return 1", 1, command[2]) then
      answer = 3
    end
  end
  answers[#answers + 1] = answer
end
return answers`

// noPermissions is how the server begins, too.
const noPermissions = "This user has no permissions to"

// dryRunByScript is DryRun for a user who may not ask for it.
func dryRunByScript(ctx context.Context, client *redis.Client, commands [][]any, why string) (Verdict, []string, error) {
	var args []any
	for _, command := range commands {
		args = append(append(args, len(command)), command...)
	}
	answers, err := client.Do(ctx, slices.Concat([]any{"EVAL", mayRun, 0}, args)...).Int64Slice()
	if err != nil && !isAnswer(err) {
		return Untried, nil, wrap("dry run by a script", err)
	}
	if err != nil || len(answers) != len(commands) {
		return Untried, []string{why}, nil
	}
	var trials []trial
	for i, answer := range answers {
		name := strings.ToLower(fmt.Sprint(commands[i][0]))
		switch {
		case answer == 2:
			trials = append(trials, absentIn(commands[i]))
		case answer == 3:
			trials = append(trials, trial{Denied, fmt.Sprintf("%s access the '%v' key", noPermissions, commands[i][keyAt(name)])})
		case answer == 0 && name == "publish":
			trials = append(trials, trial{Denied, fmt.Sprintf("%s run the 'publish' command, or to access the '%v' channel", noPermissions, commands[i][1])})
		case answer == 0:
			trials = append(trials, trial{Denied, fmt.Sprintf("%s run the '%s' command", noPermissions, name)})
		}
	}
	verdict, details := summedUp(trials)
	return verdict, details, nil
}

// keyAt is where a command has its first key.
func keyAt(name string) int {
	if name == "eval" {
		return 3 // after the script and the number of keys
	}
	return 1
}
