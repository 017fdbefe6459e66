package keyspace

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

const transactionRules = "+watch +unwatch +multi +exec"

// tryActing tries what those who write begin with, without any effect: scripts, and where they are not to be had,
// transactions. A script takes its keys as if it wrote to them, so that one which does nothing tells whether it might.
func (c *Connection) tryActing(ctx context.Context, client *redis.Client, patterns []Pattern) (Capabilities, error) {
	key := anyKey{}
	writeRules := strings.Join(WriteRules(patterns), " ")
	all, err := c.attempt(ctx, client, []attempt{
		{"eval", "+eval +evalsha", "actions fall back to transactions", []any{"EVAL", "return 1", 0}},
		{"eval", "+eval +evalsha", "actions fall back to transactions", []any{"EVALSHA", strings.Repeat("0", 40), 0}},
		{"write", writeRules, "no action can be done", []any{"EVAL", "return 1", 1, key}},
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

// DryRun asks the server whether the client's user may run these commands, none of which is run. With [Denied] go the
// server's words for each that is denied. The verdict is [Untried], and the reason goes with it, where the server does not
// know ACL DRYRUN (new in 7.0), or this user may not ask. The error is that of the connection.
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
	verdict = Allowed
	for _, answer := range answers {
		word, err := answer.Text()
		switch {
		case err != nil:
			return Untried, []string{err.Error()}, nil
		case word != "OK":
			verdict, details = Denied, append(details, word)
		}
	}
	return verdict, details, nil
}
