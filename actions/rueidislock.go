package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const freed = "The server tells clients of rueidislock and valkeylock: the holder's context is cancelled within half a second, and waiting clients try at once."
	addRecipe(Recipe{
		Scheme: inspector.SchemeRueidisLock,
		Type:   keyspace.TypeString,
		Guard:  guardString + "; the same of every other key of the lock",
		WakeUp: "none by locktop: the server tells clients of rueidislock and valkeylock by client-side caching invalidations",
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets the TTL of all its keys", Then: renewalWins},
			VerbRelease:     {Does: "deletes all its keys", Then: freed},
			VerbForceExpire: {Does: "deletes all its keys", Then: freed, Milder: "shortens the TTL of all its keys to that, and never lengthens it", MilderThen: untilRenewal},
		},
		plan:       planRueidisLock,
		samples:    sampleRueidisLock,
		companions: []inspector.Naming{{Lock: "$", Beside: "$", Numbered: true}},
	})
}

// planRueidisLock does to every key that has the holder's token what is done to a string. A key that another client has by now, or that is
// gone, is left as it is: the plan is made anew without it.
func planRueidisLock(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	if err := planString(p, r, holder, now); err != nil {
		return err
	}
	for _, c := range r.Lock.Observed.Companions {
		if c.Type != keyspace.TypeString || c.Value.Text != r.Lock.Observed.Value.Text {
			continue
		}
		p.keys = append(p.keys, c.Key)
		for _, f := range observedValue(c.Key, c.Value.Text, c.Size) {
			f.blame = blameContext
			p.facts = append(p.facts, f)
		}
		switch {
		case r.Verb == VerbExtend:
			p.facts = append(p.facts, notLonger(c.Key, r.TTL))
			p.do("PEXPIRE", c.Key, millis(r.TTL))
		case frees(r):
			p.do("DEL", c.Key)
		default:
			if !c.ExpiresAt.IsZero() {
				p.facts = append(p.facts, notShorter(c.Key, r.TTL))
			}
			p.do("PEXPIRE", c.Key, millis(r.TTL))
		}
	}
	return nil
}

func sampleRueidisLock(key string) []*inspector.Lock {
	samples := sampleStrings(inspector.SchemeRueidisLock, key, "token")
	for _, lock := range samples {
		sibling := lock.Observed
		sibling.Key = inspector.NumberedSibling(key)
		lock.Observed.Companions = []keyspace.Record{sibling}
	}
	return samples
}
