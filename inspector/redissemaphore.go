package inspector

import (
	"strings"
	"time"
)

// redisSemaphore is the semaphore of redis-semaphore (npm): a sorted set of its holders, each with the time of its last refresh, in
// milliseconds of the client. How long a refresh holds is not stored, but the last client to refresh gave the key the same time to
// live (src/semaphore, src/multiSemaphore, 5.7).
var redisSemaphore = schemeFile{
	info: SchemeInfo{
		Name:         SchemeRedisSemaphore,
		Systems:      "redis-semaphore (npm): Semaphore, MultiSemaphore; effect-distributed-lock (npm)",
		RecognisedBy: "sorted set with a TTL, and with `semaphore:` in its name or clients that listen on `{key}:released`; every member is a UUID, or a UUID and `_<number>`, and its score is the last refresh",
		Shows:        "every holder, with an estimate of its lease; the clients that listen on `{key}:released`. The limit is not stored",
	},
	recognise: recogniseRedisSemaphore,
}

// refreshedWithin is how old a refresh may be, and refreshedAhead how far a client's clock may be ahead of ours.
const (
	refreshedWithin = 24 * time.Hour
	refreshedAhead  = time.Minute
)

func recogniseRedisSemaphore(c *candidate) (recognition, bool) {
	waiters, _ := c.announced()
	fits := isPermitID
	if waiters.Count > 0 { // which proves more than a name or a UUID
		fits = func(member string) bool { return isPermitID(member) || isNumberedPermit(member) }
	}
	if !c.named() && waiters.Count == 0 && !strings.Contains(c.Key, "semaphore:") || !isSortedSet(c.Record, fits) || c.ExpiresAt.IsZero() {
		return recognition{}, false
	}
	score, ok := lastScore(c.Record)
	last := endOf(int64(score))
	if !ok || last.Before(c.ReadAt.Add(-refreshedWithin)) || last.After(c.ReadAt.Add(refreshedAhead)) {
		return recognition{}, false
	}
	found := recognition{
		mode: ModeSemaphore,
		evidence: []string{
			"a sorted set of redis-semaphore's clients, each with the time of its last refresh",
			"their leases are an estimate: as long as the last refresh lets the key live", c.ttlEvidence(),
		},
	}
	lasts := max(0, c.ExpiresAt.Sub(last))
	memberships := make([]membership, 0, len(c.Value.Fields))
	for _, f := range c.Value.Fields {
		score, _ := scoreOf(f)
		memberships = append(memberships, membership{owner: f.Name, label: permitLabel(f.Name), end: endOf(int64(score)).Add(lasts)})
	}
	c.share(&found, memberships)
	return found, true
}

// isPermitID knows "<uuid>", "<uuid>_<number>" of a client that has several permits, and "<uuid>-<suffix>" of the application's.
func isPermitID(member string) bool {
	const uuid = 36
	if len(member) < uuid || !isUUID(member[:uuid]) {
		return false
	}
	rest := member[uuid:]
	number, numbered := strings.CutPrefix(rest, "_")
	return rest == "" || numbered && allDigits(number) || rest[0] == '-' && len(rest) > 1 && len(rest) <= 64 && isText(rest)
}

func permitLabel(member string) string {
	if client, number, several := strings.Cut(member, "_"); several && isUUID(client) {
		return "client " + client[:8] + ", permit " + number
	}
	return "client " + member
}
