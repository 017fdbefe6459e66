package tui

import (
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// nothingFixture is a server on which keys match and none is a lock, beside other databases.
func nothingFixture() *inspector.Snapshot {
	s := snapshotOf(1, noon, nil)
	n := &s.Nodes[0]
	n.LastPass.Scanned, n.LastPass.Matched, n.Denied = 4_222, 324, 12
	n.Databases = []keyspace.Database{{DB: 0, Keys: 4_222}, {DB: 1, Keys: 4_210}, {DB: 3, Keys: 12}}
	n.Feed, n.FeedReason = keyspace.FeedTracking, `notify-keyspace-events is "", without Kg$hzxen; for push: CONFIG SET notify-keyspace-events Kg$hzxenls`
	n.Patterns = []string{"*lock*", "*mutex*", "*lease*", "*semaphore*", "redlock:*", "uniquejobs:*", "rql:lock:*", "huey.results.*", "lock:{*}"}
	return s
}

// firstLookFixture is a server on which the first pass goes on, and some locks are there already.
func firstLookFixture() *inspector.Snapshot {
	s := snapshotOf(1, noon, nil)
	s.Nodes[0].LastPass = keyspace.Pass{}
	s.Nodes[0].Scanning = &keyspace.Pass{
		Started: noon.Add(-4 * time.Second), At: noon, Scanned: 250_000, KeysInDB: 1_000_000, Matched: 312,
	}
	return s
}

// silentFixture is a server that lets nobody in.
func silentFixture() *inspector.Snapshot {
	s := snapshotOf(1, noon, nil)
	n := &s.Nodes[0]
	n.Connected, n.StaleSince = false, noon.Add(-24*time.Second)
	n.Err = "connect 127.0.0.1:6379: wrong user or password: WRONGPASS invalid username-password pair or user is disabled.; give the right ones with --user and REDISCLI_AUTH"
	n.Trouble = keyspace.Trouble{
		Kind: "wrong user or password", Why: "WRONGPASS invalid username-password pair or user is disabled.",
		Mend: "give the right ones with --user and REDISCLI_AUTH",
	}
	return s
}

func TestNothingFoundSaysWhy(t *testing.T) {
	h := showing(t, 120, 30, nothingFixture())
	h.wantSeen(
		"no locks in database 0 of 127.0.0.1:6379, which has 4,222 keys", "huey.results.* lock:{*}",
		"other databases: db1 4,210 keys, db3 12 keys", "locktop -n 1                looks there, at 4,210 keys",
		"312 keys match, and none is laid out like a lock", "locktop check --discover    says what these keys are",
		"12 keys of these names may not be read by this user", "locktop check               prints the missing ACL rules",
		"seen by tracking: notify-keyspace-events is", "for push: CONFIG SET", "locktop demo",
	)
	change := func(f func(n *keyspace.Status)) *harness {
		s := snapshotOf(1, noon, nil)
		s.Nodes[0].LastPass.Matched = 0
		f(&s.Nodes[0])
		return showing(t, 100, 30, s)
	}
	h = change(func(n *keyspace.Status) { n.Databases = []keyspace.Database{{DB: 0, Keys: 48_211}} })
	h.wantSeen("judges every key, and proposes patterns")
	h.wantUnseen("locktop -n", "other databases", "key matches", "may not be read")
	h = change(func(n *keyspace.Status) { n.Databases, n.LastPass.Scanned = []keyspace.Database{}, 0 })
	h.wantSeen("which has 0 keys", "locktop -h HOST -p PORT", "another server: this one is empty")
	h.wantUnseen("--discover", "--pattern")
	h = change(func(n *keyspace.Status) { n.Topology = keyspace.Cluster })
	h.wantUnseen("locktop -n")
	h = change(func(n *keyspace.Status) {
		n.Role, n.Replication = "replica", keyspace.Replication{MasterAddr: "10.0.0.1:6379"}
	})
	h.wantSeen("this is a replica of 10.0.0.1:6379: locks are seen here as late as it is", "locktop -h 10.0.0.1 -p 6379 ", "looks at its master")
	h = change(func(n *keyspace.Status) { n.LastPass.Matched = 1 })
	h.wantSeen("1 key matches, and is not laid out like a lock")
}

// TestNothingFoundSaysTheMostAtAnySize: where there is no room for all, the first steps stay.
func TestNothingFoundSaysTheMostAtAnySize(t *testing.T) {
	for _, size := range [][2]int{{45, 20}, {60, 15}, {80, 24}, {120, 40}, {200, 50}} {
		h := showing(t, size[0], size[1], nothingFixture())
		h.wantSeen("no locks in database 0", "looked for *lock*", "db1 4,210 keys", "locktop -n 1")
	}
}

func TestFirstLookSaysHowLongItWillTake(t *testing.T) {
	h := showing(t, 120, 30, firstLookFixture())
	h.wantSeen("the first look at all keys", "25 %", "250,000 of 1,000,000 keys seen, 312 of them named like locks",
		"62,500 keys/s, about 12 s left", "first pass 25 % 12 s left")
	s := firstLookFixture()
	s.Seq, s.Nodes[0].Scanning.KeysInDB = 2, 0 // DBSIZE is denied
	h.show(s)
	h.wantSeen("250,000 keys seen", "62,500 keys/s", "first pass 250,000 keys")
	h.wantUnseen("left", "%")
	early := firstLookFixture()
	early.Seq, early.Nodes[0].Scanning.Started = 3, noon.Add(-10*time.Millisecond)
	h.show(early)
	h.wantSeen("250,000 of 1,000,000")
	h.wantUnseen("keys/s")
	rows := snapshotOf(4, noon, fixtureLocks(noon))
	rows.Nodes = firstLookFixture().Nodes
	h.show(rows)
	h.wantSeen("cart:100", "first pass 25 % 12 s left")
}

func TestSilentServersSayWhatWhyAndTheMend(t *testing.T) {
	h := showing(t, 120, 30, silentFixture())
	h.wantSeen("127.0.0.1:6379 does not let us in: wrong user or password, since 14:03:03", "why   WRONGPASS invalid",
		"mend  give the right ones with --user and REDISCLI_AUTH", "locktop tries again by itself; q quits",
		"✖ stale since 14:03:03   wrong user or password")
	loading := silentFixture()
	loading.Nodes[0].Trouble = keyspace.Trouble{Why: "it is loading its data", Mend: "wait"}
	showing(t, 120, 30, loading).wantSeen("127.0.0.1:6379 serves nobody for now, since 14:03:03", "why   it is loading its data")
	gone := silentFixture()
	gone.Nodes[0].Trouble = keyspace.Trouble{Kind: keyspace.ErrUnreachable.Error(), Why: "connection refused"}
	showing(t, 120, 30, gone).wantSeen("127.0.0.1:6379 does not answer, since 14:03:03", "why   connection refused", "mend  see whether the server runs")
	other := silentFixture()
	other.Nodes[0].Trouble = keyspace.Trouble{Kind: keyspace.ErrNotRedis.Error(), Why: "the connection was closed", Mend: "add --tls"}
	showing(t, 120, 30, other).wantSeen("127.0.0.1:6379: not a Redis server, since 14:03:03", "mend  add --tls")
	several := redlockFixture()
	several.Locks = nil
	for i := range several.Nodes {
		several.Nodes[i].Connected, several.Nodes[i].StaleSince, several.Nodes[i].Err = false, noon, "connection refused"
	}
	showing(t, 120, 30, several).wantSeen("none of 5 servers answers; of 10.0.0.1:6379", "why   connection refused")
	// With rows on the screen the mend is in the line above them.
	rows := snapshotOf(1, noon, fixtureLocks(noon))
	rows.Nodes = silentFixture().Nodes
	for _, width := range []int{45, 80, 120} {
		h := showing(t, width, 24, rows)
		h.wantSeen("cart:100", "→ give the right ones with --user")
		if !strings.Contains(h.screen(), "stale since") {
			t.Errorf("at %d columns nothing is stale", width)
		}
	}
}

func TestRefusedWritesAreSaid(t *testing.T) {
	s := fixture()
	s.Nodes[0].WritesRefused = "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk."
	h := showing(t, 120, 30, s)
	h.wantSeen("✖ writes are refused: MISCONF", "nobody can acquire or release")
	h.keys("4")
	h.wantSeen("nobody can acquire or release here: MISCONF Redis is configured")
	showing(t, 45, 20, s).wantSeen("✖ writes are refused: MISCONF")
}

func TestNodesSayWhatLocktopCosts(t *testing.T) {
	h := showing(t, 120, 40, fixture())
	h.keys("4")
	h.wantSeen("4 commands/s and 310 B/s read; 12,480 commands, 2.3 MB read and 640 kB sent so far", "48,211 keys seen", "in 1.0 s (48,211 keys/s)")
	h = showing(t, 200, 50, clusterFixture())
	h.keys("4")
	h.wantSeen("READ/S", "COMMANDS", "12,480")
}
