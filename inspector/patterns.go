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
		{Glob: "huey.results.*"},        // huey, whose task locks are among its results
		{Glob: "*laravel_unique_job:*"}, // after the application's own prefix, as the next three
		{Glob: "*laravel-queue-overlap:*"},
		{Glob: "*framework/schedule-*"},
		{Glob: "*framework/command-*"},
		{Glob: "{*}:time"}, // Symfony's semaphores
		{Glob: "{*}:weight"},
		{Glob: "*.readers"}, // DistributedLock, as the next one
		{Glob: "*.writer"},
	}
}
