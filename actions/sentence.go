package actions

import (
	"fmt"
	"time"

	"locktop/inspector"
)

// outcomeOf turns an answer into an outcome.
func outcomeOf(a answer, p plan) Outcome {
	out := Outcome{Holder: a.owner, Count: a.entries(), TTL: time.Duration(a.pttl) * time.Millisecond, Woken: a.woken}
	if a.pttl == -2 {
		out.TTL = 0 // there is no key, so no lease either
	}
	switch a.code {
	case codeDone:
		out.Result = map[Verb]Result{
			VerbRelease: ResultReleased, VerbExtend: ResultExtended, VerbForceExpire: ResultExpired,
		}[p.verb]
		if out.TTL == 0 {
			out.Holder, out.Count = "", 0
		}
	case codeLeft:
		out.Result = ResultEntryReleased
		if out.Count == 0 {
			out.Detail = "other fields are left in the hash, so the key stays, and nobody is woken"
		}
	case codeGone:
		out.Result = ResultGone
	case codeOther:
		out.Result = ResultNotHolder
		if sameID(a, p) {
			out.Result, out.Detail = ResultChanged, whileReading+"its holder has written another end of the lease: "+shortOwner(a.owner)
		}
	default:
		out.Result, out.Detail = ResultChanged, changedWords(a, p)
		if a.why == whyType {
			out.Holder = ""
		}
	}
	if p.cut && out.Result.Done() {
		out.Detail = fmt.Sprintf("its value was compared by its length, %d bytes, and its first %d", p.size, len(p.owner))
	}
	return out
}

// sameID says whether a timestamp lock has the id that it had, so that only its lease is another.
func sameID(a answer, p plan) bool {
	if p.scheme != inspector.SchemeTimestamp {
		return false
	}
	was, err := parseTimestamp(p.owner)
	now, err2 := parseTimestamp(a.owner)
	return err == nil && err2 == nil && was.prefix != "" && was.prefix == now.prefix
}

// changedWords says what is not as it was observed, or why a lease stays as it is.
func changedWords(a answer, p plan) string {
	left := time.Duration(a.pttl) * time.Millisecond
	switch a.why {
	case whyLonger:
		return longerLeft(left)
	case whyShorter:
		return "it ends sooner already, in " + span(left)
	default:
		return whileReading + differs(a, p, left)
	}
}

const whileReading = "changed while you were reading: "

func differs(a answer, p plan, left time.Duration) string {
	switch a.why {
	case whyType:
		return "the key holds a " + printable(a.owner) + " now"
	case whyCount:
		if p.count == a.count || p.count == "" {
			return fmt.Sprintf("the entry count is %s, which is no number to take entries from", shortOwner(a.count))
		}
		return fmt.Sprintf("the entry count is %s now, and was %s", shortOwner(a.count), p.count)
	case whyFields:
		return "fields have come to the hash, or gone from it: there may be other holders"
	case whyTTL:
		return "it has a lease now, with " + span(left) + " left, and had none"
	case whyNoTTL:
		return "it has no TTL any more, and had one"
	default:
		return printable(a.why)
	}
}

func longerLeft(left time.Duration) string {
	return "its lease has " + span(left) + " left already, and an extension never shortens it; to shorten it, force-expire it with a delay"
}

// Sentence is the outcome in words for a person: "released orders:checkout from 0f4d…:42; 2 waiters woken". It is one
// line, safe for a terminal: what came from Redis is escaped in it.
func (o Outcome) Sentence(r Request) string {
	key := keyWords(r)
	var s string
	switch o.Result {
	case ResultReleased:
		s = "released " + key + " from " + ownerWords(r, r.Owner) + wokenWords(o.Woken)
	case ResultEntryReleased:
		s = fmt.Sprintf("released %s of %s; %s has %d left", entriesWords(r), key, ownerWords(r, r.Owner), o.Count)
	case ResultExtended:
		s = fmt.Sprintf("extended %s to %s for %s", key, span(r.TTL), ownerWords(r, r.Owner))
	case ResultExpired:
		s = "force-expired " + key + ", which " + ownerWords(r, r.Owner) + " had" + wokenWords(o.Woken)
		if o.TTL > 0 {
			s = fmt.Sprintf("%s ends in %s, and %s has it until then", key, span(o.TTL), ownerWords(r, r.Owner))
		}
	case ResultNotHolder:
		s = not(r) + whileReading + "now held by " + ownerWords(r, o.Holder)
		if _, held := holderOf(r); !held {
			s = not(r) + "held by " + ownerWords(r, o.Holder) + ", not by " + shortOwner(r.Owner)
		}
	case ResultChanged:
		s = keyWords(r) + " was not " + participle(r.Verb)
	case ResultGone:
		s = not(r) + "it is gone already"
	case ResultReadOnly:
		s = not(r) + "locktop is read-only"
	case ResultReplica:
		s = not(r) + "the server is a replica"
	case ResultDenied:
		s = not(r) + "denied by ACL"
	case ResultUnsupported:
		s = not(r) + "not possible"
	case ResultUnknown:
		s = "nobody knows whether " + key + " was " + participle(r.Verb) + ": look again"
	case ResultFailed:
		s = not(r) + "failed"
	case ResultDryRun:
		s = "dry run, nothing was done"
	}
	if o.Detail != "" {
		s += ": " + o.Detail
	}
	return s
}

func not(r Request) string { return keyWords(r) + " was not " + participle(r.Verb) + ": " }

func participle(v Verb) string {
	switch v {
	case VerbExtend:
		return "extended"
	case VerbRelease:
		return "released"
	case VerbForceExpire:
		return "force-expired"
	default:
		return "touched"
	}
}

func entriesWords(r Request) string {
	if r.Entries == 0 {
		return "all entries"
	}
	return plural(r.Entries, "entry", "entries")
}

func wokenWords(woken int64) string {
	switch {
	case woken < 0:
		return ""
	case woken == 0:
		return "; nobody was listening for it"
	default:
		return "; " + plural(woken, "waiter", "waiters") + " woken"
	}
}

// foretold says what an action would do, for a dry run.
func foretold(o Outcome, r Request) string {
	would := map[Result]string{
		ResultReleased:      "would release " + keyWords(r) + " from " + ownerWords(r, r.Owner),
		ResultEntryReleased: fmt.Sprintf("would release %s of %s; %s would have %d left", entriesWords(r), keyWords(r), ownerWords(r, r.Owner), o.Count),
		ResultExtended:      fmt.Sprintf("would extend %s to %s for %s", keyWords(r), span(r.TTL), ownerWords(r, r.Owner)),
		ResultExpired:       "would force-expire " + keyWords(r) + ", which " + ownerWords(r, r.Owner) + " has",
	}[o.Result]
	if o.Result == ResultExpired && o.TTL > 0 {
		would = fmt.Sprintf("would end %s in %s", keyWords(r), span(o.TTL))
	}
	if o.Detail != "" {
		would += "; " + o.Detail
	}
	return would
}
