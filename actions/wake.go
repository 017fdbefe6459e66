package actions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"locktop/inspector"
	"locktop/keyspace"
)

// wake tells those who wait on a channel as Redisson does: in a cluster that knows sharded channels its clients listen on one, unless they
// are older than 3.22 or are told not to. Nobody knows which, so both are told, in one step. A sharded channel whose slot is not the lock's
// is none that Redisson uses, and may be on another node.
func (p *plan) wake(r Request, channel, message string) {
	p.do("PUBLISH", channel, message)
	if r.Sharded && keyspace.Slot(channel) == keyspace.Slot(r.Lock.Key) {
		p.do("SPUBLISH", channel, message)
	}
}

// announce tells those who wait what the lock's library tells them when so many of its holders have gone.
func (p *plan) announce(r Request, released int) {
	for _, a := range r.Lock.Announcements(released) {
		p.do("PUBLISH", a.Channel, a.Message)
	}
}

// wakesSharded says whether the plan sends a message to a sharded channel.
func (p plan) wakesSharded() bool {
	return slices.ContainsFunc(p.commands, func(command []string) bool { return command[0] == "SPUBLISH" })
}

// wokenElsewhere is said where a key was on the node that its slot is being moved to, and those who listen are still on the other one.
const wokenElsewhere = "its slot is being moved: clients that wait on its sharded channel may sleep on until they try again by themselves"

// listening returns how many clients listen on each channel of the plan by its name. The reply to
// PUBLISH also counts clients that subscribed by a pattern, as every observing locktop does. Nil:
// the plan sends no message, or the server does not answer; then the reply to PUBLISH counts.
func (p plan) listening(ctx context.Context, at place) map[string]int64 {
	var channels []string
	for _, command := range p.commands {
		if command[0] == "PUBLISH" {
			channels = append(channels, command[1])
		}
	}
	if len(channels) == 0 {
		return nil
	}
	listeners, err := at.client.PubSubNumSub(ctx, channels...).Result()
	if err != nil {
		return nil // a user without PUBSUB may still act; a server that is gone refuses the action
	}
	return listeners
}

// waitsByPattern says whether waiters subscribe by patterns, as observers do: Redis does not tell
// the two apart.
func waitsByPattern(r Request) bool {
	return r.Lock != nil && r.Lock.Scheme == inspector.SchemeSpringIntegration
}

// publishes says whether a command sends a message to a channel.
func publishes(command []string) bool { return command[0] == "PUBLISH" || command[0] == "SPUBLISH" }

// severalSlots says whether keys are in several hash slots.
func severalSlots(keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return keyspace.Slot(key) != keyspace.Slot(keys[0]) })
}

// crossing is the refusal of a plan whose keys are on several nodes of a cluster, which takes nothing in one step that concerns
// them all.
func crossing(keys []string) refusal {
	said := make([]string, len(keys))
	for i, key := range keys {
		said[i] = fmt.Sprintf("%s (slot %d)", printable(key), keyspace.Slot(key))
	}
	return unsupported("its keys are in several slots of the cluster, so that no action reaches all of them in one step: " + strings.Join(said, ", "))
}
