package inspector

import (
	"strings"

	"locktop/keyspace"
)

// DefaultPatterns are the globs for what people call locks, in any letter case, and for the keys of known libraries that
// have none of these words in their names. Each pattern costs the server some 40 ns an event, so the list is short.
func DefaultPatterns() []keyspace.Pattern {
	patterns := make([]keyspace.Pattern, 0, len(patternWords)+len(libraries))
	for _, word := range patternWords {
		patterns = append(patterns, keyspace.Pattern{Glob: "*" + anyCase(word) + "*", Shown: "*" + word + "*"})
	}
	for _, l := range libraries {
		patterns = append(patterns, keyspace.Pattern{Glob: l.glob, Shown: l.glob})
	}
	return patterns
}

// anyCase is the glob for a word in any letter case.
func anyCase(word string) string {
	var b strings.Builder
	for _, c := range []byte(word) {
		b.Write([]byte{'[', c, c - 'a' + 'A', ']'})
	}
	return b.String()
}

// libraries lock under names of their own.
var libraries = []struct {
	glob, name string
	is         func(key string) bool
}{
	{"uniquejobs:*", "sidekiq-unique-jobs", func(key string) bool {
		digest, is := strings.CutPrefix(key, "uniquejobs:")
		return is && isHex(strings.TrimSuffix(digest, ":RUN")) && len(digest) >= 32
	}},
	{"asynq:{*}:unique:*", "asynq", func(key string) bool {
		return strings.HasPrefix(key, "asynq:{") && strings.Contains(key, "}:unique:")
	}},
	{"activejob_uniqueness:*", "activejob-uniqueness", func(key string) bool { return strings.HasPrefix(key, "activejob_uniqueness:") }},
	{"*laravel_unique_job:*", "Laravel", func(key string) bool { return strings.Contains(key, "laravel_unique_job:") }},
}

// libraryOf names the library whose key this is; empty: none that is known by its names.
func libraryOf(key string) string {
	if len(key) == 0 || key[0] != 'u' && key[0] != 'a' && !strings.Contains(key, "laravel_unique_job:") {
		return ""
	}
	for _, l := range libraries {
		if l.is(key) {
			return l.name
		}
	}
	return ""
}

// isCompanion says whether the key belongs to a library's lock without being one: queues, channels' latches, counters.
func isCompanion(key string) bool {
	switch {
	case strings.HasPrefix(key, "redisson_"), strings.HasPrefix(key, "lock-signal:"):
		return true
	case strings.Contains(key, ":rwlock_timeout:"):
		return true
	case strings.HasPrefix(key, "SEMAPHORE:"):
		return strings.HasSuffix(key, ":EXISTS") || strings.HasSuffix(key, ":VERSION") || strings.HasSuffix(key, ":AVAILABLE") ||
			strings.HasSuffix(key, ":GRABBED")
	}
	return strings.HasPrefix(key, "rql:lock_queue:")
}

// isOtherLayout says whether a hash is a lock whose layout this version does not decode, so that it is not called wrong:
// Redisson's read-write lock and faster multi-lock, and redis_queued_locks.
func isOtherLayout(r keyspace.Record) bool {
	if r.Type != keyspace.TypeHash {
		return false
	}
	for _, f := range r.Value.Fields {
		if f.Name == "mode" && (f.Value == "read" || f.Value == "write") || f.Name == "acq_id" ||
			strings.HasSuffix(f.Name, ":lock_count") || strings.HasSuffix(f.Name, ":expire_time") {
			return true
		}
	}
	return false
}
