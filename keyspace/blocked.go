package keyspace

import (
	"context"
	"time"
)

// blockedFresh is for how long the last answer counts.
const blockedFresh = 4 * time.Second

// blockedClients counts the clients that are blocked, by the command in lower case ("blpop"): on which keys, no server tells.
// known is false where this user may not ask, or there are too many clients to list them.
func (c *Connection) blockedClients(ctx context.Context) (counts map[string]int64, known bool, err error) {
	r := &c.registrar
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.noCounts && !time.Now().Before(r.fresh) {
		err := c.countBlocked(ctx)
		switch {
		case isAnswer(err):
			r.noCounts, r.counts = true, nil
		case err != nil:
			return nil, false, wrap("clients that wait", err)
		}
	}
	return r.counts, r.counts != nil, nil
}

// countBlocked needs the registrar's lock. The list is asked for only where there is somebody to find on it; one that is older than
// that is followed by another as soon as may be.
func (c *Connection) countBlocked(ctx context.Context) error {
	r := &c.registrar
	info, err := c.reader.Info(ctx, "clients").Result()
	if err != nil {
		return err
	}
	r.fresh = time.Now().Add(blockedFresh)
	blocked := infoNumber(info, "blocked_clients")
	if blocked == 0 {
		r.counts = map[string]int64{}
		return nil
	}
	roll, err := c.callRoll(ctx)
	if err != nil {
		r.fresh = time.Time{}
		return err
	}
	r.counts = nil
	if roll.Partial != "" {
		r.noCounts = roll.Denied
		return nil
	}
	found := int64(0)
	r.counts = make(map[string]int64)
	for i := range roll.Clients {
		if one := &roll.Clients[i]; one.blocked() {
			r.counts[one.Command]++
			found++
		}
	}
	if found != blocked && r.due.Before(r.fresh) {
		r.fresh = r.due
	}
	return nil
}
