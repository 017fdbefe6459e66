package actions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"locktop/keyspace"
)

// rehearse answers what the plan would do now.
func (o *Operator) rehearse(ctx context.Context, p plan, r Request) attempt {
	a, err := p.ask(ctx, o.client)
	if err != nil {
		return attempt{out: o.rehearsalFailed(err, p)}
	}
	out := outcomeOf(a, p)
	if !out.Result.Done() {
		return attempt{out: out, outdated: a.code == codeContext}
	}
	out.Detail = foretold(out, r)
	for _, ask := range []func(context.Context, plan) (trial, error){o.tryRole, o.tryRights} {
		t, err := ask(ctx, p)
		switch {
		case err != nil:
			return attempt{out: o.rehearsalFailed(err, p)}
		case t.refusal.Result != "":
			return attempt{out: t.refusal}
		case t.untried != "":
			out.Detail += "; " + t.untried
		}
	}
	out.Result = ResultDryRun
	return attempt{out: out}
}

func (o *Operator) rehearsalFailed(err error, p plan) Outcome {
	return failure(fmt.Errorf("%s %q, dry run: %w", p.verb, p.keys[0], err), p, byScript{}, o.client.Options().Username)
}

// trial is whether a server would let a plan be carried out. The zero value says that it would.
type trial struct {
	refusal Outcome // with a Result where it would not
	untried string  // says what nobody may ask it
}

// tryRole asks whether the server takes writes at all.
func (o *Operator) tryRole(ctx context.Context, _ plan) (trial, error) {
	info, err := o.client.Info(ctx, "replication").Result()
	switch {
	case replyText(err) != "":
		return trial{untried: "whether the server is a replica was not tried"}, nil
	case err != nil:
		return trial{}, err
	case strings.Contains(info, "role:slave") && !strings.Contains(info, "slave_read_only:0"):
		return trial{refusal: Outcome{Result: ResultReplica, Woken: -1, Detail: onReplica}}, nil
	}
	return trial{}, nil
}

// tryRights asks whether this user may send what it would take besides what was just read: the commands, and one of the
// ways to send them.
func (o *Operator) tryRights(ctx context.Context, p plan) (trial, error) {
	keys := anyWords(p.keys)
	commands := make([][]any, len(p.commands))
	for i, command := range p.commands {
		commands[i] = anyWords(command)
	}
	var way executor = byScript{}
	verdict, words, err := keyspace.DryRun(ctx, o.client, [][]any{slices.Concat([]any{"EVAL", "return 1", len(keys)}, keys)})
	if verdict == keyspace.Denied && strings.Contains(words[0], "'eval'") {
		way = byWatch{}
		verdict, words, err = keyspace.DryRun(ctx, o.client, [][]any{slices.Concat([]any{"WATCH"}, keys), {"UNWATCH"}, {"MULTI"}, {"EXEC"}})
	}
	if verdict == keyspace.Allowed {
		verdict, words, err = keyspace.DryRun(ctx, o.client, commands)
	}
	switch {
	case err != nil:
		return trial{}, err
	case verdict == keyspace.Untried:
		return trial{untried: "rights were not tried"}, nil
	case verdict == keyspace.Denied:
		return trial{refusal: Outcome{
			Result: ResultDenied, Woken: -1, Err: deniedDryRun(words[0]), Detail: "mend: " + aclMend(p, way, o.client.Options().Username),
		}}, nil
	}
	return trial{}, nil
}

// deniedDryRun is the server's word for what would be denied.
type deniedDryRun string

func (d deniedDryRun) Error() string { return "dry run: " + string(d) }

// RedisError makes it one of go-redis' errors of the server.
func (deniedDryRun) RedisError() {}
