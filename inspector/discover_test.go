package inspector

import (
	"fmt"
	"testing"
	"time"

	"locktop/keyspace"
)

func TestDiscoveryProposesPatterns(t *testing.T) {
	const client = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11"
	d := NewDiscovery(nil, DefaultPatterns())
	take := func(r keyspace.Record) { d.Take(r) }
	for n := range 8 {
		take(hashRecord(fmt.Sprintf("order:%d", 100+n), 30*time.Second, client+":42", "1"))
		take(hashRecord(fmt.Sprintf("order:%d:items", 100+n), 0, "sku", "3"))
		take(stringRecord(fmt.Sprintf("session:%d", n), client, time.Minute))
		take(stringRecord(fmt.Sprintf("visit:%d", n), client, time.Hour)) // lives longer than a lock
		take(stringRecord(fmt.Sprintf("mixed:%d", n), fmt.Sprint(n), time.Minute))
	}
	for _, name := range []string{"anna", "bert", "cleo", "dora"} {
		take(stringRecord("sync:"+name, client, 20*time.Second))
	}
	take(stringRecord("mixed:99", client, time.Minute)) // one of nine
	take(stringRecord("deploy[prod]", "ADDED:2026-01-02T03:04:00Z@web1", time.Hour))
	take(stringRecord("lock:orders", client, time.Minute)) // known
	again := stringRecord("sync:anna", client, 30*time.Second)
	for _, key := range d.Doubtful() {
		if key == "sync:anna" {
			d.Again(again)
		} else {
			d.Again(keyspace.Record{Ref: keyspace.Ref{Key: key}, Type: keyspace.TypeNone})
		}
	}
	want := []Proposal{
		{Pattern: keyspace.Pattern{Glob: "order:*"}, Locks: 8, Keys: 16, Schemes: []Scheme{SchemeRedisson}, Confidence: ConfidenceCertain},
		{Pattern: keyspace.Pattern{Glob: "sync:*"}, Locks: 4, Keys: 4, Schemes: []Scheme{SchemeToken}, Confidence: ConfidenceCertain, Renewed: 1},
		{Pattern: keyspace.Pattern{Glob: `deploy\[prod\]`}, Locks: 1, Keys: 1, Schemes: []Scheme{SchemeShedLock}, Confidence: ConfidenceCertain},
	}
	got := d.Proposals()
	if len(got) != len(want) {
		t.Fatalf("proposals %+v", got)
	}
	for i, p := range got {
		w := want[i]
		if p.Pattern != w.Pattern || p.Locks != w.Locks || p.Keys != w.Keys || fmt.Sprint(p.Schemes) != fmt.Sprint(w.Schemes) ||
			p.Confidence != w.Confidence || p.Renewed != w.Renewed || p.Example == "" || len(p.Evidence) < 2 {
			t.Errorf("%+v, want %+v", p, w)
		}
		if !p.Pattern.Match(p.Example) {
			t.Errorf("%s does not name %s", p.Pattern.Glob, p.Example)
		}
	}
	if d.Known != 1 || d.Keys != 8*5+4+3 {
		t.Errorf("%d keys, %d known", d.Keys, d.Known)
	}
}

// A pattern that names every key is never proposed: locks whose names are nothing but ids are counted, with one of them.
func TestDiscoveryNeverProposesEverything(t *testing.T) {
	const thread = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
	d := NewDiscovery(nil, nil)
	for n := range 6 {
		d.Take(hashRecord(fmt.Sprintf("%08d-90c1-4f0e-8a57-2d1f3c5a7b9e", n), 30*time.Second, thread, "1"))
		d.Take(hashRecord(fmt.Sprintf("%d:%d", n, n), 30*time.Second, thread, "1"))
		d.Take(hashRecord(fmt.Sprintf("order:%d", n), 30*time.Second, thread, "1"))
	}
	got := d.Proposals()
	if len(got) != 1 || got[0].Pattern.Glob != "order:*" {
		t.Errorf("proposals %+v", got)
	}
	if locks, example := d.Nameless(); locks != 12 || example != "00000000-90c1-4f0e-8a57-2d1f3c5a7b9e" {
		t.Errorf("%d locks without a name in common, such as %q", locks, example)
	}
}

func TestDiscoveryIsBounded(t *testing.T) {
	d := NewDiscovery(nil, nil)
	for n := range maxForms + 1000 {
		d.Take(stringRecord("x"+string(rune('a'+n%26))+string(rune(0x4e00+n/26)), "n4L/2ZlftbtoJhoNxYjXOg==", time.Minute))
	}
	if len(d.forms) > maxForms || len(d.pending) > maxSightings {
		t.Errorf("%d forms, %d sightings", len(d.forms), len(d.pending))
	}
}

func FuzzFormNamesItsKey(f *testing.F) {
	for _, key := range []string{"a:1:b", "[x]*?\\", "", ":", "\xff:\x00", "order/7|x"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if form := formOf(key); !(keyspace.Pattern{Glob: form}).Match(key) {
			t.Errorf("%q does not name %q", form, key)
		}
	})
}
