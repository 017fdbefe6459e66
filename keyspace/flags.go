package keyspace

import (
	"context"
	"strings"
)

// Letters of notify-keyspace-events (redis.conf, 7.0). "A" stands for allClasses. n (new keys), and o and c of Redis 8.2, are
// not in it, and CONFIG GET leaves them out of its answer when A is set, so that nobody can tell from "AKE" whether n is on.
// m is not in it either, but is shown.
const (
	notifySetting = "notify-keyspace-events"
	neededFlags   = "Kg$hzxe" // without any one of these a lock could change unseen
	wishedFlags   = "nls"     // n tells a new key from an overwritten one; without l and s such keys are read again every 2 s
	allClasses    = "g$lshzxetd"
)

// announced says whether the flags that are needed tell of every change of a key of this type: they leave out the classes of
// lists, sets, streams and modules, since hardly a lock is kept in one, and such a key may be as busy as its queue.
func (t Type) announced() bool {
	switch t {
	case TypeNone, TypeString, TypeHash, TypeZSet:
		return true
	default:
		return false
	}
}

// Notifications is what a server's notify-keyspace-events means for us.
type Notifications struct {
	// Known is false where CONFIG GET is not to be had (an ACL, a managed service); the rest is then empty.
	Known bool
	// Old is the setting as the server tells it; Missing are the letters that we need and it lacks.
	Old, Missing string
	// New is what to set: Old, Missing, and what "A" may hide. It never turns off what is on.
	New string
	// Restore is what to set afterwards: Old, and what "A" may hide, since nobody can tell whether it was on.
	Restore string
}

// Enough says whether every event that we need is sent.
func (n Notifications) Enough() bool { return n.Known && n.Missing == "" }

// Line is the command that mends it.
func (n Notifications) Line() string {
	flags := n.New
	if !n.Known {
		flags = neededFlags + wishedFlags
	}
	return "CONFIG SET notify-keyspace-events " + flags
}

// Notifications asks the server for notify-keyspace-events. It changes nothing.
func (c *Connection) Notifications(ctx context.Context) (Notifications, error) {
	answer, err := c.reader.ConfigGet(ctx, notifySetting).Result()
	if isAnswer(err) {
		return Notifications{}, nil
	}
	if err != nil {
		return Notifications{}, wrap("config get notify-keyspace-events", err)
	}
	old, known := answer[notifySetting]
	if !known {
		return Notifications{}, nil
	}
	return c.readNotifications(old), nil
}

func (c *Connection) readNotifications(old string) Notifications {
	n := Notifications{Known: true, Old: old}
	for _, letter := range neededFlags {
		if !classAnnounced(old, letter) {
			n.Missing += string(letter)
		}
	}
	wished, hidden := "", ""
	for _, letter := range wishedFlags {
		if !classAnnounced(old, letter) {
			wished += string(letter)
		}
	}
	if strings.Contains(old, "A") {
		hidden = "n"
		if c.server.Software == "redis" && c.server.AtLeast(8, 2) {
			hidden += "oc"
		}
	}
	n.New = withLetters(old, n.Missing+wished+hidden)
	n.Restore = withLetters(old, hidden)
	return n
}

// withLetters adds those letters that are not there yet.
func withLetters(flags, more string) string {
	for _, letter := range more {
		if !strings.ContainsRune(flags, letter) {
			flags += string(letter)
		}
	}
	return flags
}
