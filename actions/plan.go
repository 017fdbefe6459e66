package actions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
)

// plan is one action: if all facts hold, the commands are run, atomically. It is all that is known of a scheme by those
// who carry it out, rehearse it, write it as a command line, or say which rights it takes.
type plan struct {
	verb Verb
	// keys are all keys of the facts and the commands, the lock first. Those after it are its companions.
	keys     []string
	facts    []fact
	commands [][]string
	// witness is the read command that tells who has the lock, where somebody else has.
	witness []string

	// holder is what the key said of the holder, as an outcome shows it, and count its entries; 0: not known.
	holder string
	count  int64
	// done is the outcome of an action that was done. Where keepsTTL is true, its lease is the one that was left.
	done     Outcome
	keepsTTL bool
	// fieldEnds is when the holder's field was seen to expire; zero if it has no TTL of its own.
	fieldEnds time.Time
	// now is when it was made. later says that it may be carried out long after, where PTTL does not tell what it will be.
	now   time.Time
	later bool
	// sharded says that it is made for a cluster, where a node tells of its own clients how many it has woken.
	sharded bool
	// listeners are the clients that listen on the channels of the plan by name; nil: unknown.
	listeners map[string]int64
	// sameHolder, where it is not nil, says of another value whether the one who was seen has written it.
	sameHolder func(value string) bool
}

// addKeys adds companions.
func (p *plan) addKeys(keys ...string) {
	for _, key := range keys {
		if !slices.Contains(p.keys, key) {
			p.keys = append(p.keys, key)
		}
	}
}

// do adds a command.
func (p *plan) do(words ...string) { p.commands = append(p.commands, words) }

// extend sets the TTL, and never shortens it.
func (p *plan) extend(r Request) {
	if holder, held := holderOf(r); held && fieldTTL(r.seen(), holder.Owner) != nil {
		p.outlast(r.Lock.Key, r.Lock.Observed, r.TTL, p.now)
	} else {
		p.facts = append(p.facts, notLonger(r.Lock.Key, r.TTL))
		p.do("PEXPIRE", r.Lock.Key, millis(r.TTL))
	}
	p.done = Outcome{Result: ResultExtended, Holder: p.holder, Count: p.count, TTL: r.TTL.Truncate(time.Millisecond)}
	if r.Lock.Observed.FieldTTLsUnread {
		p.done.Detail = "the TTL of the holder's field could not be read, and is as it was: the lock may end with it"
	}
}

// expireSoon sets the TTL, and never lengthens it.
func (p *plan) expireSoon(r Request) {
	if !seenEndless(r.Lock) {
		p.facts = append(p.facts, notShorter(r.Lock.Key, r.TTL))
	}
	p.do("PEXPIRE", r.Lock.Key, millis(r.TTL))
	p.done = Outcome{Result: ResultExpired, Holder: p.holder, Count: p.count, TTL: r.TTL.Truncate(time.Millisecond)}
}

// free deletes the key. Those who wait are to be told before: in one moment that is the same to everybody else.
func (p *plan) free(r Request) {
	p.do("DEL", r.Lock.Key)
	p.done = Outcome{Result: ResultReleased}
	if r.Verb == VerbForceExpire {
		p.done.Result = ResultExpired
	}
}

// frees says whether the request is to free the lock at once, but for what a release of some entries leaves.
func frees(r Request) bool { return r.Verb == VerbRelease || r.Verb == VerbForceExpire && r.TTL == 0 }

// args are the ARGV of act.lua.
func (p plan) args() []string {
	var args []string
	phrase := func(kind string, command []string) {
		args = append(append(args, kind, strconv.Itoa(len(command))), command...)
	}
	if p.witness != nil {
		phrase("witness", p.witness)
	}
	for _, f := range p.facts {
		phrase("if", f.ask)
		args = append(args, string(f.compared), f.want, f.blame.code, f.blame.why)
	}
	for _, command := range p.commands {
		phrase("do", command)
	}
	return args
}

// sends are all commands that the plan may send, besides those that carry it out.
func (p plan) sends() [][]string {
	sent := [][]string{{"PTTL", p.keys[0]}}
	for _, f := range p.facts {
		sent = append(sent, f.ask)
	}
	if p.witness != nil {
		sent = append(sent, p.witness)
	}
	return append(sent, p.commands...)
}

