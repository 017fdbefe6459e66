package text

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a duration for people, never longer than seven cells up to 999 days: "0.8 s", "41 s", "4m05s", "3h12m",
// "2d03h". Tenths are told under five seconds only: a figure that changes ten times a second cannot be read, and repaints
// its line. It cuts rather than rounds, so that a lease never seems longer than it is. A negative duration has a minus.
func Duration(d time.Duration) string {
	if d < 0 {
		return "-" + Duration(d.Abs()) // unlike -d, it is never negative
	}
	seconds := int64(d / time.Second)
	switch {
	case d < 5*time.Second:
		return strconv.FormatInt(seconds, 10) + "." + strconv.FormatInt(int64(d/(100*time.Millisecond))%10, 10) + " s"
	case d < time.Minute:
		return strconv.FormatInt(seconds, 10) + " s"
	case d < time.Hour:
		return pair(seconds/60, "m", seconds%60, "s")
	case d < 24*time.Hour:
		return pair(seconds/3600, "h", seconds/60%60, "m")
	case d < 1000*24*time.Hour:
		return pair(seconds/86400, "d", seconds/3600%24, "h")
	default:
		return strconv.FormatInt(seconds/86400, 10) + "d"
	}
}

// Span is a duration as people write one, without the smaller units of which there are none: "10m", "1h30m", "2s".
func Span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// pair writes two units, the lesser with two digits.
func pair(major int64, majorUnit string, minor int64, minorUnit string) string {
	zero := ""
	if minor < 10 {
		zero = "0"
	}
	return strconv.FormatInt(major, 10) + majorUnit + zero + strconv.FormatInt(minor, 10) + minorUnit
}

// Lag is a short duration for people: "0.3 ms", "12 ms", and from a second on as [Duration].
func Lag(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Lag(d.Abs())
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return strconv.FormatInt(int64(d/time.Millisecond), 10) + " ms"
	default:
		return Duration(d)
	}
}

// Ago says how long ago something was: "just now" under a second, then "12 s ago", "3h12m ago".
func Ago(d time.Duration) string {
	switch {
	case d < time.Second:
		return "just now"
	case d < time.Minute:
		return strconv.FormatInt(int64(d/time.Second), 10) + " s ago"
	default:
		return Duration(d) + " ago"
	}
}

// Plural is a number of things: "1 field", "1,200 fields".
func Plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// Count is a number with separators between the thousands: "1,284".
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= 3 {
		return sign + digits
	}
	out := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return sign + string(out)
}

// Bytes is a number of bytes in at most six cells: "140 B", "48 kB", "1.2 MB". It cuts rather than rounds.
func Bytes(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	unit, tenths := "", n/100
	for _, unit = range [...]string{"kB", "MB", "GB", "TB", "PB", "EB"} {
		if tenths < 10_000 {
			break
		}
		tenths /= 1000
	}
	if tenths < 100 {
		return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " " + unit
	}
	return strconv.FormatInt(tenths/10, 10) + " " + unit
}
