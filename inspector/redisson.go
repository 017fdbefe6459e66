package inspector

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// redisson is the layout of Redisson's RLock and of its kin (spin, fenced, fair, multi): a hash whose fields are
// "<UUID of the client>:<thread>", each with its entry count. The fields prove it, so that the name does not matter.
var redisson = schemeFile{
	info: SchemeInfo{
		Name:         SchemeRedisson,
		Systems:      "Redisson: lock, fair, fenced, spin, non-reentrant, MultiLock, RedissonRedLock, locks of map entries; node-redisson (npm)",
		RecognisedBy: "hash; every field is uuid:thread, or the only field is uuid:uuid or uuid:hex, with a positive count; any name. Or one field with a count, if clients listen on Redisson's channel",
		Shows:        "client, thread, entry count, TTL, fencing token; a fair lock's queue, else how many clients listen at least",
	},
	recognise: recogniseRedisson,
	beside:    besideRedisson,
	owners:    ownersOfRedisson,
}

func recogniseRedisson(c *candidate) (recognition, bool) {
	if !isRedisson(c.Record) {
		return c.recogniseNodeRedisson()
	}
	holders := make([]Holder, 0, len(c.Value.Fields))
	for _, f := range c.Value.Fields {
		n, _ := entryCount(f.Value)
		holders = append(holders, Holder{Owner: f.Name, Label: redissonLabel(f.Name), Count: Count{N: n, Known: true}})
	}
	found := recognition{
		mode: ModeExclusive, holders: holders,
		evidence: []string{"a hash whose fields are a Redisson client and its thread", c.ttlEvidence()},
	}
	found.evidence = append(found.evidence, mapEntry(c.Key)...)
	if counter, is := c.companion(keyspace.TypeString, RedissonName(RedissonFencing, c.Key)); is {
		if n, ok := entryCount(counter.Value.Text); ok {
			found.fencing = &n
			found.evidence = append(found.evidence, "it has a counter for fencing tokens: a fenced lock")
		}
	}
	queue, deadlines, fair := c.redissonQueue()
	if !fair {
		found.waiters = c.listeners(RedissonName(RedissonChannel, c.Key))
		return found, true
	}
	found.evidence = append(found.evidence, "it has a queue of waiters: a fair lock")
	if queue.Truncated {
		found.waiters = Waiters{Count: int(queue.Size), By: WaitersQueue}
		return found, true
	}
	found.waiters = Waiters{Exact: true, By: WaitersQueue}
	for _, waiter := range queue.Value.Fields {
		if end, known := deadlines[waiter.Name]; !known || end.After(c.ReadAt) {
			found.waiters.Count++
		}
	}
	return found, true
}

// recogniseNodeRedisson knows the lock of other clients that speak Redisson's language, such as node-redisson: one field with a count,
// "<uuid of the client>:<id>". The id is a UUID unless the application gives one, and then the clients that listen on Redisson's
// channel prove it. Such a lock is neither fair nor fenced (node-redisson 1.0, RedissonLock.js).
func (c *candidate) recogniseNodeRedisson() (recognition, bool) {
	field, n, ok := countedField(c.Record)
	if !ok {
		return recognition{}, false
	}
	waiters := Waiters{}
	for _, channel := range RedissonChannels(c.Key) {
		if w := c.listeners(channel); w.By != "" {
			waiters.By = w.By
			waiters.Count = max(waiters.Count, w.Count)
		}
	}
	why := "a hash whose field is a Redisson client and an id"
	client, id, _ := strings.Cut(field, ":")
	label := field
	switch {
	case isUUID(client) && !c.ExpiresAt.IsZero() && (isUUID(id) || isShortHex(id)):
		label = "client " + client[:8] + ", id " + id
	case waiters.Count > 0 || c.ruled():
		why = "a hash with one field that counts entries, and clients listen on Redisson's channel"
		if waiters.Count == 0 {
			why = c.name.evidence()
		}
	default:
		return recognition{}, false
	}
	return recognition{
		mode: ModeExclusive, waiters: waiters,
		holders:  []Holder{{Owner: field, Label: label, Count: Count{N: n, Known: true}}},
		evidence: []string{why, c.ttlEvidence()},
	}, true
}

// countedField is the only field of a hash that counts entries.
func countedField(r keyspace.Record) (field string, n int64, ok bool) {
	if r.Type != keyspace.TypeHash || r.Truncated || len(r.Value.Fields) != 1 {
		return "", 0, false
	}
	f := r.Value.Fields[0]
	n, ok = entryCount(f.Value)
	return f.Name, n, ok && n >= 1 && n <= maxEntries && f.Name != "" && f.Name != RedfourField && len(f.Name) <= maxToken
}

// isShortHex knows a random id in hexadecimal; one without a letter is a thread of Redisson's.
func isShortHex(id string) bool { return len(id) >= 4 && len(id) <= 32 && isHex(id) && !allDigits(id) }

