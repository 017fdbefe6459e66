package actions

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

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
	watch := o.scriptsDenied.Load()
	writes := func(ctx context.Context, at place, p plan) (verdict, error) { return tryWrites(ctx, at, p, watch) }
	for _, ask := range []func(context.Context, place, plan) (verdict, error){tryRole, tryRights, writes} {
		t, err := ask(ctx, at, p)
		watch = watch || t.watch
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
	watch   bool    // this user may not run scripts, so that it will be a transaction
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

// tryWrites asks whether the server refuses writes for now: because it cannot save, because too few replicas follow it, or because
// it has no memory left for a command of the plan that takes some. In a transaction, every command takes some.
func tryWrites(ctx context.Context, at place, p plan, watch bool) (verdict, error) {
	answers := at.send(ctx, at.client, []any{"PING"}, []any{"INFO", "replication"}, []any{"INFO", "memory"}, []any{"CONFIG", "GET", "min-replicas-to-write"})
	for _, answer := range answers {
		if err := answer.Err(); err != nil && replyText(err) == "" {
			return verdict{}, err
		}
	}
	if err := answers[0].Err(); redis.HasErrorPrefix(err, "MISCONF") {
		return verdict{}, err // a server that refuses writes says so to PING
	}
	replication, memory := map[string]string{}, map[string]string{} // empty if INFO is denied
	if info, err := answers[1].Text(); err == nil {
		replication = keyspace.InfoFields(info)
	}
	if info, err := answers[2].Text(); err == nil {
		memory = keyspace.InfoFields(info)
	}
	least := 1 // where nobody may ask: the count is there only if replicas are wanted
	if config, ok := answers[3].Val().(map[any]any); ok {
		least, _ = strconv.Atoi(fmt.Sprint(config["min-replicas-to-write"]))
	}
	if good, err := strconv.Atoi(replication["min_slaves_good_slaves"]); err == nil && good < least {
		return verdict{}, foreseenError("NOREPLICAS Not enough good replicas to write.")
	}
	most, used := bytesIn(memory["maxmemory"]), bytesIn(memory["used_memory"])-bytesIn(memory["mem_not_counted_for_evict"])
	if most > 0 && used > most && memory["maxmemory_policy"] == "noeviction" && (watch || slices.ContainsFunc(p.commands, takesMemory)) {
		return verdict{}, foreseenError("OOM command not allowed when used memory > 'maxmemory'.")
	}
	return verdict{}, nil
}

// takesMemory says whether a server that is out of memory refuses the command (the flag denyoom of COMMAND INFO, Redis 7.0).
func takesMemory(command []string) bool {
	switch command[0] {
	case "SET", "HSET", "HINCRBY", "LPUSH", "ZADD", "INCRBY", "DECRBY":
		return true
	default:
		return false
	}
}

// bytesIn is a number of bytes in INFO; 0 where there is none.
func bytesIn(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
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
			Result: ResultDenied, Woken: -1, Err: foreseenError("dry run: " + words[0]), Detail: "mend: " + aclMend(p, way, at),
		}}, nil
	}
	return verdict{watch: way == byWatch{}}, nil
}

// foreseenError is the error that the server would give.
type foreseenError string

func (e foreseenError) Error() string { return string(e) }

// RedisError makes it one of go-redis' errors of the server.
func (foreseenError) RedisError() {}
