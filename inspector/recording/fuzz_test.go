package recording

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzOpen reads whatever there is: nothing panics, and what was read can be read again.
func FuzzOpen(f *testing.F) {
	head := []byte(`{"schema":"locktop.recording/1","locktop":"x"}` + "\n")
	for _, name := range names {
		whole, err := os.ReadFile(written(f, name, story(1, 6)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
	}
	f.Add(bytes.Join(append([][]byte{head}, frames(f, atFirst, filled(), filled())...), nil))
	f.Add(append(head, `{"frame":"key","at":-9223372036854775808,"news":0,"more":false,"node_count":1,"nodes":[{"i":0,"status":{}}],"locks":[{"now":{"state":"held","expires":9223372036854775807,"since":-1,"period":-9223372036854775808},"votes":{"votes":[],"for":-5,"needed":-9}}]}`+"\n"...))
	f.Add(append(head, `{"frame":"key","at":1,"news":5,"more":false,"events":[]}`+"\n"...))
	f.Add(append(head, `{"frame":"key","at":1,"news":0,"more":true,"locks":[{"i":0}]}`+"\n"...))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "rec")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			return
		}
		defer r.Close()
		for i := 0; i < min(r.Len(), 20); i++ {
			if _, err := r.Snapshot(i); err != nil {
				return
			}
		}
		last, err := r.Snapshot(r.Len() - 1)
		if err != nil {
			return
		}
		if _, err := r.Snapshot(0); err != nil {
			t.Fatal(err)
		}
		again, err := r.Snapshot(int(last.Seq) - 1)
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, again, last)
	})
}
