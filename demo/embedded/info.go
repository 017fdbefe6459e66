package embedded

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// statistics are the counters of INFO. CONFIG RESETSTAT sets them to zero.
type statistics struct {
	connections, processed, expired int64
	commands                        map[string]*commandStatistics
	second                          int64 // the Unix second that is being counted
	thisSecond, lastSecond          int64
}

type commandStatistics struct {
	calls, rejected, failed int64
	spent                   time.Duration
}

// maxCommandNames bounds the counters: a client may invent as many subcommands as it likes.
const maxCommandNames = 1000

func (st *statistics) command(name string) *commandStatistics {
	c := st.commands[name]
	if c == nil {
		if len(st.commands) >= maxCommandNames {
			return &commandStatistics{} // counted for nobody
		}
		c = &commandStatistics{}
		st.commands[name] = c
	}
	return c
}

func (st *statistics) count(name string, spent time.Duration, failed bool, now time.Time) {
	st.processed++
	st.turn(now)
	st.thisSecond++
	c := st.command(name)
	c.calls++
	c.spent += spent
	if failed {
		c.failed++
	}
}

// turn moves the count of operations a second on.
func (st *statistics) turn(now time.Time) {
	second := now.Unix()
	switch second {
	case st.second:
		return
	case st.second + 1:
		st.lastSecond = st.thisSecond
	default:
		st.lastSecond = 0
	}
	st.second, st.thisSecond = second, 0
}

func (st *statistics) reset() { *st = statistics{commands: map[string]*commandStatistics{}} }

// section is a part of INFO.
type section struct {
	name      string
	byDefault bool
	write     func(s *Server, line func(name string, value any))
}

var sections = []section{
	{"Server", true, func(s *Server, line func(string, any)) {
		up := int64(time.Since(s.started) / time.Second)
		line("redis_version", redisVersion)
		line("redis_mode", "standalone")
		line("locktop_embedded", 1)
		line("locktop_embedded_panics", s.panics)
		line("os", runtime.GOOS+" "+runtime.GOARCH)
		line("process_id", os.Getpid())
		line("run_id", s.runID)
		line("tcp_port", s.port())
		line("server_time_usec", s.now.UnixMicro())
		line("uptime_in_seconds", up)
		line("uptime_in_days", up/86400)
	}},
	{"Clients", true, func(s *Server, line func(string, any)) {
		line("connected_clients", len(s.clients))
		line("blocked_clients", len(s.waiters))
		line("tracking_clients", 0)
	}},
	{"Memory", true, func(_ *Server, line func(string, any)) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		line("used_memory", m.HeapAlloc) // of the whole process
		line("maxmemory", 0)
		line("maxmemory_policy", "noeviction")
	}},
	{"Persistence", true, func(_ *Server, line func(string, any)) {
		line("loading", 0)
		line("rdb_bgsave_in_progress", 0)
		line("aof_enabled", 0)
	}},
	{"Stats", true, func(s *Server, line func(string, any)) {
		s.statistics.turn(s.now)
		line("total_connections_received", s.statistics.connections)
		line("total_commands_processed", s.statistics.processed)
		line("instantaneous_ops_per_sec", s.statistics.lastSecond)
		line("expired_keys", s.statistics.expired)
		line("evicted_keys", 0)
		line("client_output_buffer_limit_disconnections", s.limitHits.Load())
		line("pubsub_channels", len(s.subscriptions.channels))
		line("pubsub_patterns", s.patternCount())
	}},
	{"Replication", true, func(s *Server, line func(string, any)) {
		line("role", "master")
		line("connected_slaves", 0)
		line("master_replid", s.runID)
		line("master_repl_offset", 0)
	}},
	{"Cluster", true, func(_ *Server, line func(string, any)) { line("cluster_enabled", 0) }},
	{"Keyspace", true, func(s *Server, line func(string, any)) {
		for _, db := range s.databases {
			if len(db.keys) > 0 {
				line(fmt.Sprintf("db%d", db.number), fmt.Sprintf("keys=%d,expires=%d,avg_ttl=0", len(db.keys), db.volatile))
			}
		}
	}},
	{"Commandstats", false, func(s *Server, line func(string, any)) {
		for _, name := range slices.Sorted(maps.Keys(s.statistics.commands)) {
			c := s.statistics.commands[name]
			line("cmdstat_"+name, fmt.Sprintf("calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
				c.calls, c.spent.Microseconds(), float64(c.spent.Nanoseconds())/1000/float64(max(c.calls, 1)), c.rejected, c.failed))
		}
	}},
}

// infoCommand is INFO. Sections that it does not know are empty, as in Redis.
func infoCommand(s *Server, c *call) {
	chosen := map[string]bool{}
	for _, name := range c.args[1:] {
		chosen[strings.ToLower(name)] = true
	}
	var b strings.Builder
	for _, section := range sections {
		name := strings.ToLower(section.name)
		byDefault := len(chosen) == 0 || chosen["default"]
		if !chosen[name] && !chosen["all"] && !chosen["everything"] && (!byDefault || !section.byDefault) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString("# " + section.name + "\r\n")
		section.write(s, func(name string, value any) { fmt.Fprintf(&b, "%s:%v\r\n", name, value) })
	}
	c.reply.verbatim(b.String())
}

// commandCommand is COMMAND, COMMAND COUNT, INFO, LIST and DOCS. There are no documents.
func commandCommand(s *Server, c *call) {
	names := slices.Sorted(maps.Keys(s.commands))
	if len(c.args) > 1 {
		switch strings.ToLower(c.args[1]) {
		case "count":
			if len(c.args) > 2 {
				c.wrongArity("command|count")
				return
			}
			c.reply.integer(int64(len(names)))
			return
		case "list":
			c.reply.bulks(names...)
			return
		case "docs":
			c.reply.mapping(0)
			return
		case "info":
			if len(c.args) > 2 {
				names = c.args[2:]
			}
		default:
			c.unknownSubcommand()
			return
		}
	}
	c.reply.array(len(names))
	for _, name := range names {
		cmd := s.commands[strings.ToLower(name)]
		if cmd == nil {
			c.reply.nullArray()
			continue
		}
		cmd.describe(&c.reply)
	}
}

func (cmd *command) describe(r *reply) {
	flags := []string{}
	for _, f := range []struct {
		trait traits
		name  string
	}{{write, "write"}, {readOnly, "readonly"}, {fast, "fast"}, {noScript, "noscript"}, {noAuth, "no_auth"}, {blocks, "blocking"}} {
		if cmd.traits&f.trait != 0 {
			flags = append(flags, f.name)
		}
	}
	r.array(10)
	r.bulk(cmd.name)
	r.integer(int64(cmd.arity))
	r.array(len(flags))
	for _, flag := range flags {
		r.status(flag)
	}
	r.integer(int64(cmd.first))
	r.integer(int64(cmd.last))
	r.integer(int64(cmd.step))
	r.array(0) // ACL categories, tips, key specifications, subcommands
	r.array(0)
	r.array(0)
	r.array(0)
}
