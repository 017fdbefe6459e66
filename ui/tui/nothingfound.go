package tui

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"

	"locktop/keyspace"
	"locktop/ui/text"
)

// facts are what may explain that no lock was found, of all nodes that answer.
type facts struct {
	db            int
	where         string // and that it has, or that they have
	keys          int64
	matched       int64
	denied        int
	others        []keyspace.Database // databases with keys that are not looked at, by their numbers
	othersKnown   bool
	manyDatabases bool // there may be others
	limited       string
	replica       *keyspace.Status
}

func factsOf(nodes []keyspace.Status) facts {
	var f facts
	if len(nodes) == 0 {
		return f
	}
	answer := 0
	others := make(map[int]int64)
	for i := range nodes {
		n := &nodes[i]
		if !n.Connected {
			continue
		}
		answer++
		f.keys += n.LastPass.Scanned
		f.matched += n.LastPass.Matched
		f.denied += n.Denied
		f.othersKnown = f.othersKnown || n.Databases != nil
		for _, d := range n.Databases {
			if d.DB != n.DB {
				others[d.DB] += d.Keys
			}
		}
		if f.replica == nil && isReplica(n) {
			f.replica = n
		}
		if f.limited == "" && n.Feed != keyspace.FeedPush && n.FeedReason != "" {
			f.limited = feedWord(n.Feed) + ": " + n.FeedReason
		}
	}
	for db, keys := range others {
		f.others = append(f.others, keyspace.Database{DB: db, Keys: keys})
	}
	slices.SortFunc(f.others, func(a, b keyspace.Database) int { return cmp.Compare(a.DB, b.DB) })
	f.db, f.where = nodes[0].DB, text.Escape(string(nodes[0].Node))+", which has"
	if len(nodes) > 1 {
		f.where = fmt.Sprintf("%d of %d nodes, which have", answer, len(nodes))
	}
	f.manyDatabases = nodes[0].Topology != keyspace.Cluster
	return f
}

// sentences are the facts in words that may be why nothing is seen.
func (f *facts) sentences() []string {
	var list []string
	if len(f.others) > 0 {
		said := make([]string, len(f.others))
		for i, d := range f.others {
			said[i] = fmt.Sprintf("db%d %s", d.DB, text.Plural(d.Keys, "key"))
		}
		list = append(list, "other databases: "+strings.Join(said, ", "))
	}
	if readable := f.matched - int64(f.denied); readable > 0 {
		said := "1 key matches, and is not laid out like a lock"
		if readable > 1 {
			said = text.Count(readable) + " keys match, and none is laid out like a lock"
		}
		list = append(list, said)
	}
	if f.denied > 0 {
		list = append(list, text.Plural(int64(f.denied), "key")+" of these names may not be read by this user")
	}
	if f.replica != nil {
		list = append(list, "this is a "+replicaText(f.replica)+": locks are seen here as late as it is, and actions are refused")
	}
	return list
}

// step is a command that may help, and what it does.
type step struct{ command, does string }

// steps are what to try next, the likeliest first.
func (f *facts) steps() []step {
	var list []step
	add := func(when bool, command, does string) {
		if when {
			list = append(list, step{command, does})
		}
	}
	if len(f.others) > 0 {
		most := slices.MaxFunc(f.others, func(a, b keyspace.Database) int { return cmp.Compare(a.Keys, b.Keys) })
		add(true, fmt.Sprintf("locktop -n %d", most.DB), "looks there, at "+text.Plural(most.Keys, "key"))
	}
	add(f.denied > 0, "locktop check", "prints the missing ACL rules")
	if f.matched > int64(f.denied) {
		add(true, "locktop check --discover", "says what these keys are")
	} else {
		add(f.keys > 0 || !f.othersKnown, "locktop check --discover", "judges every key, and proposes patterns")
	}
	add(f.keys > 0 || !f.othersKnown, "locktop --pattern 'GLOB'", "looks for other keys")
	add(!f.othersKnown && f.manyDatabases, "locktop -n 1", "looks in another database")
	if f.replica != nil {
		if host, port, err := net.SplitHostPort(f.replica.Replication.MasterAddr); err == nil {
			add(true, "locktop -h "+text.Escape(host)+" -p "+text.Escape(port), "looks at its master")
		}
	}
	add(f.othersKnown && f.keys == 0 && len(f.others) == 0, "locktop -h HOST -p PORT", "another server: this one is empty")
	add(true, "locktop demo", "shows what it looks like, without a Redis")
	return list
}
