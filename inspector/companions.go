package inspector

import (
	"time"

	"locktop/keyspace"
)

// Rules say which keys and channels belong together: they are the keyspace.Companions of an observation.
var _ keyspace.Companions = Rules(nil)

// Of names what belongs to the key of a record.
func (rules Rules) Of(r keyspace.Record) keyspace.Company {
	scheme, ruled := rules.schemeOf(r.Key)
	if ruled && scheme == NoLock {
		return keyspace.Company{}
	}
	company := beside(r, scheme)
	company.Open = ruled || isOpen(r)
	return company
}

// beside names what belongs to a record that the user says is of this scheme, and else what any scheme says.
func beside(r keyspace.Record, scheme Scheme) keyspace.Company {
	for _, s := range schemes {
		if s.info.Name == scheme && s.beside != nil {
			return s.beside(r)
		}
	}
	for _, s := range schemes {
		if s.beside == nil || s.byRule {
			continue
		}
		if company := s.beside(r); len(company.Keys)+len(company.Channels)+len(company.Commands) > 0 {
			return company
		}
	}
	return keyspace.Company{}
}

// Owners names the keys to which a key or a channel of this name may belong.
func (rules Rules) Owners(name string) []string {
	for _, s := range schemes {
		if s.owners == nil {
			continue
		}
		if owners := s.owners(name); owners != nil {
			return owners
		}
	}
	return keysOfChannel(name)
}

// Channels are globs of the channels whose subscribers wait for locks.
func (rules Rules) Channels() []string { return append([]string{"redisson_*"}, announcedChannels()...) }

// Announcements are globs of the channels on which libraries announce a release. None begins with
// an asterisk or an underscore: the server compares the channel of each keyspace notification,
// which begins with two underscores, with each glob. Globs such as "*release*" made pipelined SETs
// slower by a fifth, and these by no more than the noise (Redis 7.0.15).
func (rules Rules) Announcements() []string {
	globs := append([]string{"redisson_*"}, announcementGlobs()...)
	for _, r := range rules {
		if r.Scheme == SchemeSpringIntegration {
			globs = append(globs, springAnnouncements(r.Pattern)...)
		}
	}
	return globs
}

// Announced returns the keys that a message on such a channel may be about.
func (rules Rules) Announced(channel, message string) []string {
	return append(rules.Owners(channel), keysInMessage(message)...)
}

// companion is the record of what belongs to the candidate under this name; false where it is not there, or not known.
func (c *candidate) companion(t keyspace.Type, key string) (keyspace.Record, bool) {
	for _, r := range c.Companions {
		if r.Key == key && r.Type == t {
			return r, true
		}
	}
	return keyspace.Record{}, false
}

// listeners are the clients that listen on a channel: as many processes wait at least, each for some of its threads.
func (c *candidate) listeners(channel string) Waiters {
	if r, known := c.companion(keyspace.TypeChannel, channel); known {
		return Waiters{Count: int(r.Size), By: WaitersSubscribers}
	}
	return Waiters{}
}

// sharedListeners are the clients that listen on the channels of all locks of a library: some of them, at most all, wait for this
// one. That nobody listens is exact.
func (c *candidate) sharedListeners(channels ...string) Waiters {
	w := Waiters{}
	for _, channel := range channels {
		if r, known := c.companion(keyspace.TypeChannel, channel); known {
			w.By = WaitersShared
			w.Count += int(r.Size)
		}
	}
	w.Exact = w.By != "" && w.Count == 0
	return w
}

// blocked are the clients that a command blocks, on whatever keys: some of them, at most all, wait for this lock. That none is
// blocked is exact.
func (c *candidate) blocked(commands ...string) Waiters {
	w := Waiters{}
	for _, command := range commands {
		if r, known := c.companion(keyspace.TypeClients, command); known {
			w.By = WaitersBlocked
			w.Count += int(r.Size)
		}
	}
	w.Exact = w.By != "" && w.Count == 0
	return w
}

// endOf is the local time of a moment that a server or a client has noted in milliseconds since 1970. Their clocks may differ
// from ours.
func endOf(milliseconds int64) time.Time { return time.UnixMilli(milliseconds) }
