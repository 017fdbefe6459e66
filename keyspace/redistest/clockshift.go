package redistest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// shiftClock is the answer to a command as a server would give it whose clock is ahead by so much. Everything that is not
// an instant stays as it is: an error, a key without expiry (-1) or that is not there (-2), "QUEUED".
func shiftClock(command []string, answer []byte, by time.Duration) []byte {
	switch strings.ToUpper(command[0]) {
	case "TIME":
		words := parts(answer)
		if len(words) != 2 {
			return answer
		}
		seconds, wrong := strconv.ParseInt(words[0], 10, 64)
		micros, alsoWrong := strconv.ParseInt(words[1], 10, 64)
		if wrong != nil || alsoWrong != nil {
			return answer
		}
		at := time.UnixMicro(seconds*1e6 + micros).Add(by)
		words[0], words[1] = strconv.FormatInt(at.Unix(), 10), strconv.Itoa(at.Nanosecond()/1e3)
		return fmt.Appendf(nil, "*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", len(words[0]), words[0], len(words[1]), words[1])
	case "PEXPIRETIME":
		return shiftNumber(answer, by.Milliseconds())
	case "EXPIRETIME":
		return shiftNumber(answer, int64(by/time.Second))
	}
	return answer
}

func shiftNumber(answer []byte, by int64) []byte {
	text, isNumber := strings.CutPrefix(strings.TrimSpace(string(answer)), ":")
	n, err := strconv.ParseInt(text, 10, 64)
	if !isNumber || err != nil || n < 0 {
		return answer
	}
	return fmt.Appendf(nil, ":%d\r\n", n+by)
}
