package actions

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
)

// outcomeOf turns an answer into an outcome.
func outcomeOf(a answer, p plan) Outcome {
	left := time.Duration(a.pttl) * time.Millisecond
	if a.pttl == -2 {
		left = 0 // there is no key, so no lease either
	}
	out := Outcome{Result: ResultChanged, Holder: p.holder, Count: p.count, TTL: left, Woken: -1}
	switch a.code {
	case codeDone:
		out = p.done
		out.Woken = a.woken
		out.WokenMore = p.sharded && a.woken >= 0
		if p.keepsTTL {
			out.TTL = p.leaseLeft(left)
		}
	case codeGone:
		return Outcome{Result: ResultGone, Woken: -1}
	case codeOther:
		out.Holder, out.Count = a.owner, entriesIn(a.count)
		if p.sameHolder == nil || !p.sameHolder(a.owner) {
			out.Result = ResultNotHolder
		} else {
			out.Detail = whileReading + "its holder has written another end of the lease: " + shortOwner(a.owner)
		}
	case codeContext:
		out.Detail = whileReading + "what belongs to it, a queue of those who wait for one, is not as it was"
	case codeCompanion:
		return Outcome{Result: ResultUnsupported, Woken: -1, Detail: companionWords(a, p)}
	case codePartly:
		return Outcome{Result: ResultPartly, Holder: p.holder, TTL: left, Woken: -1, Detail: partlyWords(a, p)}
	default:
		out.Detail, out.Renewed = changedWords(a, p, left), a.why == whyRenewed
		switch a.why {
		case whyType:
			out.Holder, out.Count = "", 0
		case whyCount:
			out.Count = entriesIn(a.said)
		}
	}
	return out
}

// companionWords says which companion has a type that the action cannot write to.
func companionWords(a answer, p plan) string {
	want := ""
	for _, f := range p.facts {
		if f.blame == a.blame {
			want = f.want
		}
	}
	return fmt.Sprintf("%s is a %s, and its library keeps a %s there: delete it or rename it first", printable(a.why), printable(a.said), want)
}

// partlyWords says which commands of a plan were done, and which one failed.
func partlyWords(a answer, p plan) string {
	failed := int(entriesIn(a.why)) - 1
	if failed < 1 || failed >= len(p.commands) {
		return "the server failed after the first command: " + printable(a.said)
	}
	var done []string
	for _, command := range p.commands[:failed] {
		done = append(done, command[0]+" "+printable(command[1]))
	}
	return fmt.Sprintf("%s done, then %s %s failed: %s; look at the keys of the lock before you act again",
		strings.Join(done, ", "), p.commands[failed][0], printable(p.commands[failed][1]), printable(a.said))
}

// leaseIn is what PTTL said is left of a lease, the key's or one of a holder's own.
func leaseIn(pttl string) time.Duration { return time.Duration(entriesIn(pttl)) * time.Millisecond }

