package actions

import (
	"errors"
	"fmt"
	"strconv"
)

// The codes that act.lua answers, and the reasons that the facts give it for them.
const (
	codeDone      = "done"
	codeApart     = "apart"
	codeGone      = "gone"
	codeOther     = "other"
	codeChanged   = "changed"
	codeContext   = "context"
	codeCompanion = "companion" // a companion has a type that the commands cannot write to; the reason is its key
	codePartly    = "partly"    // a command failed after others were done; the reason is its place, from 1

	whyType    = "type"
	whyCount   = "count"
	whyFields  = "fields"
	whyMode    = "mode"
	whyEnd     = "end"
	whyNumber  = "number"
	whyTTL     = "ttl"
	whyNoTTL   = "no-ttl"
	whyRenewed = "renewed"
	whyLonger  = "longer"
	whyShorter = "shorter"
	whyLater   = "later"
)

// shownBytes is how much of a text an answer holds, and shownEnd the place of the last of these bytes.
const (
	shownBytes = 512
	shownEnd   = "511"
)

func clip(s string) string { return s[:min(len(s), shownBytes)] }

// answer is what became of a plan.
type answer struct {
	blame
	// said is what the server answered to the question of the fact that does not hold.
	said string
	// owner is who has the lock now, if somebody else has, and count the entries as the key has them.
	owner, count string
	// pttl is in milliseconds, before anything was done; -1: no TTL, -2: no key.
	pttl int64
	// woken is the number of clients that received a wake-up; -1: none was sent.
	woken int64
}

var errAnswer = errors.New("the script answered what it never does")

// parseAnswer reads what act.lua returned.
func parseAnswer(p plan, reply any) (answer, error) {
	wrong := fmt.Errorf("%w: %v", errAnswer, reply)
	items, ok := reply.([]any)
	if !ok || len(items) != 5 {
		return answer{}, wrong
	}
	a := answer{woken: -1}
	for i, text := range []*string{&a.code, &a.why, &a.said} {
		if *text, ok = items[i].(string); !ok {
			return answer{}, wrong
		}
	}
	if a.pttl, ok = items[3].(int64); !ok {
		return answer{}, wrong
	}
	switch a.code {
	case codeOther:
		a.owner, a.count = witnessed(items[4])
	case codeDone:
		replies, ok := items[4].([]any)
		if !ok || len(replies) != len(p.commands) {
			return answer{}, wrong
		}
		a.woken = p.woken(replies)
	default:
	}
	return a, nil
}

// witnessed is what a witness said: a text, a list of one, or the first element of a scan, and with it its value.
func witnessed(reply any) (owner, count string) {
	if text, ok := reply.(string); ok {
		return clip(text), ""
	}
	scan, ok := reply.([]any)
	if ok && len(scan) == 1 {
		text, _ := textOf(scan[0])
		return clip(text), ""
	}
	if !ok || len(scan) != 2 {
		return "", ""
	}
	elements, _ := scan[1].([]any)
	for i, element := range elements[:min(len(elements), 2)] {
		text, _ := textOf(element)
		if i == 0 {
			owner = clip(text)
		} else {
			count = clip(text)
		}
	}
	return owner, count
}

// woken is the number of clients that received a message, of the replies to the plan's commands; -1: none was sent.
func (p plan) woken(replies []any) int64 {
	woken := int64(-1)
	for i, command := range p.commands {
		if publishes(command) {
			text, _ := textOf(replies[i])
			n, err := strconv.ParseInt(text, 10, 64)
			if listeners, known := p.listeners[command[1]]; known && command[0] == "PUBLISH" {
				n = min(n, listeners) // the others subscribed by patterns: those are observers
			}
			if err == nil {
				woken = max(woken, 0) + n
			}
		}
	}
	return woken
}

// textOf is a reply as act.lua compares it; false: there is none.
func textOf(reply any) (string, bool) {
	switch reply := reply.(type) {
	case string:
		return reply, true
	case int64:
		return strconv.FormatInt(reply, 10), true
	case []any: // of one field
		if len(reply) == 1 {
			return textOf(reply[0])
		}
		return "", false
	case float64: // a score, where the connection speaks RESP3
		return strconv.FormatFloat(reply, 'f', -1, 64), true
	default:
		return "", false
	}
}
