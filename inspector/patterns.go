package inspector

import "locktop/keyspace"

// DefaultPatterns are the globs for what people call locks, in any letter case, and for the keys of known libraries whose
// names have none of these words. Each costs the server some 40 ns an event, so that there are few.
func DefaultPatterns() []keyspace.Pattern {
	return []keyspace.Pattern{
		keyspace.AnyCase("*lock*"),
		keyspace.AnyCase("*mutex*"),
		keyspace.AnyCase("*lease*"),
		keyspace.AnyCase("*semaphore*"),
		{Glob: "uniquejobs:*"},           // sidekiq-unique-jobs
		{Glob: "asynq:{*}:unique:*"},     // asynq
		{Glob: "activejob_uniqueness:*"}, // activejob-uniqueness
	}
}
