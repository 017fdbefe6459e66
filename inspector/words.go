package inspector

import (
	"fmt"
	"time"
)

// leaseWords says a duration as people do: "30 s", "5 min", "2 h".
func leaseWords(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 10*time.Second:
		return trimZero(fmt.Sprintf("%.1f", d.Seconds())) + " s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int64(d.Seconds()+0.5))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int64(d.Minutes()+0.5))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int64(d.Hours()+0.5))
	}
	return fmt.Sprintf("%d days", int64(d.Hours()/24+0.5))
}

func trimZero(s string) string {
	if n := len(s); n > 2 && s[n-2:] == ".0" {
		return s[:n-2]
	}
	return s
}

// times says how often.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// number says how many of something.
func number(n uint16, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
