package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// symfonyWrite marks an exclusive lock of Symfony, and has the same score as its token.
const symfonyWrite = "__write__"

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeSymfony,
		Type:   keyspace.TypeZSet,
		Guard:  guardMember,
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets the end of this holder's lease, and lets the key stay until then", Then: renewalWins},
			VerbRelease:     {Does: "takes this holder's token out of the key", Then: memberFreed},
			VerbForceExpire: {Does: deletesAll, Then: membersFreed, Milder: shortensAll, MilderThen: membersUntil},
		},
		plan: planSymfony,
		samples: func(key string) []*inspector.Lock {
			shared := sampleMembers(inspector.SchemeSymfony, key, "token")
			exclusive := sampleMembers(inspector.SchemeSymfony, key, "token")
			exclusive[0].Mode = inspector.ModeExclusive
			return append(shared, exclusive...)
		},
	})
}

func planSymfony(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	m := memberLock{sweeps: true, score: endMillis, stays: sameSpan}
	if r.Lock.Mode == inspector.ModeExclusive {
		m.marks = []string{symfonyWrite}
	}
	return p.onMember(r, holder, m, now)
}
