package inspector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locktop/keyspace"
)

// This file is about the channels on which libraries announce that a lock was released. A channel is that of one key, whose name it
// bears, or that of all locks of a library.

// Announcement is a message by which those who wait learn that a lock was released.
type Announcement struct{ Channel, Message string }

// Announcements are those that the lock's library sends when it releases so many holders or permits. Where the library is not known,
// or what it sends, there are none: a message of another form may be more than its clients can read.
func (l *Lock) Announcements(released int) []Announcement {
	switch {
	case l.Scheme == SchemeToken && strings.HasPrefix(l.Key, simpleMutex):
		// The library does not escape what it puts into this JSON either.
		message := fmt.Sprintf(`{ "key": "%s", "value": "%s" }`, l.Key, l.Observed.Value.Text)
		return []Announcement{{SimpleMutexChannel, message}}
	case l.Scheme == SchemeRedisSemaphore && (l.Waiters.Count > 0 || isNumberedPermits(l.Holders)):
		return []Announcement{{l.Key + permitsReleased, strconv.Itoa(released)}}
	}
	return nil
}

const (
	// simpleMutex begins the keys of simple-redis-mutex 3.
	simpleMutex = "@simple-redis-mutex:lock-"
	// SimpleMutexChannel is the channel of all locks of simple-redis-mutex 3.
	SimpleMutexChannel = "@simple-redis-mutex:locks-releases"
	// permitsReleased ends the channel of a semaphore of effect-distributed-lock; the message is how many permits were released, and
	// its clients do not look at it.
	permitsReleased = ":released"
)

// isNumberedPermits reports whether all holders are numbered permits, as effect-distributed-lock and the MultiSemaphore of
// redis-semaphore have them.
func isNumberedPermits(holders []Holder) bool {
	return len(holders) > 0 && !slices.ContainsFunc(holders, func(h Holder) bool { return !isNumberedPermit(h.Owner) })
}

// isNumberedPermit knows "<id>_<number>".
func isNumberedPermit(member string) bool {
	i := strings.LastIndexByte(member, '_')
	return i > 0 && len(member) <= maxToken && allDigits(member[i+1:])
}

// announcing are the words that a channel of one key has besides it: "orders:released", "unlock:orders".
var announcing = map[string]bool{"released": true, "release": true, "unlock": true, "unlocked": true}

// announcedKey is the key on whose channel of that form clients listen.
func announcedKey(channel string) (key string, ok bool) {
	const dividers = ":-._/"
	if i := strings.LastIndexAny(channel, dividers); i > 0 && announcing[channel[i+1:]] {
		return channel[:i], true
	}
	if i := strings.IndexAny(channel, dividers); i > 0 && announcing[channel[:i]] {
		return channel[i+1:], channel[i+1:] != ""
	}
	return "", false
}

// announcedChannels are globs of such channels, and of those of all locks of a library.
func announcedChannels() []string { return []string{"*release*", "*unlock*"} }

// announced are the clients that listen on channels that bear the key's name, and the channels.
func (c *candidate) announced() (w Waiters, channels []string) {
	for _, r := range c.Companions {
		if r.Type != keyspace.TypeChannel || r.Size == 0 {
			continue
		}
		if key, is := announcedKey(r.Key); is && key == c.Key {
			w.By = WaitersSubscribers
			w.Count += int(r.Size)
			channels = append(channels, r.Key)
		}
	}
	return w, channels
}

// withAnnounced adds the clients that listen on a channel of the key, where the scheme knows of no other waiters.
func (c *candidate) withAnnounced(found recognition) recognition {
	if found.waiters.By != "" && found.waiters.Count > 0 {
		return found
	}
	if waiters, channels := c.announced(); waiters.Count > 0 {
		found.waiters = waiters
		found.evidence = append(found.evidence, "clients listen on "+strings.Join(channels, " and "))
	}
	return found
}

// UntoldChannels are the channels of the key on which clients listen, and on which a release by locktop says nothing, because what the
// library says there is not known.
func (l *Lock) UntoldChannels() []string {
	if len(l.Announcements(1)) > 0 {
		return nil
	}
	c := candidate{Record: l.Observed}
	_, channels := c.announced()
	return channels
}

// isOpen reports whether clients may listen on a channel that bears the key's name: those of a lock.
func isOpen(r keyspace.Record) bool {
	switch r.Type {
	case keyspace.TypeString, keyspace.TypeHash, keyspace.TypeZSet:
		name := nameOf(r.Key)
		return name.grade != nameSilent && !name.companion
	default:
		return false
	}
}
