package inspector

import (
	"strings"

	"locktop/keyspace"
)

// countedRW is the read/write lock of jefferyjob/go-redislock: a hash with the mode, every reader
// under "r:<id>" with its entry count and the sum of these, or the writer and its entry count. A
// writer may read as well (readLock.lua, writeLock.lua, 1.7).
var countedRW = schemeFile{
	info: SchemeInfo{
		Name:         SchemeCountedRW,
		Systems:      "jefferyjob/go-redislock (Go): read and write locks",
		RecognisedBy: "hash; `mode` is read or write, `rcount` is the sum of the fields `r:<id>`, a writer has `writer` and `wcount`, and there are no other fields; any name",
		Shows:        "mode, every reader or the writer with its entry count; TTL",
	},
	recognise: recogniseCountedRW,
}

// The fields of such a lock.
const (
	CountedRWMode    = "mode"
	CountedRWReaders = "rcount"
	CountedRWReader  = "r:" // before the reader's id
	CountedRWWriter  = "writer"
	CountedRWEntries = "wcount" // of the writer
)

func recogniseCountedRW(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeHash || c.Truncated || len(c.Value.Fields) < 3 {
		return recognition{}, false
	}
	var (
		mode, writer          string
		readers               []Holder
		sum, total, writerHas int64
	)
	for _, f := range c.Value.Fields {
		n, isCount := entryCount(f.Value)
		id, reads := strings.CutPrefix(f.Name, CountedRWReader)
		switch {
		case f.Name == CountedRWMode:
			mode = f.Value
		case f.Name == CountedRWWriter:
			writer = f.Value
		case !isCount || n < 0:
			return recognition{}, false
		case f.Name == CountedRWReaders:
			total = n
		case f.Name == CountedRWEntries:
			writerHas = n
		case reads && id != "":
			sum += n
			readers = append(readers, Holder{Owner: f.Name, Label: countedRWLabel(id), Count: Count{N: n, Known: true}})
		default:
			return recognition{}, false
		}
	}
	found := recognition{evidence: []string{"a hash with a mode and the entry counts of readers and a writer", c.ttlEvidence()}}
	switch {
	case sum != total:
		return recognition{}, false
	case mode == string(ModeRead) && len(readers) > 0 && writer == "":
		found.mode, found.holders = ModeRead, readers
	case mode == string(ModeWrite) && writer != "" && writerHas > 0:
		found.mode = ModeWrite
		found.holders = []Holder{{Owner: writer, Label: countedRWLabel(writer), Count: Count{N: writerHas, Known: true}}}
	default:
		return recognition{}, false
	}
	return found, true
}

// countedRWLabel is the id without what the library puts before each that it draws.
func countedRWLabel(id string) string { return strings.TrimPrefix(id, countedRWToken) }

const countedRWToken = "lock_token:"
