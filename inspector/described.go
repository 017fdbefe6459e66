package inspector

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// maxDescription is the length of the longest description that is read.
const maxDescription = 512

// description is what a value in JSON or in PHP's serialisation says about its lock: who took it,
// and when. id may be the token of the acquisition, or the name of what is locked.
type description struct{ holder, instance, host, process, since, id string }

// describing are the words that its field names consist of. An object with any other field is data:
// a locked account has a reason, a cached order has items.
var describing = map[string]bool{
	"locked": true, "acquired": true, "by": true, "at": true, "since": true, "on": true, "lock": true, "name": true, "key": true,
	"resource": true, "owner": true, "holder": true, "token": true, "id": true, "uuid": true, "host": true, "hostname": true,
	"machine": true, "pid": true, "process": true, "thread": true, "worker": true, "ttl": true, "expires": true, "expiry": true,
	"expiration": true, "timeout": true, "lease": true, "until": true, "version": true, "created": true, "timestamp": true,
	"job": true, "task": true, "instance": true, "node": true, "server": true, "service": true, "app": true, "held": true,
	"started": true, "renewed": true, "refreshed": true, "heartbeat": true, "duration": true, "ms": true, "time": true,
}

// taking are the words of a field that says when the lock was acquired. Other fields have other
// times, such as "expiresAt".
var taking = map[string]bool{"locked": true, "acquired": true, "created": true, "held": true, "started": true}

// describedLock reads a value that describes a lock. One of its fields has a name such as
// "lockedSince", "locked_by" or "acquiredAt", or it has a host and a process; it has no other
// fields. Other objects under a lock's name are data.
func describedLock(value string) (description, bool) {
	var d description
	fields, ok := objectOf(value)
	if !ok {
		return d, false
	}
	speaks := false
	for name, text := range fields {
		first, rest := nextWord(name)
		second, _ := nextWord(rest)
		for word, rest := nextWord(name); word != ""; word, rest = nextWord(rest) {
			if !describing[word] {
				return d, false
			}
		}
		switch {
		case first == "host" || first == "hostname" || first == "machine":
			d.host = text
		case first == "pid" || first == "process":
			d.process = text
		case first == "owner" || first == "holder" || second == "by":
			d.holder = text
		case first == "instance" || first == "worker" || first == "node":
			d.instance = text
		case (first == "lock" || first == "token") && (second == "" || second == "id" || second == "token"):
			d.id = text
		case taking[first] && (second == "at" || second == "since" || second == "on"):
			d.since = text
		}
		speaks = speaks || (first == "locked" || first == "acquired") && second != ""
	}
	return d, speaks || isHost(d.host) && isProcess(d.process)
}

// sameDescription reports whether two values describe the same hold, so that the second is a
// renewal: they have the same random token, holder and time of acquisition.
func sameDescription(before, now string) bool {
	was, described := describedLock(before)
	is, still := describedLock(now)
	return described && still && was == is && was.since != "" && shapeOf(was.id).tokenLike()
}

// objectOf returns the fields of a flat object in JSON or in PHP's serialisation.
func objectOf(value string) (map[string]string, bool) {
	if len(value) > maxDescription || !strings.HasSuffix(value, "}") {
		return nil, false
	}
	if strings.HasPrefix(value, "a:") {
		return phpArray(value)
	}
	var object map[string]any
	if value[0] != '{' || json.Unmarshal([]byte(value), &object) != nil {
		return nil, false
	}
	fields := make(map[string]string, len(object))
	for name, field := range object {
		switch field := field.(type) {
		case string:
			fields[name] = field
		case float64:
			fields[name] = strconv.FormatFloat(field, 'f', -1, 64)
		case bool, nil:
			fields[name] = ""
		default:
			return nil, false
		}
	}
	return fields, true
}

// phpArray reads `a:2:{s:3:"pid";i:4711;s:4:"host";s:2:"vm";}`.
func phpArray(value string) (map[string]string, bool) {
	head, rest, ok := strings.Cut(strings.TrimSuffix(value, "}"), "{")
	fields := make(map[string]string)
	for ok && rest != "" {
		var name, field string
		if name, rest, ok = phpItem(rest); ok {
			field, rest, ok = phpItem(rest)
		}
		fields[name] = field
	}
	return fields, ok && head == "a:"+strconv.Itoa(len(fields))+":"
}

// phpItem cuts one number or string off.
func phpItem(text string) (item, rest string, ok bool) {
	if strings.HasPrefix(text, "i:") {
		item, rest, ok = strings.Cut(text[2:], ";")
		return item, rest, ok && isInteger(item)
	}
	length, rest, ok := strings.Cut(strings.TrimPrefix(text, "s:"), `:"`)
	n, err := strconv.Atoi(length)
	if !ok || err != nil || n < 0 || len(rest) < n+2 || rest[n:n+2] != `";` {
		return "", "", false
	}
	return rest[:n], rest[n+2:], true
}

// label returns the description in words.
func (d description) label() string {
	label := d.holder
	if label == "" {
		label = d.instance
	}
	if label == "" && isHost(d.host) && isProcess(d.process) {
		label = d.host + ", process " + d.process
	}
	if label == "" {
		label = UnknownHolder
	}
	at, err := time.Parse(time.RFC3339, d.since)
	if id, end, is := leaseEnd(d.since); err != nil && is && id == "" {
		at, err = end, nil
	}
	if err == nil {
		label += ", since " + at.UTC().Format("2006-01-02 15:04:05Z")
	}
	return label
}
