package embedded

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const notifySetting = "notify-keyspace-events"

// defaultSettings are the parameters that CONFIG GET knows beside notify-keyspace-events, with their values. Only that one
// means something here; the others are what tools ask for, and are true of this server.
func defaultSettings() map[string]string {
	return map[string]string{
		"appendonly":                 "no",
		"client-output-buffer-limit": "normal 0 0 0 slave 268435456 67108864 60 pubsub " + strconv.Itoa(pushLimit) + " 0 0",
		"databases":                  strconv.Itoa(databaseCount),
		"maxmemory":                  "0",
		"maxmemory-policy":           "noeviction",
		"proto-max-bulk-len":         strconv.Itoa(maxWordBytes),
		"save":                       "",
		"timeout":                    "0",
		"latency-monitor-threshold":  "0",
		"slowlog-log-slower-than":    "-1",
		"cluster-enabled":            "no",
	}
}

func configCommand(s *Server, c *call) {
	sub, args := strings.ToLower(c.args[1]), c.args[2:]
	switch {
	case sub == "get" && len(args) > 0:
		s.getSettings(c, args)
	case sub == "set" && len(args) > 0 && len(args)%2 == 0:
		s.setSettings(c, args)
	case sub == "resetstat" && len(args) == 0:
		s.statistics.reset()
		c.reply.ok()
	case sub == "rewrite" && len(args) == 0:
		c.reply.failure("ERR The server is running without a config file")
	case sub == "get" || sub == "set" || sub == "resetstat" || sub == "rewrite":
		c.wrongArity("config|" + sub)
	default:
		c.unknownSubcommand()
	}
}

func (s *Server) getSettings(c *call, patterns []string) {
	all := maps.Clone(s.settings)
	all[notifySetting] = s.classes.String()
	all["requirepass"] = s.options.Password
	all["lua-time-limit"], all["busy-reply-threshold"] = s.busySetting(), s.busySetting()
	all["port"], all["bind"], all["unixsocket"] = s.port(), "127.0.0.1", ""
	if s.port() == "0" {
		all["bind"], all["unixsocket"] = "", s.Addr()
	}
	found := map[string]string{}
	for name, value := range all {
		if slices.ContainsFunc(patterns, func(p string) bool { return matchGlob(strings.ToLower(p), name) }) {
			found[name] = value
		}
	}
	c.reply.mapping(len(found))
	for _, name := range slices.SortedFunc(maps.Keys(found), cmp.Compare[string]) {
		c.reply.bulk(name)
		c.reply.bulk(found[name])
	}
}

// setSettings sets all or none, as Redis does.
func (s *Server) setSettings(c *call, pairs []string) {
	failed := func(name, why string) {
		c.reply.failure("ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + why)
	}
	classes, seen := s.classes, map[string]bool{}
	for i := 0; i < len(pairs); i += 2 {
		name, value := strings.ToLower(pairs[i]), pairs[i+1]
		_, known := s.settings[name]
		switch {
		case seen[name]:
			failed(pairs[i], "duplicate parameter")
			return
		case name == notifySetting:
			parsed, err := parseClasses(value)
			if err != nil {
				failed(pairs[i], err.Error())
				return
			}
			classes = parsed
		case known && value == s.settings[name]: // nothing to do
		case known:
			failed(pairs[i], "can't set immutable config")
			return
		default:
			c.reply.failure("ERR Unknown option or number of arguments for CONFIG SET - '" + pairs[i] + "'")
			return
		}
		seen[name] = true
	}
	s.classes = classes
	c.reply.ok()
}
