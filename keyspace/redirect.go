package keyspace

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// typeElsewhere is the type of a record that says nothing of its key, but which node to ask: a cluster's node answered with
// MOVED or ASK. Such a record never leaves this package.
const typeElsewhere Type = "elsewhere"

// Redirection is where a cluster's node sends those who ask for a key.
type Redirection struct {
	// Addr is as the node wrote it: [Resolve] makes it one that can be dialled.
	Addr string
	// Asking says that the slot is being moved: the node at Addr answers only who says ASKING first.
	Asking bool
}

// RedirectionOf reads an error of the server, "MOVED 3999 127.0.0.1:6381" or the same with ASK: with either, nothing was done.
func RedirectionOf(err error) (Redirection, bool) {
	var answer redis.Error
	if !errors.As(err, &answer) {
		return Redirection{}, false
	}
	words := strings.Fields(answer.Error())
	if len(words) < 3 || words[0] != "MOVED" && words[0] != "ASK" {
		return Redirection{}, false
	}
	return Redirection{Addr: words[2], Asking: words[0] == "ASK"}, true
}

// Resolve makes an address that can be dialled of one that the node at here gave of itself or another one: IPv6 comes without
// brackets, and a host that it does not know ("", or "?") is the one at which we reached it.
func Resolve(addr, here string) string {
	at := strings.LastIndexByte(addr, ':')
	if at < 0 {
		return addr
	}
	host, port := strings.Trim(addr[:at], "[]"), addr[at+1:]
	if host == "" || host == "?" {
		host = "127.0.0.1" // we reached it by a unix socket: it is this machine
		if own, _, err := net.SplitHostPort(here); err == nil {
			host = own
		}
	}
	return net.JoinHostPort(host, port)
}

// redirected makes the record of a key that another node has.
func (r *reading) redirected(to Redirection) {
	*r.record = Record{Ref: r.record.Ref, Type: typeElsewhere, ReadAt: r.record.ReadAt, Value: Value{Text: to.Addr}, Truncated: to.Asking}
	r.wanted, r.again = false, false
}

// redirection is where a record of typeElsewhere sends us.
func (r *Record) redirection() Redirection {
	return Redirection{Addr: r.Value.Text, Asking: r.Truncated}
}

// asking holds the slots that a node is being given, about which it answers only who says ASKING before each command. It is
// not harmful to say so for longer than needed.
type asking struct {
	mu    sync.Mutex
	until map[int]time.Time // by slot
}

// askingFor is for how long a slot that is on its way is asked for so: each ASK of its former node prolongs it.
const askingFor = 30 * time.Second

func (a *asking) add(slot int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until == nil {
		a.until = make(map[int]time.Time)
	}
	a.until[slot] = time.Now().Add(askingFor)
}

// slots are those of this moment; nil: none, which is nearly always so.
func (a *asking) slots() map[int]bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	var now map[int]bool
	for slot, until := range a.until {
		if time.Now().After(until) {
			delete(a.until, slot)
			continue
		}
		if now == nil {
			now = make(map[int]bool)
		}
		now[slot] = true
	}
	return now
}

// askingHook puts ASKING before each command of a pipeline that concerns a slot on its way. What we read of keys is always in
// pipelines.
type askingHook struct{ asking *asking }

// DialHook changes nothing.
func (askingHook) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook changes nothing.
func (askingHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook adds the commands.
func (h askingHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		slots := h.asking.slots()
		if slots == nil {
			return next(ctx, cmds)
		}
		sent := make([]redis.Cmder, 0, 2*len(cmds))
		for _, cmd := range cmds {
			if key, is := keyOf(cmd.Args()); is && slots[Slot(key)] {
				sent = append(sent, redis.NewStatusCmd(ctx, "ASKING"))
			}
			sent = append(sent, cmd)
		}
		return next(ctx, sent)
	}
}

// keyOf is the key of one of our commands about a key; false where it concerns none.
func keyOf(args []any) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	name, _ := args[0].(string)
	at := 1
	switch name = strings.ToUpper(name); {
	case name == "MEMORY" || name == "OBJECT":
		at = 2
	case !slices.Contains(keyCommands, name):
		return "", false
	}
	if len(args) <= at {
		return "", false
	}
	key, is := args[at].(string)
	return key, is
}

// keyCommands are those of [ReadCommands] whose first argument is a key.
var keyCommands = []string{
	"EXISTS", "GETRANGE", "HGETALL", "HLEN", "LLEN", "LRANGE", "PEXPIRETIME", "PTTL", "SCARD", "SMEMBERS", "STRLEN", "TYPE",
	"XLEN", "ZCARD", "ZRANGE",
}
