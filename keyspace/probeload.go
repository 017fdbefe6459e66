package keyspace

import (
	"context"
	"strings"
	"time"
)

// Load is how busy a server is.
type Load struct {
	// Known is false where this user may not ask, or the server does not say.
	Known bool
	// Ops is the number of commands that it runs in a second.
	Ops float64
	// CPU is the share of one core that it uses; it is known of a span only, and zero else.
	CPU float64

	at       time.Time
	commands int64   // that it ever ran
	cpu      float64 // seconds that it ever used
}

// load asks a server how busy it is.
func (c *Connection) load(ctx context.Context) (Load, error) {
	pipe := c.reader.Pipeline()
	stats, cpu := pipe.Info(ctx, "stats"), pipe.Info(ctx, "cpu")
	if err := exec(ctx, pipe); err != nil {
		return Load{}, wrap("load of "+string(c.Node()), err)
	}
	l := Load{at: time.Now()}
	l.cpu = infoFraction(cpu.Val(), "used_cpu_sys") + infoFraction(cpu.Val(), "used_cpu_user")
	l.commands = infoNumber(stats.Val(), "total_commands_processed")
	l.Ops = float64(infoNumber(stats.Val(), "instantaneous_ops_per_sec"))
	l.Known = stats.Err() == nil && strings.Contains(stats.Val(), "instantaneous_ops_per_sec:")
	return l, nil
}

// asked says whether there is a load at all.
func (l Load) asked() bool { return !l.at.IsZero() }

// since is the load of the span between two.
func (l Load) since(before Load) Load {
	span := l.at.Sub(before.at).Seconds()
	if !l.Known || !before.Known || span <= 0 || l.commands < before.commands {
		return Load{}
	}
	l.Ops = float64(l.commands-before.commands) / span
	l.CPU = max(0, l.cpu-before.cpu) / span
	return l
}