// commandRules are the ACL rules for the commands of the plan, whichever way it is carried out.
func (p plan) commandRules() []string {
	var rules []string
	for _, command := range p.sends() {
		if rule := "+" + strings.ToLower(command[0]); !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// channels are those to which the plan sends a message.
func (p plan) channels() []string {
	var channels []string
	for _, command := range p.commands {
		if publishes(command) && !slices.Contains(channels, command[1]) {
			channels = append(channels, command[1])
		}
	}
	return channels
}

// refusal is a request that is refused before anything is sent.
type refusal struct {
	result Result
	reason string
	holder string
	// renewed is Outcome.Renewed.
	renewed bool
}

func (r refusal) Error() string { return r.reason }

// outcome is the answer to the request.
func (r refusal) outcome() *Outcome {
	return &Outcome{Result: r.result, Holder: r.holder, Woken: -1, Detail: r.reason, Renewed: r.renewed}
}

// unsupported is the refusal of what a scheme, or this lock of it, has no action for.
func unsupported(reason string) refusal { return refusal{result: ResultUnsupported, reason: reason} }

// makePlan checks a request and turns it into a plan. Its error is always a refusal.
func makePlan(r Request, now time.Time) (plan, error) {
	lock := r.Lock
	if lock == nil {
		return plan{}, refusal{result: ResultFailed, reason: "no lock was given"}
	}
	if lock.State == inspector.StateFreed {
		// Whoever has it now is not who was seen, though it be the same client again.
		return plan{}, refusal{result: ResultGone}
	}
	recipe, ok := RecipeFor(lock.Scheme)
	if !ok {
		return plan{}, unsupported(fmt.Sprintf("locktop has no recipe for the scheme %q", lock.Scheme))
	}
	if reason := recipe.refuses(r); reason != "" {
		return plan{}, unsupported(reason)
	}
	if !lock.Observed.Exists() || !recipe.keepsIn(lock.Observed.Type) {
		return plan{}, unsupported("it was not read, so there is nothing to compare it with")
	}
	holder, held := holderOf(r)
	if !held {
		if len(lock.Holders) == 0 {
			return plan{}, unsupported("nobody was seen holding it, so there is nothing to compare it with")
		}
		return plan{}, refusal{result: ResultNotHolder, holder: lock.Holders[0].Owner}
	}
	if discouraged(r) && !r.Force {
		warnings, _ := habits(r)
		return plan{}, refusal{result: ResultDiscouraged, reason: warnings[0]}
	}
	if err := checkNumbers(r); err != nil {
		return plan{}, err
	}
	p := plan{verb: r.Verb, keys: []string{lock.Key}, count: holder.Count.N, sharded: r.Sharded, now: now, later: r.later}
	if err := recipe.plan(&p, r, holder, now); err != nil {
		return p, err
	}
	p.addFieldTTLs(r, holder)
	p.checkTypes()
	if r.Sharded && severalSlots(p.keys) {
		return p, crossing(p.keys)
	}
	return p, nil
}

// checkNumbers refuses what no lock can have.
func checkNumbers(r Request) error {
	reason := ""
	switch {
	case r.Verb == VerbExtend && r.TTL < time.Millisecond:
		reason = fmt.Sprintf("%v, not %v", ErrLease, r.TTL)
	case r.Verb == VerbForceExpire && (r.TTL < 0 || r.TTL > 0 && r.TTL < time.Millisecond):
		reason = fmt.Sprintf("the delay must be 0 or at least one millisecond, not %v", r.TTL)
	case r.Verb == VerbRelease && r.Entries < 0:
		reason = fmt.Sprintf("the number of entries must not be negative, and is %d", r.Entries)
	default:
		return nil
	}
	return refusal{result: ResultFailed, reason: reason}
}

// asRefusal is for the errors of makePlan.
func asRefusal(err error) refusal {
	var r refusal
	if errors.As(err, &r) {
		return r
	}
	return refusal{result: ResultFailed, reason: err.Error()}
}
