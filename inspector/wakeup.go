package inspector

import (
	"fmt"
	"strings"
	"time"

	"locktop/keyspace"
)

// This file finds clients that sleep beside a free lock. Clients that wait for a message on a
// channel do not ask for the lock until the message comes, and a bare DEL sends none. A proven
// release, by the library or by locktop, sends it.

// asleep records how many clients still listen for a lock that was deleted a while ago.
func (v *sight) asleep() {
	l := v.slots[v.slot].lock
	if l.FreedBy != CauseFreed || v.record.Exists() || v.record.ReadAt.Sub(l.FreedAt) < v.options.Thresholds.Settles {
		return
	}
	c := candidate{Record: l.Observed, now: v.record.ReadAt}
	if _, _, fair := c.redissonQueue(); fair {
		// Only the first client in a queue is woken. The others sleep until it had its turn, also
		// if it is dead.
		return
	}
	count, told := 0, false
	for _, c := range v.record.Companions {
		if c.Type == keyspace.TypeChannel {
			count, told = count+int(c.Size), true
		}
	}
	if !told {
		return
	}
	waiters := Waiters{By: WaitersNone}
	if count == 0 {
		delete(v.lingers, keyRef{l.DB, l.Key})
	} else {
		waiters = Waiters{Count: count, By: WaitersSubscribers}
		v.lingerUntil(l, v.record.ReadAt.Add(v.options.Linger)) // they are counted again before that
	}
	l = v.edit(v.slot)
	l.Waiters = waiters
	v.settle(v.slot, v.record.ReadAt)
}

// lostWakeUp finds clients that sleep beside a free lock.
func lostWakeUp(_ Thresholds, l *Lock, _ time.Time) (Finding, bool, time.Time) {
	if l.FreedBy != CauseFreed || l.Waiters.By != WaitersSubscribers || l.Waiters.Count == 0 {
		return Finding{}, false, time.Time{}
	}
	sleep := number(uint16(min(l.Waiters.Count, 1<<15)), "client still listens", "clients still listen")
	severity, why := SeverityInfo, "if they wait, nothing woke them; a client that only listens looks the same"
	if strings.HasPrefix(string(l.Scheme), "redisson") { // whose clients listen only while they wait
		severity, why = SeverityWarning, "no message woke them"
	}
	return Finding{
		Code: CodeLostWakeUp, Severity: severity,
		Text: fmt.Sprintf("The key was deleted at %s and the lock is free, but %s on its channel: %s.",
			l.FreedAt.Local().Format("15:04:05.000"), sleep, why),
		Advice: "They sleep until a message comes, or until the lease that they know of is over. Release such a lock with its library or " +
			"with locktop: both send the message. A client that acquires and releases the lock wakes them too.",
	}, true, time.Time{}
}
