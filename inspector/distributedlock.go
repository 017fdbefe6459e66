package inspector

import (
	"strings"

	"locktop/keyspace"
)

// distributedSemaphore is the semaphore of DistributedLock.Redis (.NET): a sorted set of its holders, each with the end of its lease
// in milliseconds of the server. The key stays longer than they do (Primitives/RedisSemaphorePrimitive.cs, 1.1).
var distributedSemaphore = schemeFile{
	info: SchemeInfo{
		Name:         SchemeDistributedSemaphore,
		Systems:      "DistributedLock.Redis (.NET): semaphore",
		RecognisedBy: "sorted set; every member is `<machine>_<pid>_<32 hex>`, with milliseconds for a score; any name",
		Shows:        "every holder with machine, process and lease. The limit is not stored",
	},
	recognise: recogniseDistributedSemaphore,
}

func recogniseDistributedSemaphore(c *candidate) (recognition, bool) {
	if !isSortedSet(c.Record, isMachineID) {
		return recognition{}, false
	}
	last, ok := lastScore(c.Record)
	if !ok || last < firstMillisecond {
		return recognition{}, false
	}
	found := recognition{
		mode:     ModeSemaphore,
		evidence: []string{"a sorted set of DistributedLock's machines and processes, each with the end of its lease", c.ttlEvidence()},
	}
	memberships := make([]membership, 0, len(c.Value.Fields))
	for _, f := range c.Value.Fields {
		score, _ := scoreOf(f)
		memberships = append(memberships, membership{owner: f.Name, label: machineLabel(f.Name), end: endOf(int64(score))})
	}
	c.share(&found, memberships)
	return found, true
}

func machineLabel(id string) string {
	host, process, _ := hostAndProcess(id)
	return host + ", process " + process
}

// distributedRW is the read/write lock of DistributedLock.Redis: a set of readers and, under another name, the writer or the mark of
// one that waits and keeps new readers out (Primitives/RedisReaderWriterLockPrimitives.cs, 1.1). Each of the two keys is a row.
var distributedRW = schemeFile{
	partOfAnother: func(c *candidate) bool { return marksAWriter(c.Record) },
	info: SchemeInfo{
		Name:         SchemeDistributedRW,
		Systems:      "DistributedLock.Redis (.NET): reader/writer lock",
		RecognisedBy: "set `<name>.readers` of, or string `<name>.writer` with, `<machine>_<pid>_<32 hex>`",
		Shows:        "every reader, or the writer, with machine and process; a writer that waits",
	},
	recognise: recogniseDistributedRW,
	beside: func(r keyspace.Record) keyspace.Company {
		if name, is := readersOf(r); is {
			return keyspace.Company{Keys: []string{name + writerSuffix}}
		}
		return keyspace.Company{}
	},
	owners: func(name string) []string {
		if base, is := strings.CutSuffix(name, writerSuffix); is {
			return []string{base + readersSuffix}
		}
		return nil
	},
}

const (
	readersSuffix = ".readers"
	writerSuffix  = ".writer"
	writerWaits   = "_WRITERWAITING"
)

// readersOf is the lock's name, of the set of its readers.
func readersOf(r keyspace.Record) (name string, ok bool) {
	if r.Type != keyspace.TypeSet || r.Truncated || len(r.Value.Fields) == 0 {
		return "", false
	}
	if name, ok = strings.CutSuffix(r.Key, readersSuffix); !ok {
		return "", false
	}
	for _, f := range r.Value.Fields {
		if !isMachineID(f.Name) {
			return "", false
		}
	}
	return name, true
}

// marksAWriter says whether a key is but the mark of a writer that waits, and so no lock.
func marksAWriter(r keyspace.Record) bool {
	id, marked := strings.CutSuffix(r.Value.Text, writerWaits)
	return marked && r.Type == keyspace.TypeString && strings.HasSuffix(r.Key, writerSuffix) && isMachineID(id)
}

func recogniseDistributedRW(c *candidate) (recognition, bool) {
	if c.Type == keyspace.TypeString && strings.HasSuffix(c.Key, writerSuffix) && isMachineID(c.Value.Text) {
		return recognition{
			mode:     ModeWrite,
			holders:  []Holder{{Owner: c.Value.Text, Label: machineLabel(c.Value.Text)}},
			evidence: []string{"the writer of a lock of DistributedLock: its machine and process", c.ttlEvidence()},
		}, true
	}
	name, is := readersOf(c.Record)
	if !is {
		return recognition{}, false
	}
	found := recognition{mode: ModeRead, evidence: []string{"a set of DistributedLock's readers, by machine and process", c.ttlEvidence()}}
	for _, f := range c.Value.Fields {
		found.holders = append(found.holders, Holder{Owner: f.Name, Label: machineLabel(f.Name)})
	}
	if writer, there := c.companion(keyspace.TypeString, name+writerSuffix); there && marksAWriter(writer) {
		found.waiters = Waiters{Count: 1, By: WaitersQueue} // other writers may poll behind it
		found.evidence = append(found.evidence, "a writer waits, and keeps new readers out")
	}
	return found, true
}
