package embedded

import (
	"slices"
	"strings"
)

// subscriptions are who listens to what. A slice keeps the order in which they came, which is the order of delivery.
type subscriptions struct {
	channels map[string][]*client
	patterns []patternSubscription
}

type patternSubscription struct {
	pattern string
	client  *client
}

// publish hands a message to everybody who listens, and says to how many. It never blocks: a message goes into the
// listener's output queue, and who lets that grow too long is dropped.
func (s *Server) publish(channel, message string) int64 {
	receivers := int64(0)
	for _, c := range s.subscriptions.channels[channel] {
		c.pushed("message", channel, message)
		receivers++
	}
	for _, p := range s.subscriptions.patterns {
		if matchGlob(p.pattern, channel) {
			p.client.pushed("pmessage", p.pattern, channel, message)
			receivers++
		}
	}
	return receivers
}

// pushed sends a message that the client did not ask for.
func (c *client) pushed(words ...string) {
	r := reply{resp3: c.resp3}
	r.push(len(words))
	for _, word := range words {
		r.bulk(word)
	}
	c.output.push(r.data)
}

func (c *client) subscriptionCount() int { return len(c.channels) + len(c.patterns) }

func (s *Server) subscribe(c *client, channel string) {
	if slices.Contains(c.channels, channel) {
		return
	}
	c.channels = append(c.channels, channel)
	s.subscriptions.channels[channel] = append(s.subscriptions.channels[channel], c)
}

func (s *Server) unsubscribe(c *client, channel string) {
	c.channels = without(c.channels, channel)
	listeners := without(s.subscriptions.channels[channel], c)
	if len(listeners) == 0 {
		delete(s.subscriptions.channels, channel)
		return
	}
	s.subscriptions.channels[channel] = listeners
}

func (s *Server) subscribePattern(c *client, pattern string) {
	if slices.Contains(c.patterns, pattern) {
		return
	}
	c.patterns = append(c.patterns, pattern)
	s.subscriptions.patterns = append(s.subscriptions.patterns, patternSubscription{pattern, c})
}

func (s *Server) unsubscribePattern(c *client, pattern string) {
	c.patterns = without(c.patterns, pattern)
	s.subscriptions.patterns = without(s.subscriptions.patterns, patternSubscription{pattern, c})
}

func (s *Server) unsubscribeAll(c *client) {
	for _, channel := range slices.Clone(c.channels) {
		s.unsubscribe(c, channel)
	}
	for _, pattern := range slices.Clone(c.patterns) {
		s.unsubscribePattern(c, pattern)
	}
}

func without[T comparable](list []T, gone T) []T {
	return slices.DeleteFunc(list, func(item T) bool { return item == gone })
}

// subscribeCommand is SUBSCRIBE or PSUBSCRIBE.
func subscribeCommand(kind string, add func(*Server, *client, string)) handler {
	return func(s *Server, c *call) {
		for _, name := range c.args[1:] {
			add(s, c.client, name)
			c.reply.push(3)
			c.reply.bulk(kind)
			c.reply.bulk(name)
			c.reply.integer(int64(c.client.subscriptionCount()))
		}
	}
}

// unsubscribeCommand is UNSUBSCRIBE or PUNSUBSCRIBE; without names it ends all subscriptions of its kind.
func unsubscribeCommand(kind string, of func(*client) []string, drop func(*Server, *client, string)) handler {
	return func(s *Server, c *call) {
		names := c.args[1:]
		if len(names) == 0 {
			names = slices.Clone(of(c.client))
		}
		for _, name := range names {
			drop(s, c.client, name)
			c.reply.push(3)
			c.reply.bulk(kind)
			c.reply.bulk(name)
			c.reply.integer(int64(c.client.subscriptionCount()))
		}
		if len(names) == 0 {
			c.reply.push(3)
			c.reply.bulk(kind)
			c.reply.null()
			c.reply.integer(int64(c.client.subscriptionCount()))
		}
	}
}

// patternCount is how many different patterns somebody listens to.
func (s *Server) patternCount() int {
	distinct := map[string]bool{}
	for _, p := range s.subscriptions.patterns {
		distinct[p.pattern] = true
	}
	return len(distinct)
}

func publishCommand(s *Server, c *call) { c.reply.integer(s.publish(c.args[1], c.args[2])) }

func pubsubCommand(s *Server, c *call) {
	switch args := c.args[2:]; strings.ToLower(c.args[1]) {
	case "numsub":
		c.reply.array(2 * len(args)) // a flat array in both protocols
		for _, channel := range args {
			c.reply.bulk(channel)
			c.reply.integer(int64(len(s.subscriptions.channels[channel])))
		}
	case "numpat":
		c.reply.integer(int64(s.patternCount()))
	case "channels":
		names := []string{}
		for channel := range s.subscriptions.channels {
			if len(args) == 0 || matchGlob(args[0], channel) {
				names = append(names, channel)
			}
		}
		slices.Sort(names)
		c.reply.bulks(names...)
	default:
		c.unknownSubcommand()
	}
}
