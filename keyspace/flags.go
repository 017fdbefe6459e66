package keyspace

import (
	"context"
	"strings"
)

// Letters of notify-keyspace-events (redis.conf, 7.0). "A" stands for allClasses; n (new keys), m, o and c are not in it,
// and CONFIG GET leaves them out of its answer when A is set, so that nobody can tell from "AKE" whether n is on.
const (
	neededFlags = "Kg$hzxe" // without any one of these a lock could change unseen
	wishedFlags = "n"       // tells a new key from an overwritten one
	allClasses  = "g$lshzxetd"
)

// Notifications is what a server's notify-keyspace-events means for us.
type Notifications struct {
	// Known is false where CONFIG GET is not to be had (an ACL, a managed service); the rest is then empty.
	Known bool
	// Old is the setting as the server tells it; Missing are the letters that we need and it lacks.
	Old, Missing string
	// New is Old and Missing together: what to set. It never turns off what is on.
	New string
}

// Enough says whether every event that we need is sent.
func (n Notifications) Enough() bool { return n.Known && n.Missing == "" }

// differs says whether another feed is the best one under the other flags.
func (n Notifications) differs(other Notifications) bool {
	return n.Enough() != other.Enough() || n.Known != other.Known
}

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
	answer, err := c.reader.ConfigGet(ctx, "notify-keyspace-events").Result()
	if isAnswer(err) {
		return Notifications{}, nil
	}
	if err != nil {
		return Notifications{}, wrap("config get notify-keyspace-events", err)
	}
	old, known := answer["notify-keyspace-events"]
	if !known {
		return Notifications{}, nil
	}
	return readNotifications(old), nil
}

func readNotifications(old string) Notifications {
	n := Notifications{Known: true, Old: old}
	for _, letter := range neededFlags {
		on := strings.ContainsRune(old, letter) ||
			strings.ContainsRune(old, 'A') && strings.ContainsRune(allClasses, letter)
		if !on {
			n.Missing += string(letter)
		}
	}
	n.New = old + n.Missing
	if !strings.Contains(n.New, wishedFlags) {
		n.New += wishedFlags
	}
	// A hides m as it hides n: whoever had set it would lose it with our CONFIG SET. Switching it on costs an event for
	// each missed key, and nobody hears it who did not ask; losing it would break somebody. Servers before 8.2 know no o, c.
	if strings.Contains(old, "A") && !strings.Contains(n.New, "m") {
		n.New += "m"
	}
	return n
}
