package inspector

import "locktop/keyspace"

// DefaultPatterns are the globs for what people call locks, in any letter case, and for the keys of known libraries.
func DefaultPatterns() []keyspace.Pattern {
	return []keyspace.Pattern{
		keyspace.AnyCase("*lock*"),
		keyspace.AnyCase("*mutex*"),
		keyspace.AnyCase("*lease*"),
		keyspace.AnyCase("*semaphore*"),
		{Glob: "uniquejobs:*"},       // sidekiq-unique-jobs
		{Glob: "asynq:{*}:unique:*"}, // asynq, tasks that must be unique
		{Glob: "activejob_uniqueness:*"},
		{Glob: "qo_*"},                  // celery-once
		{Glob: "rq:clean_registries:*"}, // RQ, one worker at a time that cleans up
		{Glob: "huey.results.*"},        // huey, whose task locks are among its results
		// Laravel's, after the application's own prefix: unique jobs, overlapping jobs, schedules and commands. Short words are
		// searched for together, at the price of one.
		{Glob: "*unique_job:*"},
		{Glob: "*-overlap:*"},
		{Glob: "*framework/[sc]*"},
		{Glob: "{*}:time"}, // Symfony's semaphores
		{Glob: "{*}:weight"},
		{Glob: "*.readers"}, // DistributedLock, as the next one
		{Glob: "*.writer"},
	}
}
