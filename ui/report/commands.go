package report

import (
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// NewShown is a snapshot of one lock, with what only "show" tells.
func NewShown(s *inspector.Snapshot) Snapshot {
	out := NewSnapshot(s, s.Locks)
	for i, l := range s.Locks {
		for _, line := range l.Evidence {
			out.Locks[i].Evidence = append(out.Locks[i].Evidence, Shown(line))
		}
		out.Locks[i].Commands = Commands(l, s.TakenAt)
		out.Locks[i].addStatistics(l, s.TakenAt)
		out.Locks[i].Sample = NewSample(l.Sample)
	}
	return out
}

// shownLease is the TTL in the command that "show" prints for an extension: 30 s, or the next full minute where more than
// that is left, since an extension never shortens.
func shownLease(l *inspector.Lock, at time.Time) time.Duration {
	if left, _ := l.TTLAt(at); left > 30*time.Second {
		return left.Truncate(time.Minute) + time.Minute
	}
	return 30 * time.Second
}

// Commands are the redis-cli command lines that would act on a lock, mildest first.
func Commands(l *inspector.Lock, at time.Time) []Command {
	if l.State == inspector.StateFreed {
		return nil
	}
	var out []Command
	add := func(does string, r actions.Request) {
		if line := actions.RedisCLI(r); line != "" {
			out = append(out, Command{Does: does, Command: line})
		}
	}
	lease := shownLease(l, at)
	for _, h := range l.Holders {
		whose := " " + text.Escape(h.Owner)
		add("extend"+whose+" to "+text.Duration(lease), actions.Request{Verb: actions.VerbExtend, Lock: l, Owner: h.Owner, TTL: lease})
		if h.Count.Known && h.Count.N > 1 {
			add("release one entry of"+whose, actions.Request{Verb: actions.VerbRelease, Lock: l, Owner: h.Owner, Entries: 1})
		}
		add("release"+whose, actions.Request{Verb: actions.VerbRelease, Lock: l, Owner: h.Owner})
		add("force-expire"+whose, actions.Request{Verb: actions.VerbForceExpire, Lock: l, Owner: h.Owner})
	}
	return out
}
