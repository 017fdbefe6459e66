package inspector

// traits are what is always so of the locks of a scheme, and matters beyond their recognition. Each scheme declares its own.
type traits struct {
	// unchecked: its holders release without looking whose lock it is.
	unchecked bool
	// recreates: as [Library.Recreates].
	recreates bool
	// endless: it has no end by design, so that it is not stuck without one.
	endless bool
	// oneToken: a client has the same token for all that it ever acquires, so that a token that comes back proves nothing.
	oneToken bool
	// coolsDown: a TTL that was cut says that the lock is released, and kept on purpose until then.
	coolsDown bool
	// anyOwner: an owner is whatever the client gives, so that a rule of the operator's can
	// describe it. The others have a format of their own.
	anyOwner bool
	// apart: its holders hold different things, so that they come and go one by one.
	apart bool
	// ownCount: a client of such a lock may enter it again, and keeps the count itself.
	ownCount bool
}

// schemeTraits are those of all schemes; of another they are zero.
var schemeTraits = func() map[Scheme]traits {
	all := make(map[Scheme]traits, len(schemes))
	for _, s := range schemes {
		all[s.info.Name] = s.traits
	}
	return all
}()

func (s Scheme) traits() traits { return schemeTraits[s] }
