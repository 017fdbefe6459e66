package inspector

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locktop/keyspace"
)

// This file is about the channels on which libraries announce that a lock was released. A channel
// belongs to one key and bears its name, or it serves all locks of a library.

// Announcement is a message that tells waiters that a lock was released.
type Announcement struct{ Channel, Message string }

// Announcements returns the messages that the lock's library sends when it releases this number of
// holders or permits. There are none if the library or its messages are unknown: clients may not be
// able to read another format.
func (l *Lock) Announcements(released int) []Announcement {
	switch {
	case l.Scheme == SchemeToken && strings.HasPrefix(l.Key, simpleMutex):
		// Like the library, this does not escape the text in this JSON.
		message := fmt.Sprintf(`{ "key": "%s", "value": "%s" }`, l.Key, l.Observed.Value.Text)
		return []Announcement{{SimpleMutexChannel, message}}
	case l.Scheme == SchemeRedisSemaphore && (l.Waiters.Count > 0 || isNumberedPermits(l.Holders)):
		return []Announcement{{l.Key + permitsReleased, strconv.Itoa(released)}}
	}
	return nil
}

const (
	// simpleMutex is the prefix of the keys of simple-redis-mutex 3.
	simpleMutex = "@simple-redis-mutex:lock-"
	// SimpleMutexChannel is the channel of all locks of simple-redis-mutex 3.
	SimpleMutexChannel = "@simple-redis-mutex:locks-releases"
	// permitsReleased is the suffix of the channel of a semaphore of effect-distributed-lock. The
	// message is the number of released permits; its clients ignore it.
	permitsReleased = ":released"
)

// isNumberedPermits reports whether all holders are numbered permits, as effect-distributed-lock
// and the MultiSemaphore of redis-semaphore have them.
func isNumberedPermits(holders []Holder) bool {
	return len(holders) > 0 && !slices.ContainsFunc(holders, func(h Holder) bool { return !isNumberedPermit(h.Owner) })
}

// isNumberedPermit knows "<id>_<number>".
func isNumberedPermit(member string) bool {
	i := strings.LastIndexByte(member, '_')
	return i > 0 && len(member) <= maxToken && allDigits(member[i+1:])
}

// announcing are the words that a key's channel has besides the key: "orders:released",
// "unlock:orders".
var announcing = map[string]bool{"released": true, "release": true, "unlock": true, "unlocked": true}

// announcedKey returns the key to which a channel of that form belongs.
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

// waking are words of a channel that has a key's name and on which clients wait, though it does not
// say for what: "rlock-channel:orders" (redis-lock-py), "lock:orders:notify".
var waking = map[string]bool{
	"channel": true, "notify": true, "notification": true, "notifications": true, "wake": true, "wakeup": true, "signal": true,
}

// keysOfChannel returns the keys to which a channel of any of these forms may belong.
func keysOfChannel(channel string) (keys []string) {
	if key, is := announcedKey(channel); is {
		return []string{key}
	}
	const dividers = ":-._/"
	for i := 1; i < len(channel)-1; i++ {
		if strings.IndexByte(dividers, channel[i]) >= 0 && wordsWake(channel[:i]) {
			keys = append(keys, channel[i+1:])
			break
		}
	}
	if i := strings.LastIndexAny(channel, dividers); i > 0 && wordsWake(channel[i+1:]) {
		keys = append(keys, channel[:i])
	}
	return keys
}

// wordsWake reports whether a part of a channel's name consists of such words and of words for a
// lock.
func wordsWake(part string) bool {
	found := false
	for word, rest := nextWord(part); word != ""; word, rest = nextWord(rest) {
		if !waking[word] && gradeOf(word) == nameSilent {
			return false
		}
		found = found || waking[word]
	}
	return found
}

// announcedChannels returns globs for such channels, and for the channels that serve all locks of a
// library. A channel whose name has no word for a lock is an application's own.
func announcedChannels() []string {
	return []string{"*release*", "*unlock*", "*lock*channel*", "*channel*lock*", "*lock*notif*", "*notif*lock*", "*lock*wake*", "*lock*signal*"}
}

// announcementGlobs are the same channels without those whose names begin with an underscore.
func announcementGlobs() []string {
	return []string{"release*", "[^_]*release*", "unlock*", "[^_]*unlock*"}
}

// keysInMessage returns the keys that the message itself may name: it is the key (redfour, Spring
// Integration), or JSON with the key (simple-redis-mutex). Only a lock whose end was seen at that
// moment makes use of it.
func keysInMessage(message string) []string {
	if message == "" || len(message) > maxAnnouncement {
		return nil
	}
	keys := []string{message}
	var named struct{ Key string }
	if json.Unmarshal([]byte(message), &named) == nil && named.Key != "" {
		keys = append(keys, named.Key)
	}
	return keys
}

// maxAnnouncement is how long a message that names a key may be, in bytes.
const maxAnnouncement = 1024

// announced returns the clients that listen on channels with the key's name, and these channels.
func (c *candidate) announced() (w Waiters, channels []string) {
	for _, r := range c.Companions {
		if r.Type != keyspace.TypeChannel || r.Size == 0 {
			continue
		}
		if slices.Contains(keysOfChannel(r.Key), c.Key) {
			w.By = WaitersSubscribers
			w.Count += int(r.Size)
			channels = append(channels, r.Key)
		}
	}
	return w, channels
}

// withAnnounced adds the clients that listen on a channel of the key if the scheme found no other
// waiters.
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

// UntoldChannels returns the channels of the key on which clients listen but a release by locktop
// sends nothing, because the message of the library is unknown.
func (l *Lock) UntoldChannels() []string {
	if len(l.Announcements(1)) > 0 {
		return nil
	}
	c := candidate{Record: l.Observed}
	_, channels := c.announced()
	return channels
}

// isOpen reports whether a key looks like a lock, so that clients may listen on a channel with its
// name.
func isOpen(r keyspace.Record) bool {
	switch r.Type {
	case keyspace.TypeString, keyspace.TypeHash, keyspace.TypeZSet:
		name := nameOf(r.Key)
		return name.grade != nameSilent && !name.companion
	default:
		return false
	}
}
