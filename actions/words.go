package actions

import (
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"locktop/inspector"
	"locktop/keyspace"
)

// printable is text from Redis for a sentence, so that no text of this package can reach a terminal as anything but text.
func printable(s string) string { return keyspace.Visible(s) }

// A sentence shows an owner's beginning and end, where people tell tokens apart.
const (
	ownerHead = 24
	ownerTail = 8
)

// shortOwner is an owner for a sentence.
func shortOwner(owner string) string {
	if owner == "" {
		return "an empty value"
	}
	text := printable(owner)
	if utf8.RuneCountInString(text) <= ownerHead+ownerTail+1 {
		return text
	}
	runes := []rune(text)
	return string(runes[:ownerHead]) + "…" + string(runes[len(runes)-ownerTail:])
}

// holderOf is the holder whom a request concerns; false: none of the lock's holders.
func holderOf(r Request) (inspector.Holder, bool) {
	if r.Lock == nil {
		return inspector.Holder{}, false
	}
	at := slices.IndexFunc(r.Lock.Holders, func(h inspector.Holder) bool { return h.Owner == r.Owner })
	if at < 0 {
		return inspector.Holder{}, false
	}
	return r.Lock.Holders[at], true
}

// anonymous says whether nobody knows who holds the lock.
func anonymous(r Request) bool {
	if r.Lock == nil {
		return false
	}
	recipe, _ := RecipeFor(r.Lock.Scheme)
	return recipe.Anonymous
}

// ownerWords names an owner by its label, if the lock knows it, and else by what the key says.
func ownerWords(r Request, owner string) string {
	if r.Lock != nil {
		for _, h := range r.Lock.Holders {
			if h.Owner == owner && h.Label != "" && !h.Unknown() {
				return shortOwner(h.Label)
			}
		}
	}
	if inspector.OnlyTime(owner, time.Now()) {
		return "an unknown client (" + shortOwner(owner) + ")"
	}
	return shortOwner(owner)
}

// keyWords is the request's key for a sentence.
func keyWords(r Request) string {
	if r.Lock == nil {
		return "the lock"
	}
	return printable(r.Lock.Key)
}

// span is a duration for people: 300 ms, 22.4 s, 2m03s, 3h12m.
func span(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return strconv.FormatFloat(float64(d.Milliseconds()/100)/10, 'f', -1, 64) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	default:
		return fmt.Sprintf("%d days", int(d.Hours())/24)
	}
}

// plural counts things: "1 entry", "2 entries".
func plural[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
