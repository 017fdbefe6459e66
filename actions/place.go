package actions

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
)

// place is a server that is acted on.
type place struct {
	client *redis.Client
	// asking: the cluster is still moving the key's slot there, and the server takes commands on it right after ASKING only.
	asking bool
}

// node is the server's name, as keyspace has it.
func (at place) node() keyspace.Node {
	o := at.client.Options()
	return keyspace.Options{Network: o.Network, Addr: o.Addr}.Node()
}

// user is who acts there.
func (at place) user() string { return at.client.Options().Username }

// pipeliner is a client, or the one connection of a transaction.
type pipeliner interface{ Pipeline() redis.Pipeliner }

// send sends commands at once, on one connection, each of them after ASKING where that is needed. The answers have their own
// errors. Where ASKING itself was refused, that is the error of what failed after it: its own would lead astray.
func (at place) send(ctx context.Context, client pipeliner, commands ...[]any) []*redis.Cmd {
	pipe := client.Pipeline()
	asked, answers := make([]*redis.Cmd, len(commands)), make([]*redis.Cmd, len(commands))
	for i, command := range commands {
		if at.asking {
			asked[i] = pipe.Do(ctx, "ASKING")
		}
		answers[i] = pipe.Do(ctx, command...)
	}
	flush(ctx, pipe)
	if at.asking {
		for i, answer := range answers {
			if err := asked[i].Err(); replyText(err) != "" && answer.Err() != nil {
				answer.SetErr(err)
			}
		}
	}
	return answers
}

// flush sends what is in a pipeline. Each command has its own error then: where the connection itself was refused, which go-redis does
// not tell them, that of the connection.
func flush(ctx context.Context, pipe redis.Pipeliner) {
	commands, err := pipe.Exec(ctx)
	if err == nil || slices.ContainsFunc(commands, func(c redis.Cmder) bool { return c.Err() != nil }) {
		return
	}
	for _, command := range commands {
		command.SetErr(err)
	}
}

// EvalSha is for a script that the server may know.
func (at place) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return at.send(ctx, at.client, evalWords("EVALSHA", sha, keys, args))[0]
}

// Eval is for a script that the server does not know.
func (at place) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return at.send(ctx, at.client, evalWords("EVAL", script, keys, args))[0]
}

func evalWords(command, script string, keys []string, args []any) []any {
	words := append([]any{command, script, len(keys)}, anyWords(keys)...)
	return append(words, args...)
}

// rules are the ACL rules for what it takes to act there besides the commands.
func (at place) rules() []string {
	if at.asking {
		return []string{"+asking"}
	}
	return nil
}

// place asks the servers where a lock is; the outcome is the refusal where there is no such place.
func (o *Operator) place(ctx context.Context, ref keyspace.Ref) (place, *Outcome) {
	client, err := o.servers.Client(ctx, ref)
	if err != nil {
		return place{}, nothingSent(err)
	}
	return placeOf(client, ref)
}

// placeOf is the place behind a client, if that has the lock's database.
func placeOf(client *redis.Client, ref keyspace.Ref) (place, *Outcome) {
	if db := client.Options().DB; db != ref.DB {
		return place{}, &Outcome{
			Result: ResultFailed, Woken: -1, Detail: fmt.Sprintf("the lock is in database %d, and this connection is on %d", ref.DB, db),
		}
	}
	return place{client: client}, nil
}

// nothingSent is the outcome of an action for which there was no server.
func nothingSent(err error) *Outcome {
	return &Outcome{Result: ResultFailed, Woken: -1, Err: err, Detail: "nothing was sent: " + printable(err.Error())}
}