// isRedisson says whether a hash is a Redisson lock's by its fields alone.
func isRedisson(r keyspace.Record) bool {
	if r.Type != keyspace.TypeHash || r.Truncated || len(r.Value.Fields) == 0 {
		return false
	}
	for _, f := range r.Value.Fields {
		if _, _, ok := redissonHolder(f.Name); !ok {
			return false
		}
		if n, ok := entryCount(f.Value); !ok || n < 1 {
			return false
		}
	}
	return true
}

func besideRedisson(r keyspace.Record) keyspace.Company {
	if !isRedisson(r) {
		if _, _, ok := countedField(r); ok {
			return keyspace.Company{Channels: RedissonChannels(r.Key)}
		}
		return keyspace.Company{}
	}
	return keyspace.Company{
		Keys: []string{
			RedissonName(RedissonFencing, r.Key), RedissonName(RedissonQueue, r.Key), RedissonName(RedissonDeadlines, r.Key),
		},
		Channels: []string{RedissonName(RedissonChannel, r.Key)},
	}
}

// ownersOfRedisson: the waiters of a fair lock have a channel each, with ":<uuid>:<thread>" behind the lock's name.
func ownersOfRedisson(name string) []string {
	if !strings.HasPrefix(name, "redisson_lock_") {
		return nil
	}
	for _, prefix := range [...]string{RedissonChannel, RedissonQueue, RedissonDeadlines, RedissonFencing} {
		rest, ok := strings.CutPrefix(name, prefix+":")
		if !ok {
			continue
		}
		const uuid = 36
		if i := strings.LastIndexByte(rest, ':'); i > uuid && prefix == RedissonChannel {
			if _, _, ok := redissonHolder(rest[i-uuid:]); ok && rest[i-uuid-1] == ':' {
				rest = rest[:i-uuid-1]
			}
		}
		return unbraced(rest)
	}
	return nil
}

// redissonQueue is the queue of a fair lock and until when each of its waiters waits; false: there is none.
func (c *candidate) redissonQueue() (queue keyspace.Record, deadlines map[string]time.Time, fair bool) {
	queue, fair = c.companion(keyspace.TypeList, RedissonName(RedissonQueue, c.Key))
	ends, _ := c.companion(keyspace.TypeZSet, RedissonName(RedissonDeadlines, c.Key))
	deadlines = make(map[string]time.Time, len(ends.Value.Fields))
	for _, f := range ends.Value.Fields {
		if ms, err := strconv.ParseFloat(f.Value, 64); err == nil {
			deadlines[f.Name] = endOf(int64(ms))
		}
	}
	return queue, deadlines, fair || len(ends.Value.Fields) > 0
}

// mapEntry says of which map a lock is an entry: "{<map>}:<hash of the key>:lock" (RedissonMap.java). The hash has 128 bits, in
// base64.
func mapEntry(key string) []string {
	if !strings.HasPrefix(key, "{") {
		return nil
	}
	name, rest, _ := strings.Cut(key[1:], "}:")
	hash, kind, _ := strings.Cut(rest, ":")
	switch kind {
	case "lock", "fairlock", "rw_lock", "semaphore", "permitexpirablesemaphore", "countdownlatch":
		if len(strings.TrimRight(hash, "=")) == 22 {
			return []string{"it locks an entry of the map " + name}
		}
	}
	return nil
}

func redissonLabel(field string) string {
	client, thread, _ := redissonHolder(field)
	return "client " + client[:8] + ", thread " + thread
}

// redissonHolder splits "<8-4-4-4-12 hexadecimal digits>:<digits>".
func redissonHolder(field string) (client, thread string, ok bool) {
	client, thread, ok = strings.Cut(field, ":")
	return client, thread, ok && isUUID(client) && len(thread) <= 20 && allDigits(thread)
}

// entryCount reads a count as HINCRBY writes it: no sign but a minus, no leading zeros.
func entryCount(value string) (int64, bool) {
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == value
}

func (c *candidate) ttlEvidence() string {
	switch {
	case c.ExpiresAt.IsZero():
		return evidenceNoTTL
	case c.byFields:
		return evidenceFieldTTL
	}
	return evidenceTTL
}

// staleWaiters: a waiter in the queue of a fair lock whose time is over. The next client that acquires takes it out; on a lock
// for which nobody asks it stays.
func staleWaiters(_ Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	if l.Scheme != SchemeRedisson || len(l.Observed.Companions) == 0 {
		return Finding{}, false, time.Time{}
	}
	c := candidate{Record: l.Observed, now: now}
	_, deadlines, _ := c.redissonQueue()
	stale, first, due := 0, time.Time{}, time.Time{}
	for _, end := range deadlines {
		if now.Before(end) {
			due = earlier(due, end)
			continue
		}
		stale++
		first = earlier(first, end)
	}
	if stale == 0 {
		return Finding{}, false, due
	}
	return Finding{
		Code: CodeStaleWaiters, Severity: SeverityWarning,
		Text: fmt.Sprintf("%s in its queue should have given up, the first at %s.", number(uint16(min(stale, 1<<15)), "waiter", "waiters"),
			first.Local().Format("15:04:05")),
		Advice: "They may be dead. The next client that acquires takes them out; a release wakes the first one after them.",
	}, true, due
}
