package actions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"locktop/keyspace"
)

// rehearse answers what the plan would do now.
func (o *Operator) rehearse(ctx context.Context, at place, p plan, r Request) attempt {
	a, err := p.askUnwatched(ctx, at)
	if err != nil {
		return attempt{out: rehearsalFailed(err, at, p)}
	}
	out := outcomeOf(a, p)
	if !out.Result.Done() {
		return attempt{out: out, outdated: a.code == codeContext}
	}
	out.Detail = foretold(out, r)
	for _, ask := range []func(context.Context, place, plan) (verdict, error){tryRole, tryRights} {
		t, err := ask(ctx, at, p)
		switch {
		case err != nil:
			return attempt{out: rehearsalFailed(err, at, p)}
		case t.refusal.Result != "":
			return attempt{out: t.refusal}
		case t.untried != "":
			out.Detail += "; " + t.untried
		}
	}
	out.Result = ResultDryRun
	return attempt{out: out}
}

func rehearsalFailed(err error, at place, p plan) Outcome {
	return failure(fmt.Errorf("%s %q, dry run: %w", p.verb, p.keys[0], err), p, byScript{}, at)
}

// verdict is whether a server would let a plan be carried out. The zero value says that it would.
type verdict struct {
	refusal Outcome // with a Result where it would not
	untried string  // says what nobody may ask it
}

// tryRole asks whether the server takes writes at all.
func tryRole(ctx context.Context, at place, _ plan) (verdict, error) {
	info, err := at.client.Info(ctx, "replication").Result()
	switch {
	case replyText(err) != "":
		return verdict{untried: "whether the server is a replica was not tried"}, nil
	case err != nil:
		return verdict{}, err
	case strings.Contains(info, "role:slave") && !strings.Contains(info, "slave_read_only:0"):
		return verdict{refusal: Outcome{Result: ResultReplica, Woken: -1, Detail: onReplica}}, nil
	}
	return verdict{}, nil
}

// tryRights asks whether this user may send what it would take besides what was just read: the commands, and one of the
// ways to send them.
func tryRights(ctx context.Context, at place, p plan) (verdict, error) {
	keys := anyWords(p.keys)
	commands := make([][]any, len(p.commands))
	for i, command := range p.commands {
		commands[i] = anyWords(command)
	}
	var way executor = byScript{}
	may, words, err := keyspace.DryRun(ctx, at.client, [][]any{slices.Concat([]any{"EVAL", "return 1", len(keys)}, keys)})
	if may == keyspace.Denied && strings.Contains(words[0], "'eval'") {
		way = byWatch{}
		may, words, err = keyspace.DryRun(ctx, at.client, [][]any{slices.Concat([]any{"WATCH"}, keys), {"UNWATCH"}, {"MULTI"}, {"EXEC"}})
	}
	if may == keyspace.Allowed {
		may, words, err = keyspace.DryRun(ctx, at.client, commands)
	}
	switch {
	case err != nil:
		return verdict{}, err
	case may == keyspace.Untried:
		return verdict{untried: "rights were not tried"}, nil
	case may == keyspace.Denied:
		return verdict{refusal: Outcome{
			Result: ResultDenied, Woken: -1, Err: deniedDryRun(words[0]), Detail: "mend: " + aclMend(p, way, at),
		}}, nil
	}
	return verdict{}, nil
}

// deniedDryRun is the server's word for what would be denied.
type deniedDryRun string

func (d deniedDryRun) Error() string { return "dry run: " + string(d) }

// RedisError makes it one of go-redis' errors of the server.
func (deniedDryRun) RedisError() {}
