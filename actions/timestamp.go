package actions

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// stamp is the value of a timestamp lock, taken apart so that a later end can be written in the same format: whole or
// fractional seconds, or milliseconds since 1970, alone or behind "id:".
type stamp struct {
	prefix   string // the id and its colon
	end      time.Time
	millis   bool
	decimals int // of fractional seconds
}

var errStamp = errors.New("no known format of a time")

// parseTimestamp reads the formats by the number of digits: ten are seconds from 2001 to 2286, thirteen are milliseconds
// of the same years.
func parseTimestamp(value string) (stamp, error) {
	var s stamp
	if colon := strings.LastIndexByte(value, ':'); colon >= 0 {
		s.prefix, value = value[:colon+1], value[colon+1:]
	}
	whole, fraction, hasFraction := strings.Cut(value, ".")
	if strings.Trim(whole+fraction, "0123456789") != "" || (hasFraction && (fraction == "" || len(fraction) > 9)) {
		return stamp{}, errStamp
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	switch {
	case err != nil:
		return stamp{}, errStamp
	case len(whole) == 10:
		nanos, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
		if err != nil {
			return stamp{}, errStamp
		}
		s.end, s.decimals = time.Unix(n, nanos), len(fraction)
	case len(whole) == 13 && !hasFraction:
		s.end, s.millis = time.UnixMilli(n), true
	default:
		return stamp{}, errStamp
	}
	return s, nil
}

// at is the value with another end, rounded up to what the format can say.
func (s stamp) at(end time.Time) string {
	if s.millis {
		return s.prefix + strconv.FormatInt(end.Add(time.Millisecond-1).UnixMilli(), 10)
	}
	step := time.Second
	for range s.decimals {
		step /= 10
	}
	end = end.Add(step - 1)
	text := s.prefix + strconv.FormatInt(end.Unix(), 10)
	if s.decimals > 0 {
		nanos := strconv.Itoa(1_000_000_000 + end.Nanosecond())[1:]
		text += "." + nanos[:s.decimals]
	}
	return text
}
