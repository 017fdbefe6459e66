package actions

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
)

// shownBytes is how much of an owner an answer holds, as in the scripts.
const shownBytes = 512

func clip(s string) string { return s[:min(len(s), shownBytes)] }

// state is what is in the key now, read without a script.
type state struct {
	kind string
	pttl int64 // milliseconds; -1: no TTL, -2: no key
	size int64 // length of a string, fields of a hash
	// text is the beginning of a string, as long as what was observed or shownBytes, whichever is longer.
	text string
	// count is what the holder's field has, if held; else other and otherCount are a field that is there instead.
	held              bool
	count             string
	other, otherCount string
	// channel is where the one listens who is to be woken; empty: nobody is.
	channel string
}

// readState reads what the plan compares, in one round trip. The reads are one moment only under a WATCH.
func readState(ctx context.Context, client redis.Cmdable, p plan) (state, error) {
	pipe := client.Pipeline()
	kind, pttl := pipe.Type(ctx, p.key), pipe.Do(ctx, "PTTL", p.key)
	var (
		size  *redis.IntCmd
		text  *redis.StringCmd
		count *redis.StringCmd
		scan  *redis.ScanCmd
	)
	if p.hash {
		size, count = pipe.HLen(ctx, p.key), pipe.HGet(ctx, p.key, p.owner)
		scan = pipe.HScan(ctx, p.key, 0, "", 10)
	} else {
		size = pipe.StrLen(ctx, p.key)
		text = pipe.GetRange(ctx, p.key, 0, max(int64(len(p.owner)), shownBytes)-1)
	}
	channel := p.wake.ask(ctx, pipe)
	// Each command's own error is looked at: the commands for the expected type fail on another one.
	_, _ = pipe.Exec(ctx)
	s := state{kind: kind.Val()}
	if err := kind.Err(); err != nil {
		return state{}, fmt.Errorf("TYPE: %w", err)
	}
	var err error
	if s.pttl, err = pttl.Int64(); err != nil {
		return state{}, fmt.Errorf("PTTL: %w", err)
	}
	if s.kind != p.kind() {
		return s, nil
	}
	if s.size, err = size.Result(); err != nil {
		return state{}, fmt.Errorf("the size: %w", err)
	}
	if s.channel, err = channel(); err != nil {
		return state{}, err
	}
	if !p.hash {
		s.text, err = text.Result()
		if err != nil {
			return state{}, fmt.Errorf("GETRANGE: %w", err)
		}
		return s, nil
	}
	s.count, err = count.Result()
	if s.held = err == nil; s.held {
		return s, nil
	}
	if !errors.Is(err, redis.Nil) {
		return state{}, fmt.Errorf("HGET: %w", err)
	}
	fields, _, err := scan.Result()
	if err != nil {
		return state{}, fmt.Errorf("HSCAN: %w", err)
	}
	if len(fields) >= 2 {
		s.other, s.otherCount = clip(fields[0]), clip(fields[1])
	}
	return s, nil
}

func (p plan) kind() string {
	if p.hash {
		return "hash"
	}
	return "string"
}

// judge is the guard of the scripts, over a state that was read: it returns the answer that the script gives where the
// lock is not what was observed, and true where it is.
func (p plan) judge(s state) (answer, bool) {
	a := answer{pttl: s.pttl, woken: -1}
	switch {
	case s.kind == "none" || s.pttl == -2:
		return answer{code: codeGone, pttl: -2, woken: -1}, false
	case s.kind != p.kind():
		a.code, a.why, a.owner = codeChanged, whyType, s.kind
		return a, false
	case p.hash && !s.held:
		a.code, a.owner, a.count = codeOther, s.other, s.otherCount
		return a, false
	case p.hash:
		a.owner, a.count = clip(p.owner), clip(s.count)
	default:
		a.owner = clip(s.text)
	}
	switch {
	case !p.hash && (s.size != p.size || s.text[:min(len(s.text), len(p.owner))] != p.owner):
		a.code = codeOther
	case p.hash && p.count != "" && s.count != p.count:
		a.code, a.why = codeChanged, whyCount
	case p.hash && s.size != p.size:
		a.code, a.why = codeChanged, whyFields
	case p.ttl == sawNoTTL && s.pttl >= 0:
		a.code, a.why = codeChanged, whyTTL
	case p.ttl == sawTTL && s.pttl < 0:
		a.code, a.why = codeChanged, whyNoTTL
	default:
		return a, true
	}
	return a, false
}

// foresee is the rest of the scripts: what the verb answers once the guard has let it pass, and the commands that it
// consists of, which are nil where it does nothing. The PUBLISH, if there is one, is the first command.
func (p plan) foresee(s state, a answer) (answer, [][]any) {
	switch p.verb {
	case VerbRelease:
		return p.foreseeRelease(s, a)
	case VerbForceExpire:
		if p.ms == 0 {
			a.code, a.pttl = codeDone, -2
			return a, p.free(s)
		}
		if s.pttl >= 0 && s.pttl < p.ms {
			a.code, a.why = codeChanged, whyShorter
			return a, nil
		}
	case VerbExtend:
		if p.scheme == inspector.SchemeTimestamp {
			return p.foreseeTimestamp(s, a)
		}
		if s.pttl > p.ms {
			a.code, a.why = codeChanged, whyLonger
			return a, nil
		}
	}
	a.code, a.pttl = codeDone, p.ms
	return a, [][]any{{"PEXPIRE", p.key, p.ms}}
}

func (p plan) foreseeRelease(s state, a answer) (answer, [][]any) {
	if p.entries > 0 {
		had, err := strconv.ParseInt(s.count, 10, 64)
		if err != nil {
			a.code, a.why = codeChanged, whyCount
			return a, nil
		}
		if had > p.entries {
			a.code, a.count = codeLeft, strconv.FormatInt(had-p.entries, 10)
			return a, [][]any{{"HINCRBY", p.key, p.owner, -p.entries}}
		}
	}
	if p.hash {
		a.count = "0"
	}
	if p.hash && s.size > 1 {
		a.code = codeLeft
		return a, [][]any{{"HDEL", p.key, p.owner}}
	}
	a.code, a.pttl = codeDone, -2
	return a, p.free(s)
}

func (p plan) foreseeTimestamp(s state, a answer) (answer, [][]any) {
	a.code, a.owner = codeDone, clip(p.value)
	if s.pttl < 0 {
		return a, [][]any{{"SET", p.key, p.value}}
	}
	a.pttl = max(s.pttl, p.ms)
	return a, [][]any{{"SET", p.key, p.value, "PX", a.pttl}}
}

// free deletes the key and tells those who wait.
func (p plan) free(s state) [][]any {
	del := []any{"DEL", p.key}
	if s.channel == "" {
		return [][]any{del}
	}
	return [][]any{{"PUBLISH", s.channel, "0"}, del}
}
