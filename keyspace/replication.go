package keyspace

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxMarks is how many readings of the replication offset are kept: as many seconds, in which a replica that is any use has
// acknowledged.
const maxMarks = 64

// replication is what the feed remembers of a server's replication from one look at INFO to the next.
type replication struct {
	// marks are readings of a master's offset: what was written before the time is not behind it.
	marks []offsetMark
	// until tells of each replica, by its address, until when it has everything.
	until map[string]time.Time
	id    string // of the stream of which the offsets are
	// copied: it had replicas, or was one, so that there may be a fail-over, also when none is connected any more.
	copied bool
}

type offsetMark struct {
	at     time.Time
	offset int64
}

// learn takes INFO replication, which was asked for and answered at local times.
func (r *replication) learn(asked, answered time.Time, info string) Replication {
	fields := InfoFields(info)
	if id := fields["master_replid"]; id != r.id {
		*r = replication{id: id, copied: r.copied}
	}
	if roleOf(fields) == "replica" {
		out := Replication{MasterAddr: net.JoinHostPort(fields["master_host"], fields["master_port"])}
		if fields["master_link_status"] != "up" {
			out.MasterDown = max(time.Second, infoSeconds(fields["master_link_down_since_seconds"]))
		}
		return out
	}
	offset, err := strconv.ParseInt(fields["master_repl_offset"], 10, 64)
	if err != nil {
		return Replication{}
	}
	if n := len(r.marks); n == maxMarks {
		r.marks = slices.Delete(r.marks, 0, 1)
	}
	r.marks = append(r.marks, offsetMark{asked, offset})
	out := Replication{Stream: r.id, Offset: offset, Asked: asked, Answered: answered}
	if first, err := strconv.ParseInt(fields["second_repl_offset"], 10, 64); err == nil && first > 0 { // the first that it did not get
		out.Before, out.Copied = fields["master_replid2"], first-1
	}
	until := make(map[string]time.Time)
	for n := 0; ; n++ {
		line, found := fields["slave"+strconv.Itoa(n)]
		if !found {
			break
		}
		replica, has := parseReplica(line)
		replica.Behind = max(0, offset-has)
		known := r.until[replica.Addr]
		for _, mark := range r.marks {
			if mark.offset <= has && replica.Online {
				known = later(known, mark.at)
			}
		}
		until[replica.Addr] = known
		out.Replicas = append(out.Replicas, replica)
		out.AcknowledgedUntil = append(out.AcknowledgedUntil, known)
	}
	r.until, r.copied = until, r.copied || len(out.Replicas) > 0 || out.Before != ""
	slices.SortFunc(out.Replicas, func(a, b Replica) int { return strings.Compare(a.Addr, b.Addr) })
	slices.SortFunc(out.AcknowledgedUntil, func(a, b time.Time) int { return b.Compare(a) })
	return out
}

// parseReplica reads "ip=10.0.0.2,port=6379,state=online,offset=1234,lag=1"; has is what it has acknowledged.
func parseReplica(line string) (replica Replica, has int64) {
	values := make(map[string]string)
	for part := range strings.SplitSeq(line, ",") {
		name, value, _ := strings.Cut(part, "=")
		values[name] = value
	}
	has, err := strconv.ParseInt(values["offset"], 10, 64)
	if err != nil {
		has = -1
	}
	return Replica{
		Addr: net.JoinHostPort(values["ip"], values["port"]), Online: values["state"] == "online", SinceAck: infoSeconds(values["lag"]),
	}, has
}

// checkReplication asks how the copies are, once a second where there are any.
func (f *feed) checkReplication(ctx context.Context) error {
	asked := time.Now()
	info, err := f.connection.reader.Info(ctx, "replication").Result()
	if isAnswer(err) {
		return nil // denied or absent: nothing is known of copies
	}
	if err != nil {
		return wrap("info replication", err)
	}
	role, before := roleOf(InfoFields(info)), f.status.Replication
	f.status.Replication = f.health.replication.learn(asked, time.Now(), info)
	if now := &f.status.Replication; now.Stream != before.Stream && now.Before != "" {
		f.say() // before the records of a master that took over
	}
	switch {
	case role != f.status.Role:
		f.status.Role = role
		f.gap("the server is a "+role+" now", time.Now())
	case before.MasterDown > 0 && f.status.Replication.MasterDown == 0: // it may have been given another copy as a whole
		f.gap("this replica was cut off from its master", time.Now())
	}
	return nil
}

// roleOf reads INFO replication.
func roleOf(fields map[string]string) string {
	if fields["role"] == "slave" {
		return "replica"
	}
	return "master"
}

// String says in words how a copy is: "10.0.0.2:6379, 12 bytes behind, acknowledged 1 s ago".
func (r Replica) String() string {
	if !r.Online {
		return r.Addr + ", still receiving its first copy"
	}
	return fmt.Sprintf("%s, %d bytes behind, acknowledged %v ago", r.Addr, r.Behind, r.SinceAck)
}
