package tui

import (
	"locktop/inspector"
	"locktop/keyspace"
)

// lockID is what makes a lock the same one: the key of a database, on whatever node it is by now.
type lockID struct {
	db  int
	key string
}

func idOf(r keyspace.Ref) lockID { return lockID{r.DB, r.Key} }

// is says whether it is that lock.
func (id lockID) is(l *inspector.Lock) bool { return l.Key == id.key && l.DB == id.db }
