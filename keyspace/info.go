package keyspace

import (
	"strconv"
	"strings"
	"time"
)

// InfoFields reads INFO's "name:value" lines.
func InfoFields(info string) map[string]string {
	fields := make(map[string]string)
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); ok {
			fields[name] = value
		}
	}
	return fields
}

// infoNumber reads one number of INFO; 0 where it is not there, or is none.
func infoNumber(info, name string) int64 {
	n, _ := strconv.ParseInt(InfoFields(info)[name], 10, 64) // 0 where it is no number
	return n
}

// infoFraction reads one number of INFO that has a fraction; 0 where it is not there, or is none.
func infoFraction(info, name string) float64 {
	n, _ := strconv.ParseFloat(InfoFields(info)[name], 64) // 0 where it is no number
	return n
}

// infoSeconds reads a number of seconds; where there is none, zero.
func infoSeconds(text string) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return seconds(n)
}

// seconds is a time that a server tells in whole seconds, and that may be nonsense.
func seconds(n int64) time.Duration { return time.Duration(min(n, 1<<32)) * time.Second }