// entriesIn is an entry count as a number; 0 where it is none.
func entriesIn(count string) int64 {
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// changedWords says what is not as it was observed, or why a lease stays as it is.
func changedWords(a answer, p plan, left time.Duration) string {
	switch a.why {
	case whyLonger:
		return longerLeft(leaseIn(a.said))
	case whyRenewed:
		return renewedWords
	case whyLater:
		return "its own lease ends later already, and an extension never shortens it; to shorten it, force-expire it with a delay"
	case whyShorter:
		return endsSooner(leaseIn(a.said))
	default:
		return whileReading + differs(a, p, left)
	}
}

const (
	whileReading = "changed while you were reading: "
	renewedWords = "it was renewed, or released and acquired again, since you looked"
)

func differs(a answer, p plan, left time.Duration) string {
	switch a.why {
	case whyType:
		return "the key holds a " + printable(a.said) + " now"
	case whyCount:
		return fmt.Sprintf("the entry count is %s now, and was %d", shortOwner(a.said), p.count)
	case whyFields:
		return "fields have come to the hash, or gone from it: there may be other holders"
	case whyMode:
		return "its mode is " + shortOwner(a.said) + " now"
	case whyEnd:
		return "the end of its lease is another now"
	case whyNumber:
		return "the number is " + shortOwner(a.said) + " now"
	case whyTTL:
		return "it has a lease now, with " + span(left) + " left, and had none"
	case whyNoTTL:
		return "it has no TTL any more, and had one"
	default:
		return printable(a.why)
	}
}

func endsSooner(left time.Duration) string { return "it ends sooner already, in " + span(left) }

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
		s = "released " + key + " from " + ownerWords(r, r.Owner) + mastersWords(o.Nodes) + wokenWords(o, r)
		if anonymous(r) {
			s = "released " + key + mastersWords(o.Nodes) + wokenWords(o, r)
		}
	case ResultEntryReleased:
		s = fmt.Sprintf("released %s of %s; %s has %d left%s", entriesWords(r), key, ownerWords(r, r.Owner), o.Count, mastersWords(o.Nodes))
	case ResultExtended:
		s = fmt.Sprintf("extended %s to %s for %s%s", key, span(r.TTL), ownerWords(r, r.Owner), mastersWords(o.Nodes))
		if o.Holder != "" && o.Holder != r.Owner {
			s += "; its value is now " + shortOwner(o.Holder)
		}
	case ResultExpired:
		s = "force-expired " + key + ", which " + ownerWords(r, r.Owner) + " had" + mastersWords(o.Nodes) + wokenWords(o, r)
		if anonymous(r) {
			s = "force-expired " + key + mastersWords(o.Nodes) + wokenWords(o, r)
		}
		if o.TTL > 0 {
			s = fmt.Sprintf("%s ends in %s%s, and %s has it until then", key, span(o.TTL), mastersWords(o.Nodes), ownerWords(r, r.Owner))
		}
	case ResultPartly:
		s = "partly done: " + participle(r.Verb) + " " + key + " of " + ownerWords(r, r.Owner) + mastersWords(o.Nodes) + wokenWords(o, r)
	case ResultNotHolder:
		s = not(r) + whileReading + "now held by " + ownerWords(r, o.Holder)
		if _, held := holderOf(r); !held {
			s = not(r) + "held by " + ownerWords(r, o.Holder) + ", not by " + shortOwner(r.Owner)
		}
	case ResultChanged:
		s = keyWords(r) + " was not " + participle(r.Verb)
	case ResultGone:
		if o.Detail != "" { // how it ended; another client may have acquired it since
			return not(r) + o.Detail
		}
		s = not(r) + "it is gone already"
	case ResultReadOnly:
		s = not(r) + "locktop is read-only"
	case ResultLapsed:
		s = not(r) + "writing has lapsed"
	case ResultReplica:
		s = not(r) + "the server is a replica"
	case ResultDenied:
		s = not(r) + "denied by ACL"
	case ResultDiscouraged:
		s = not(r) + "it is discouraged, and takes --force"
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

func wokenWords(o Outcome, r Request) string {
	woken := o.Woken
	switch {
	case woken < 0:
		return ""
	case woken > 0 && r.Lock != nil && r.Lock.Waiters.By == inspector.WaitersShared:
		return "; " + plural(woken, "client", "clients") + " told on the channel for all locks of its library"
	case woken > 0 && waitsByPattern(r):
		return "; at most " + plural(woken, "waiter", "waiters") + " woken"
	case o.WokenMore && woken == 0:
		return "; whoever was listening for it was woken"
	case o.WokenMore:
		return "; at least " + plural(woken, "waiter", "waiters") + " woken"
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
	if anonymous(r) {
		would = "would " + string(r.Verb) + " " + keyWords(r)
	}
	if o.Result == ResultExpired && o.TTL > 0 {
		would = fmt.Sprintf("would end %s in %s", keyWords(r), span(o.TTL))
	}
	if o.Detail != "" {
		would += "; " + o.Detail
	}
	if said := comesBackWords(r); said != "" {
		would += ". " + strings.TrimSuffix(said, ".")
	}
	return would
}
