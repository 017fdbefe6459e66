package actions

// Result is how an action ended, as a value that callers can test.
type Result string

// The results.
const (
	ResultReleased      Result = "released"       // the holder has it no more; the key is gone, unless others hold it
	ResultEntryReleased Result = "entry released" // one or more entries are released; Outcome.Count is left
	ResultExtended      Result = "extended"
	ResultExpired       Result = "force-expired" // by force, now or in Outcome.TTL
	ResultPartly        Result = "partly done"   // on some of the masters that vote on it, as Outcome.Nodes says; or a command failed after others were done
	ResultNotHolder     Result = "not holder"    // held, but not by that owner
	ResultChanged       Result = "changed"       // the same owner, but not what was observed (count, TTL, type, value)
	ResultGone          Result = "gone"          // the key is not there any more
	ResultReadOnly      Result = "refused: read-only"
	ResultLapsed        Result = "refused: lapsed" // the time for which writing was possible is over
	ResultReplica       Result = "refused: replica"
	ResultDenied        Result = "denied by ACL"
	ResultDiscouraged   Result = "refused: discouraged" // because of what the library does then; Request.Force does it all the same
	ResultUnsupported   Result = "unsupported"          // this scheme has no such action; Outcome.Detail says why
	ResultUnknown       Result = "unknown"              // the answer was lost: look again
	ResultFailed        Result = "failed"               // the server answered with an error; nothing was done
	ResultDryRun        Result = "dry run"              // nothing was done; Outcome.Detail says what would have been
)

// Refused says whether a guard stopped the action (exit code 3).
func (r Result) Refused() bool {
	switch r {
	case ResultNotHolder, ResultChanged, ResultGone, ResultReadOnly, ResultLapsed, ResultReplica, ResultDiscouraged, ResultUnsupported:
		return true
	case ResultReleased, ResultEntryReleased, ResultExtended, ResultExpired, ResultPartly, ResultDenied, ResultUnknown, ResultFailed,
		ResultDryRun:
		return false
	}
	return false
}

// Done says whether the action changed what it was meant to, and all of it.
func (r Result) Done() bool {
	switch r {
	case ResultReleased, ResultEntryReleased, ResultExtended, ResultExpired:
		return true
	case ResultPartly, ResultNotHolder, ResultChanged, ResultGone, ResultReadOnly, ResultLapsed, ResultReplica, ResultDiscouraged, ResultUnsupported, ResultDenied,
		ResultUnknown, ResultFailed, ResultDryRun:
		return false
	}
	return false
}
