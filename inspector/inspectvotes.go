package inspector

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net"
	"slices"
	"time"

	"locktop/keyspace"
)

// Look is a single read of a key on one of several independent masters.
type Look struct {
	Node   keyspace.Node
	Record keyspace.Record // what was found; of no meaning where Err is set
	Err    error           // why nothing was found out
}

// InspectVotes judges one read of a key on each of several independent masters (Redlock): the lock as a [Snapshot] would show it whose
// votes stay as they are. False: no master that answered has a lock there. There has to be a Look for every master, in any order; the
// node of ref says nothing.
func (rules Rules) InspectVotes(ref keyspace.Ref, looks []Look, now time.Time) (*Lock, bool) {
	voices := make([]voice, 0, len(looks))
	for _, look := range looks {
		voices = append(voices, rules.voice(look, ref, now))
	}
	slices.SortFunc(voices, func(a, b voice) int { return cmp.Compare(a.ref.Node, b.ref.Node) })
	t := newTally(voices, len(looks)/2+1)
	owners, outlast := t.elected(), t.needed
	if len(owners) == 0 {
		owners, outlast = t.claimants(), 1
	}
	if len(owners) == 0 {
		return t.inspectWrong(now)
	}
	r, found := t.fuse(owners, outlast, now, "")
	found.quorum = t.quorum(owners[0].owner, longAgo, nil)
	l := newLock(r, found)
	l.Evidence = found.evidence
	if !found.quorum.below() {
		l.begin(now, false)
	}
	l.judge(now)
	return l, true
}

// longAgo is since when a single look takes things to be as they are.
var longAgo = time.Unix(0, 0)

// voice is what a master said in one look.
func (rules Rules) voice(look Look, ref keyspace.Ref, now time.Time) voice {
	ref.Node = look.Node
	v := voice{ref: ref, heardSince: math.MaxInt64}
	var wait net.Error
	switch denied := look.Record.Denied(); {
	case errors.Is(look.Err, keyspace.ErrPermission):
		v.silent, v.detail = BallotDenied, look.Err.Error()
	case errors.Is(look.Err, keyspace.ErrNoAnswer), errors.Is(look.Err, context.DeadlineExceeded), errors.As(look.Err, &wait) && wait.Timeout():
		v.silent, v.detail = BallotTimeout, look.Err.Error()
	case look.Err != nil:
		v.silent, v.detail = BallotDown, look.Err.Error()
	case denied != "":
		v.silent, v.detail, v.other = BallotDenied, denied, look.Record
	default:
		if l, is := rules.Inspect(look.Record, now); is {
			v.lock = l
		} else if look.Record.Exists() {
			v.other = look.Record
		}
	}
	return v
}

// inspectWrong is a key that is no lock on any of the masters, and looks like one by its name.
func (t *tally) inspectWrong(now time.Time) (*Lock, bool) {
	for i := range t.voices {
		v := &t.voices[i]
		if !v.wrong() {
			continue
		}
		l := v.lock.clone()
		l.Quorum = t.quorum("", longAgo, nil)
		l.judge(now)
		return l, true
	}
	return nil, false
}

// judge works out the state of a lock of a single look, and what is wrong with it.
func (l *Lock) judge(now time.Time) {
	l.State = l.StateAt(now)
	Thresholds{}.Judge(l, now)
}
