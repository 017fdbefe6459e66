package recording

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locktop/inspector"
	"locktop/keyspace"
)

// bombs are recordings in which few bytes stand for much memory: the text of one line, and how often it comes.
var bombs = map[string]struct {
	line  string
	times int
}{
	"many small locks":         {`{"frame":"change","at":2,"news":0,"more":false,"locks":[` + list(`{"now":{"state":""}}`, 2000) + `]}`, 50},
	"a lock of companions":     {`{"frame":"change","at":2,"news":0,"more":false,"locks":[{"now":{"state":""},"what":{"scheme":"","companions":[` + list(`{}`, 1_000_000) + `]}}]}`, 1},
	"locks of companions":      {`{"frame":"change","at":2,"news":0,"more":false,"locks":[{"now":{"state":""},"what":{"scheme":"","companions":[` + list(`{}`, 50_000) + `]}}]}`, 30},
	"locks of votes":           {`{"frame":"change","at":2,"news":0,"more":false,"locks":[{"now":{"state":""},"votes":{"votes":[` + list(`{}`, 50_000) + `]}}]}`, 30},
	"locks of holders":         {`{"frame":"change","at":2,"news":0,"more":false,"locks":[{"now":{"state":"","holders":[` + list(`{}`, 50_000) + `]}}]}`, 30},
	"holders of clients":       {`{"frame":"change","at":2,"news":0,"more":false,"locks":[{"now":{"state":"","holders":[{"presence":{"connection":"","clients":[` + list(`{}`, 50_000) + `]}}]}}]}`, 30},
	"a history that grows":     {`{"frame":"change","at":2,"news":0,"more":false,"locks":[{"i":0,"now":{"state":""},"past":{"keep":0,"holds":[` + list(`{}`, 90_000) + `]}},{"now":{"state":""},"past":{"holds":[` + list(`{}`, 50_000) + `]}}]}`, 30},
	"clients that are counted": {`{"frame":"change","at":2,"news":0,"more":false,"roll":{"fresh":true,"lists":[{"node":"n"}],"clients":[` + clients(200_000) + `]}}`, 1},
	"events of long texts":     {`{"frame":"change","at":2,"news":1,"more":false,"events":[{"seq":1,"at":1,"kind":"","text":"` + strings.Repeat("x", 1<<20) + `"}]}`, 60},
	"nodes of long texts":      {`{"frame":"change","at":2,"news":0,"more":false,"node_count":1,"nodes":[{"i":0,"status":{"FeedReason":"` + strings.Repeat("x", 10<<20) + `","Patterns":["` + strings.Repeat("y", 5<<20) + `"]}}]}`, 4},
}

func list(element string, times int) string {
	return strings.TrimSuffix(strings.Repeat(element+",", times), ",")
}

func clients(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"list":0,"id":%d,"is":{}}`, i))
	}
	return strings.Join(all, ",")
}

// TestBombs replays recordings that would take all of the memory of a machine if they went on as they begin.
func TestBombs(t *testing.T) {
	most := maxMemory
	maxMemory = 8 << 20
	t.Cleanup(func() { maxMemory = most })
	for name, bomb := range bombs {
		path := filepath.Join(t.TempDir(), "bomb.jsonl.gz")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		zip := gzip.NewWriter(file)
		fmt.Fprintf(zip, "{\"schema\":%q,\"locktop\":\"x\"}\n", Schema)
		fmt.Fprintln(zip, `{"frame":"key","at":1,"news":0,"more":false,"locks":[{"now":{"state":"held"}}]}`)
		for range bomb.times {
			fmt.Fprintln(zip, bomb.line)
		}
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s, err := r.Snapshot(r.Len() - 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.Contains(r.Trouble, errMemory.Error()) {
			t.Errorf("%s: all of it is shown: %q, %d locks", name, r.Trouble, len(s.Locks))
		}
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		if now.HeapAlloc > 200<<20 {
			t.Errorf("%s: %d MB are kept", name, now.HeapAlloc>>20)
		}
		runtime.KeepAlive(s)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestManyFrames bounds the index: it is no larger than the file.
func TestManyFrames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bomb.jsonl.gz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(file)
	fmt.Fprintf(zip, "{\"schema\":%q,\"locktop\":\"x\"}\n", Schema)
	fmt.Fprintln(zip, `{"frame":"key","at":1,"news":0,"more":false}`)
	for range 100_000 {
		fmt.Fprintln(zip, `{"frame":"change","at":1,"news":0,"more":false}`)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if int64(r.Len()) > info.Size() || !strings.Contains(r.Trouble, "more frames than") {
		t.Errorf("%d frames in %d bytes: %q", r.Len(), info.Size(), r.Trouble)
	}
}

// TestWeigh counts what a lock points to.
func TestWeigh(t *testing.T) {
	l := &inspector.Lock{}
	empty := weighLock(l)
	l.Key = strings.Repeat("k", 1000)
	l.Holders = make([]inspector.Holder, 10)
	l.Holders[3].Presence = &inspector.Presence{Clients: make([]keyspace.Client, 100)}
	l.Observed.Value.Fields = []keyspace.Field{{Name: "abc", Value: "de"}}
	if more := weighLock(l) - empty; more < 1000+10*64+100*64+5 || more > 40_000 {
		t.Errorf("%d bytes", more)
	}
}
