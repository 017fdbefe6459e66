package inspector

import (
	"strings"

	"locktop/keyspace"
)

// uniqueJobs is the lock of sidekiq-unique-jobs: a hash of the jobs that hold it, beside a string and two lists of the digest of
// what is unique (lib/sidekiq_unique_jobs/key.rb and lua/*.lua, 8.1.0). Version 9 keeps the hash alone, with a JSON text for each
// job.
var uniqueJobs = schemeFile{
	traits: traits{endless: true},
	info: SchemeInfo{
		Name:         SchemeUniqueJobs,
		Systems:      "sidekiq-unique-jobs 7, 8 and 9 (Ruby)",
		RecognisedBy: "hash `uniquejobs:<32 or 64 hex>[:RUN]:LOCKED`; a time in seconds for each job, in version 9 a JSON text",
		Shows:        "jobs, each with when it took the lock; up to version 8 those that wait in its queues; TTL, which it has with lock_ttl only",
	},
	recognise: recogniseUniqueJobs,
	beside: func(r keyspace.Record) keyspace.Company {
		if r.Type == keyspace.TypeString && isUniqueDigest(r.Key) {
			locked := []string{r.Key + uniqueLocked}
			return keyspace.Company{Keys: locked, Present: locked}
		}
		digest, ok := uniqueDigestOf(r)
		if !ok {
			return keyspace.Company{}
		}
		return keyspace.Company{
			Keys:    []string{digest, digest + uniqueQueued, digest + uniquePrimed, digest + uniqueInfo},
			Present: []string{digest, digest + uniqueInfo},
		}
	},
	owners: func(key string) []string {
		if !strings.HasPrefix(key, uniqueBeginning) {
			return nil
		}
		if digest, ok := strings.CutSuffix(key, uniqueLocked); ok {
			return []string{digest} // which stands alone where no job holds it
		}
		for _, part := range [...]string{uniqueQueued, uniquePrimed, uniqueInfo, ""} {
			if digest, ok := strings.CutSuffix(key, part); ok && isUniqueDigest(digest) {
				return []string{digest + uniqueLocked}
			}
		}
		return nil
	},
	partOfAnother: func(c *candidate) bool {
		if c.Type != keyspace.TypeString || !isUniqueDigest(c.Key) {
			return false
		}
		_, held := c.companion(keyspace.TypeHash, c.Key+uniqueLocked)
		return held
	},
}

// The keys of a digest differ in how their names end.
const (
	uniqueBeginning = "uniquejobs:"
	uniqueLocked    = ":LOCKED"
	uniqueQueued    = ":QUEUED"
	uniquePrimed    = ":PRIMED"
	uniqueInfo      = ":INFO"
	// uniqueWakeUp is what a release leaves in the queue for five seconds.
	uniqueWakeUp = "1"
)

// isUniqueDigest knows "uniquejobs:<32 or 64 hex digits>", with ":RUN" where only the run of the job is to be unique.
func isUniqueDigest(key string) bool {
	digest, ok := strings.CutPrefix(key, uniqueBeginning)
	if !ok {
		return false
	}
	digest = strings.TrimSuffix(digest, ":RUN")
	return (len(digest) == 32 || len(digest) == 64) && isHex(digest)
}

// uniqueDigestOf is the digest whose jobs a hash lists.
func uniqueDigestOf(r keyspace.Record) (string, bool) {
	digest, ok := strings.CutSuffix(r.Key, uniqueLocked)
	return digest, ok && r.Type == keyspace.TypeHash && isUniqueDigest(digest)
}

func recogniseUniqueJobs(c *candidate) (recognition, bool) {
	digest, ok := uniqueDigestOf(c.Record)
	if !ok || c.Truncated || len(c.Value.Fields) == 0 {
		return recognition{}, false
	}
	found := recognition{
		mode:     ModeExclusive,
		evidence: []string{"its name is that of a digest of sidekiq-unique-jobs", "a hash of jobs and when they took it", c.ttlEvidence()},
	}
	if len(c.Value.Fields) > 1 {
		found.mode = ModeSemaphore // a lock with a limit above one
	}
	for _, f := range c.Value.Fields {
		label := "job " + f.Name
		if at, isTime := epochTime(f.Value); isTime {
			label += sinceWords(at)
		} else if !IsUniqueJobsJSON(f.Value) {
			return recognition{}, false
		}
		found.holders = append(found.holders, Holder{Owner: f.Name, Label: label})
	}
	if len(c.Companions) > 0 { // up to version 8 the digest is always there
		found.waiters = c.queuedJobs(digest)
	}
	return found, true
}

// IsUniqueJobsJSON says whether the value of a job is that of version 9, which has neither queues nor a digest of its own.
func IsUniqueJobsJSON(value string) bool {
	return strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}")
}

// queuedJobs are the jobs in the queues that wait for the lock: those that hold it, and the wake-up of the last release, do not.
func (c *candidate) queuedJobs(digest string) Waiters {
	w := Waiters{Exact: true, By: WaitersQueue}
	for _, key := range [...]string{digest + uniqueQueued, digest + uniquePrimed} {
		queue, is := c.companion(keyspace.TypeList, key)
		switch {
		case !is:
		case queue.Truncated:
			w.Exact = false
			w.Count += int(queue.Size)
		default:
			for _, job := range queue.Value.Fields {
				if job.Name != uniqueWakeUp && !c.hasField(job.Name) {
					w.Count++
				}
			}
		}
	}
	return w
}

func (c *candidate) hasField(name string) bool {
	for _, f := range c.Value.Fields {
		if f.Name == name {
			return true
		}
	}
	return false
}
