package actions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// rehearse answers what the plan would do now.
func (o *Operator) rehearse(ctx context.Context, p plan, r Request) Outcome {
	s, err := readState(ctx, o.client, p)
	if err != nil {
		return o.rehearsalFailed(err, p)
	}
	a, same := p.judge(s)
	var commands [][]any
	if same {
		a, commands = p.foresee(s, a)
	}
	out := outcomeOf(a, p)
	if !out.Result.Done() {
		return out
	}
	out.Detail = foretold(out, r)
	for _, try := range []func(context.Context, plan, [][]any) (refused *Outcome, untried string, err error){o.tryRole, o.tryRights} {
		refused, untried, err := try(ctx, p, commands)
		switch {
		case err != nil:
			return o.rehearsalFailed(err, p)
		case refused != nil:
			return *refused
		case untried != "":
			out.Detail += "; " + untried
		}
	}
	out.Result = ResultDryRun
	return out
}

func (o *Operator) rehearsalFailed(err error, p plan) Outcome {
	return failure(fmt.Errorf("%s %q, dry run: %w", p.verb, p.key, err), p, byScript{}, o.client.Options().Username)
}

// tryRole asks whether the server takes writes at all.
func (o *Operator) tryRole(ctx context.Context, _ plan, _ [][]any) (refused *Outcome, untried string, err error) {
	info, err := o.client.Info(ctx, "replication").Result()
	switch {
	case replyText(err) != "":
		return nil, "whether the server is a replica was not tried", nil
	case err != nil:
		return nil, "", err
	case strings.Contains(info, "role:slave") && !strings.Contains(info, "slave_read_only:0"):
		return &Outcome{Result: ResultReplica, Woken: -1, Detail: onReplica}, "", nil
	}
	return nil, "", nil
}

// tryRights asks by ACL DRYRUN (new in 7.0) whether this user may send what it would take besides what was just read: the
// commands, and one of the ways to send them.
func (o *Operator) tryRights(ctx context.Context, p plan, commands [][]any) (refused *Outcome, untried string, err error) {
	keys := make([]any, 0, len(p.keys()))
	for _, key := range p.keys() {
		keys = append(keys, key)
	}
	denied := func(commands ...[]any) (word string, err error) {
		for _, command := range commands {
			word, err := o.client.Do(ctx, slices.Concat([]any{"ACL", "DRYRUN", cmp.Or(o.client.Options().Username, "default")}, command)...).Text()
			if err != nil || word != "OK" {
				return word, err
			}
		}
		return "", nil
	}
	var way executor = byScript{}
	word, err := denied(slices.Concat([]any{"EVAL", "return 1", len(keys)}, keys))
	if err == nil && strings.Contains(word, "'eval'") {
		way = byWatch{}
		word, err = denied(slices.Concat([]any{"WATCH"}, keys), []any{"UNWATCH"}, []any{"MULTI"}, []any{"EXEC"})
	}
	if err == nil && word == "" {
		word, err = denied(commands...)
	}
	switch {
	case replyText(err) != "":
		return nil, "rights were not tried", nil
	case err != nil:
		return nil, "", err
	case word != "":
		return &Outcome{
			Result: ResultDenied, Woken: -1, Err: deniedDryRun(word), Detail: "mend: " + aclMend(p, way, o.client.Options().Username),
		}, "", nil
	}
	return nil, "", nil
}

// deniedDryRun is the server's word for what would be denied.
type deniedDryRun string

func (d deniedDryRun) Error() string { return "dry run: " + string(d) }

// RedisError makes it one of go-redis' errors of the server.
func (deniedDryRun) RedisError() {}
