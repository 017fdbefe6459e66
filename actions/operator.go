package actions

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
)

// Verb is what an operator asks for.
type Verb string

// The verbs, mildest first.
const (
	VerbExtend      Verb = "extend"
	VerbRelease     Verb = "release"
	VerbForceExpire Verb = "force-expire"
)

// Request is one action on one lock, as it was observed.
type Request struct {
	Verb Verb
	// Lock is what the operator saw. The action happens only if it is still so.
	Lock *inspector.Lock
	// Owner is the holder whom the action concerns; it must be one of Lock.Holders.
	Owner string
	// Entries of a re-entrant lock to release; 0 releases all.
	Entries int64
	// TTL is the new lease of VerbExtend, and for VerbForceExpire the delay until the end (0: now).
	TTL    time.Duration
	DryRun bool
	// Reason is kept in the audit.
	Reason string
}

// Outcome is the answer, with words.
type Outcome struct {
	Result Result
	// Count is what is left of the holder's entries (ResultEntryReleased), or what they are now (ResultChanged).
	Count int64
	// Holder is who has the lock now (ResultNotHolder, ResultChanged).
	Holder string
	// TTL is the lease after the action; negative: none.
	TTL time.Duration
	// Woken is the number of clients that received the scheme's wake-up; -1: the scheme has none.
	Woken  int64
	Detail string
	Err    error
}

// Options configure an Operator.
type Options struct {
	ReadOnly bool
	// Audit receives every action, refused ones too; nil: none is kept (tests).
	Audit *Audit
	// Where is the server's name for the audit, without any secret.
	Where string
}

// Operator acts on locks. It is safe for concurrent use.
type Operator struct{}

// NewOperator makes an Operator over a client whose MaxRetries is -1; it does not close the client.
func NewOperator(client *redis.Client, o Options) *Operator { return nil }

// ReadOnly says whether every action will be refused.
func (o *Operator) ReadOnly() bool { return false }

// Do acts once, atomically, if the lock is still what Request.Lock shows; it never panics and always returns an Outcome.
func (o *Operator) Do(ctx context.Context, r Request) Outcome { return Outcome{} }

// Sentence is the outcome in words for a person: "released orders:checkout from 0f4d…:42; 2 waiters woken".
func (o Outcome) Sentence(r Request) string { return "" }

// Consequence says, before an action, what it will do to the holder and the waiters, for a confirmation.
func Consequence(r Request) string { return "" }

// RedisCLI is the redis-cli command line, quoted for a POSIX shell, that does what the request asks, with its guard.
func RedisCLI(r Request) string { return "" }
