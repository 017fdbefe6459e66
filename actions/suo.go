package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeSuo,
		Type:   keyspace.TypeString,
		Guard:  "the key is a string, and the holder's token is in it; of a release, other holders may come and go",
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbRelease: {Does: "writes its value without the holder; with nobody left in it, it ends after 60 s", Then: besideHolder},
			VerbForceExpire: {
				Does: deletes, Then: besideHolder, Milder: limits,
				MilderThen: "Whoever acquires it, refreshes it or releases it before then writes the key without a TTL, and undoes this.",
			},
		},
		Refused: map[Verb]string{
			VerbExtend: "the lease of a holder counts from the time in the value, for as long as each client has in its settings: only a refresh by the holder extends it",
		},
		plan: planSuo,
		samples: func(key string) []*inspector.Lock {
			const sampleTime, sampleToken = "\xcb\x41\xda\x55\xcd\x5e\x20\x00\x00", "\xa1a" // 1767323000.5, "a"
			locks := sampleStrings(inspector.SchemeSuo, key, "\x91\x92"+sampleTime+sampleToken)
			for _, lock := range locks {
				lock.Holders = []inspector.Holder{{Owner: sampleToken[1:]}}
			}
			return locks
		},
	})
}

// suoEmptyFor is for how long the library leaves an array without holders, in milliseconds.
const suoEmptyFor = "60000"

// planSuo takes one holder out of the value, or does what is done to every string. The new value is made of the whole old one; where
// somebody else has written it since, it is read again as one of its own companions.
func planSuo(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	if r.Verb != VerbRelease {
		return planString(p, r, holder, now)
	}
	if r.Entries > 0 {
		return unsupported("its entries are not counted: it can only be released as a whole")
	}
	key, seen := r.Lock.Key, r.Lock.Observed
	if again := companion(r.Lock, key); again.Type != keyspace.TypeNone {
		seen = again
	}
	value, left, ok := inspector.SuoWithout(seen.Value.Text, holder.Owner)
	switch was := inspector.SuoEntry(r.seen().Observed.Value.Text, holder.Owner); {
	case !ok:
		return refusal{result: ResultChanged, reason: whileReading + "the holder is not in it any more"}
	case was != inspector.SuoEntry(seen.Value.Text, holder.Owner):
		return refusal{result: ResultChanged, holder: clip(holder.Owner), reason: renewedWords, renewed: true}
	}
	p.keys = append(p.keys, key)
	p.facts = observedType(key, keyspace.TypeString)
	for _, f := range observedValue(key, seen.Value.Text, seen.Size) {
		f.blame = blameContext
		p.facts = append(p.facts, f)
	}
	p.holder = clip(holder.Owner)
	p.done = Outcome{Result: ResultReleased}
	switch {
	case left == 0:
		p.do("SET", key, value, "PX", suoEmptyFor)
	case seen.ExpiresAt.IsZero():
		p.do("SET", key, value)
	default:
		p.do("SET", key, value, "KEEPTTL")
	}
	return nil
}
