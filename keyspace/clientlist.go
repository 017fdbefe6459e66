package keyspace

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// parseClients reads the answer to CLIENT LIST: a line a client of words "name=value", among which each version of each server has some
// of its own. No word has a blank in it but the path of a unix socket, whose other words say nothing.
func parseClients(node Node, list string) []Client {
	clients := make([]Client, 0, strings.Count(list, "\n"))
	kept := make(map[string]string) // words that many clients share, and that must not hold on to the whole answer
	keep := func(s string) string {
		if s == "" {
			return ""
		}
		if _, known := kept[s]; !known {
			s = strings.Clone(s)
			kept[s] = s
		}
		return kept[s]
	}
	for line := range strings.Lines(list) {
		c, is := parseClient(line)
		if !is || strings.ContainsAny(c.Flags, "SM") {
			continue // a replica or a master
		}
		c.Node = node
		for _, word := range [...]*string{&c.Name, &c.Addr, &c.User, &c.Library, &c.LibraryVersion, &c.Command, &c.Flags} {
			*word = keep(*word)
		}
		clients = append(clients, c)
	}
	slices.SortFunc(clients, func(a, b Client) int { return cmp.Compare(a.ID, b.ID) })
	return clients
}

// parseClient reads one line; it is none of a client where it has no id. Of two words of one name the first counts: what
// clients say of themselves comes after what the server knows.
func parseClient(line string) (c Client, is bool) {
	texts := map[string]*string{
		"addr": &c.Addr, "name": &c.Name, "user": &c.User, "lib-name": &c.Library, "lib-ver": &c.LibraryVersion, "cmd": &c.Command,
		"flags": &c.Flags,
	}
	for word := range strings.FieldsSeq(line) {
		name, value, _ := strings.Cut(word, "=")
		if text := texts[name]; text != nil {
			*text = value
			delete(texts, name)
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			continue
		}
		switch name {
		case "id":
			if !is {
				c.ID, is = n, true
			}
		case "age":
			c.Age = seconds(n)
		case "idle":
			c.Idle = seconds(n)
		case "sub", "psub", "ssub":
			c.Subscriptions += int(min(n, 1<<30))
		}
	}
	c.Command = strings.ToLower(c.Command)
	return c, is
}

// blocked says whether a command blocks the client, such as BLPOP.
func (c *Client) blocked() bool { return strings.Contains(c.Flags, "b") }
