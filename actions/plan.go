package actions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// What the guard compares of a lease.
const (
	sawTTL   = "ttl"
	sawNoTTL = "none"
)

// plan is one action as both executors understand it: what was observed, and what to do if it is still so.
type plan struct {
	verb   Verb
	scheme inspector.Scheme
	hash   bool
	key    string
	// owner is the value of a string, or its beginning; or the field of a hash. size is the length of the string, or the
	// number of fields. count is empty where it is unknown. ttl is sawTTL or sawNoTTL.
	owner string
	size  int64
	count string
	ttl   string
	// cut says that owner is only the beginning of the value.
	cut bool

	ms      int64  // the new lease, or the delay of a force-expiry
	entries int64  // to release; 0: all
	wake    wakeUp // of those who wait, where the plan may delete the key
	value   string // the new value of a timestamp lock
}

// refusal is a request that is refused before anything is sent.
type refusal struct {
	result Result
	reason string
	holder string
}

func (r refusal) Error() string { return r.reason }

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
		return plan{}, refusal{result: ResultUnsupported, reason: fmt.Sprintf("locktop has no recipe for the scheme %q", lock.Scheme)}
	}
	if _, ok := recipe.Steps[r.Verb]; !ok {
		reason, ok := recipe.Refused[r.Verb]
		if !ok {
			reason = fmt.Sprintf("there is no action %q", r.Verb)
		}
		return plan{}, refusal{result: ResultUnsupported, reason: reason}
	}
	if !lock.Observed.Exists() || (lock.Observed.Type != keyspace.TypeHash && recipe.Hash) ||
		(lock.Observed.Type != keyspace.TypeString && !recipe.Hash) {
		return plan{}, refusal{result: ResultUnsupported, reason: "it was not read, so there is nothing to compare it with"}
	}
	at := slices.IndexFunc(lock.Holders, func(h inspector.Holder) bool { return h.Owner == r.Owner })
	if at < 0 {
		if len(lock.Holders) == 0 {
			return plan{}, refusal{result: ResultUnsupported, reason: "nobody was seen holding it, so there is nothing to compare it with"}
		}
		return plan{}, refusal{result: ResultNotHolder, holder: lock.Holders[0].Owner}
	}
	p := plan{
		verb: r.Verb, scheme: lock.Scheme, hash: recipe.Hash, key: lock.Key,
		owner: r.Owner, size: lock.Observed.Size, ttl: sawTTL, cut: lock.Observed.Truncated,
	}
	if lock.Observed.ExpiresAt.IsZero() {
		p.ttl = sawNoTTL
	}
	if recipe.wakeUp != nil && (r.Verb == VerbRelease || r.Verb == VerbForceExpire && r.TTL == 0) {
		p.wake = recipe.wakeUp(lock.Key)
	}
	if recipe.Hash {
		if count := lock.Holders[at].Count; count.Known {
			p.count = strconv.FormatInt(count.N, 10)
		}
	} else {
		p.owner = lock.Observed.Value.Text // all of the value, where a scheme names only a part of it as the owner
	}
	return p, p.addVerb(r, now)
}

// addVerb completes a plan with what its verb needs.
func (p *plan) addVerb(r Request, now time.Time) error {
	switch r.Verb {
	case VerbExtend:
		if r.TTL < time.Millisecond {
			return refusal{result: ResultFailed, reason: fmt.Sprintf("%v, not %v", ErrLease, r.TTL)}
		}
		p.ms = r.TTL.Milliseconds()
		if p.scheme == inspector.SchemeTimestamp {
			return p.addTimestamp(r, now)
		}
	case VerbForceExpire:
		if r.TTL < 0 || (r.TTL > 0 && r.TTL < time.Millisecond) {
			return refusal{result: ResultFailed, reason: fmt.Sprintf("the delay must be 0 or at least one millisecond, not %v", r.TTL)}
		}
		p.ms = r.TTL.Milliseconds()
	case VerbRelease:
		if r.Entries < 0 {
			return refusal{result: ResultFailed, reason: fmt.Sprintf("the number of entries must not be negative, and is %d", r.Entries)}
		}
		if !p.hash && r.Entries > 0 {
			return refusal{result: ResultUnsupported, reason: "its entries are counted by its holder, not in Redis: it can only be released as a whole"}
		}
		p.entries = r.Entries
	}
	return nil
}

func (p *plan) addTimestamp(r Request, now time.Time) error {
	stamp, err := parseTimestamp(p.owner)
	if err != nil || p.cut {
		return refusal{result: ResultUnsupported, reason: "the end of the lease in its value is in no format that locktop writes"}
	}
	end := now.Add(r.TTL)
	if left := stamp.end.Sub(now); left > r.TTL {
		return refusal{result: ResultChanged, holder: r.Owner, reason: longerLeft(left)}
	}
	p.value = stamp.at(end)
	return nil
}

// script is the script that does what the plan says.
func (p plan) script() *script {
	switch {
	case p.verb == VerbRelease && p.hash:
		return releaseHash
	case p.verb == VerbRelease:
		return releaseString
	case p.verb == VerbForceExpire && p.hash:
		return expireHash
	case p.verb == VerbForceExpire:
		return expireString
	case p.hash:
		return extendHash
	case p.scheme == inspector.SchemeTimestamp:
		return extendTimestamp
	default:
		return extendString
	}
}

// keys are the KEYS of the script: the lock, and what says who is to be woken.
func (p plan) keys() []string { return append([]string{p.key}, p.wake.keys()...) }

// args are the ARGV of the script.
func (p plan) args() []string {
	args := []string{p.owner, strconv.FormatInt(p.size, 10), p.count, p.ttl}
	ms := strconv.FormatInt(p.ms, 10)
	switch p.script() {
	case releaseHash:
		return append(args, strconv.FormatInt(p.entries, 10), "0", p.wake.channel)
	case releaseString:
		return args
	case expireHash, expireString:
		return append(args, ms, p.wake.channel)
	case extendTimestamp:
		return append(args, p.value, ms)
	default:
		return append(args, ms, extendLonger)
	}
}

// asRefusal is for the errors of makePlan.
func asRefusal(err error) refusal {
	var r refusal
	if errors.As(err, &r) {
		return r
	}
	return refusal{result: ResultFailed, reason: err.Error()}
}
