package inspector

// maxHeldWith bounds the names of [Snapshot.HeldWith].
const maxHeldWith = 64

// HeldWith are other locks of the snapshot that have the same owner, as far as an owner is unique: a Redisson MultiLock or RedLock, a
// redlock over several resources, or simply a client that holds several. It looks at all locks.
func (s *Snapshot) HeldWith(l *Lock) []*Lock {
	owner := l.holder().Owner
	if len(l.Holders) != 1 || !shapeOf(owner).tokenLike() {
		return nil
	}
	var found []*Lock
	for _, other := range s.Locks {
		if other.Ref != l.Ref && len(other.Holders) == 1 && other.Holders[0].Owner == owner && other.State != StateFreed {
			if found = append(found, other); len(found) == maxHeldWith {
				break
			}
		}
	}
	return found
}

// Together are the locks of a snapshot by their one owner, where a unique owner has more than one of them.
func (s *Snapshot) Together() map[string][]*Lock {
	all := make(map[string][]*Lock, len(s.Locks))
	for _, l := range s.Locks {
		if len(l.Holders) == 1 && l.State != StateFreed && shapeOf(l.Holders[0].Owner).tokenLike() {
			all[l.Holders[0].Owner] = append(all[l.Holders[0].Owner], l)
		}
	}
	for owner, locks := range all {
		if len(locks) < 2 {
			delete(all, owner)
		}
	}
	return all
}
