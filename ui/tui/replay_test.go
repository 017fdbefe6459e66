package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"locktop/inspector"
	"locktop/inspector/recording"
)

// TestARecordingShowsWhatWasSeen compares whole screens of snapshots with those of the same, recorded and read again.
func TestARecordingShowsWhatWasSeen(t *testing.T) {
	for name, shown := range map[string]func() *inspector.Snapshot{
		"locks": fixture, "cluster": clusterFixture, "sentinel": sentinelFixture, "replica": replicaFixture, "redlock": redlockFixture,
	} {
		for _, file := range []string{"rec.jsonl", "rec.jsonl.gz"} {
			t.Run(name+"-"+file, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), file)
				w, err := recording.Create(path, recording.Header{Where: "prod-cache"}, 0)
				if err != nil {
					t.Fatal(err)
				}
				live := shown()
				if err := w.Frame(live, live.Events); err != nil {
					t.Fatal(err)
				}
				if err := w.Close("done"); err != nil {
					t.Fatal(err)
				}
				tape, err := recording.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer tape.Close()
				read, err := tape.Snapshot(0)
				if err != nil {
					t.Fatal(err)
				}
				for _, keys := range [][]string{{"1"}, {"3"}, {"4"}, {"!"}, {"enter"}, {"j", "enter"}, {"j", "j", "enter"}, {"G", "enter"}, {"s", "s", "s"}} {
					if got, want := screensOf(t, read, keys), screensOf(t, live, keys); got != want {
						t.Errorf("after %q the recording shows\n%s\nand it was\n%s", keys, got, want)
					}
				}
			})
		}
	}
}

// screensOf are the screens of a snapshot, a long page with all of its lines; a recording has no commands.
func screensOf(t *testing.T, s *inspector.Snapshot, keys []string) string {
	h := newHarness(t, 200, 400, "default")
	h.stageReel(fixtureReel(noon))
	h.show(s)
	h.keys(keys...)
	return h.m.View()
}

// FuzzReplay shows whatever a recording may hold in every view: nothing panics, and nothing leaves the window.
func FuzzReplay(f *testing.F) {
	frame := `{"frame":"key","at":1767362607000000,"news":0,"more":false,`
	for _, rest := range []string{
		`"locks":[{"key":"a","now":{"state":"held","expires":9223372036854775807,"since":-1,"renewals":-4,"period":-1,"waiters":-3,"waiters_by":"queue"}}]}`,
		`"locks":[{"key":"base64:/w==","what":{"scheme":"x"},"now":{"state":"` + "\\u001b[2J" + `","holders":[{"owner":""}],"fencing":-1},"spark":{"counts":[65535],"start":-9}}]}`,
		`"locks":[{"now":{"state":"freed","freed":1}},{"now":{"state":"held"},"votes":{"votes":[{"node":"n","ballot":"?"},{"node":"n","ballot":"for"}],"for":-9,"needed":99,"skew":-1}}]}`,
		`"totals":{"locks":-1,"by_state":{"held":-1},"rates":[-1,1e308]},"node_count":2,"nodes":[{"i":0,"status":{"Lag":-1,"Topology":"redlock","Replication":{"Replicas":[{}]}}},{"i":1,"status":{"Topology":"cluster","Slots":-1}}]}`,
		`"locks":[{"key":"h","now":{"state":"held"},"past":{"holds":[{"owner":"a","since":1,"until":9223372036854775807},{"owner":"b","since":1767362607000000,"until":1,"cause":"` + "\\u202e" + `","renewals":-1}]}}],"events":[{"seq":18446744073709551615,"at":-1,"kind":"x"}]}`,
		`"roll":{"fresh":true,"nodes":-4,"unlisted":-9,"lists":[{"node":"n","taken_at":-1}],"clients":[{"list":0,"id":-1,"age":-9223372036854775808,"is":{"Name":"` + "\\u001b[2J" + `"}}]},"unseen":[{"from":9223372036854775807,"to":1},{"node":"n"}],` +
			`"locks":[{"key":"c","node":"n","now":{"state":"held","renewals":3,"holders":[{"owner":"a","presence":{"connection":"alive","clients":[{"Node":"n","ID":-1,"Age":-1}]}}]},` +
			`"gaps":{"new":[-1,9223372036854775807]},"chronicle":{"minute":9223372036854775807,"acquisitions":[59,70000],"waiters":[0,-1],"waiting":-1,"holds":[111,65535],"counted":-1,"longest":-1},` +
			`"sample":{"from":9223372036854775807,"to":1,"ended":"` + "\\u001b" + `","counts":{"attempts":-1,"failed":9},"waiting":-1,"clients":[{"addr":"","connections":-1}],"nodes":[{"node":"","cpu":1e308,"load_known":true}]},` +
			`"past":{"holds":[{"owner":"a","since":5,"until":4,"since_rest":-9,"until_rest":99999,"lost":{"at":9223372036854775807,"until":1,"text":"` + "\\u202e" + `"}}]}}]}`,
	} {
		f.Add(frame + rest)
	}
	f.Fuzz(func(t *testing.T, line string) {
		path := filepath.Join(t.TempDir(), "rec")
		if err := os.WriteFile(path, []byte(`{"schema":"locktop.recording/1"}`+"\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		tape, err := recording.Open(path)
		if err != nil {
			return
		}
		defer tape.Close()
		s, err := tape.Snapshot(tape.Len() - 1)
		if err != nil {
			return
		}
		for _, size := range [][2]int{{45, 20}, {120, 40}} {
			h := newHarness(t, size[0], size[1], "default")
			h.stageReel(Scene{Rate: 1, Reel: &Reel{First: s.TakenAt, Last: s.TakenAt, At: s.TakenAt}})
			h.now = s.TakenAt
			h.show(s)
			for _, keys := range [][]string{{"1"}, {"enter"}, {"esc"}, {"3"}, {"enter"}, {"esc"}, {"4"}, {"j"}, {"1"}, {"s"}, {"s"}, {"s"}, {"s"}, {"s"}, {"s"}, {"s"}, {"s"}, {"s"}, {"s"}} {
				h.keys(keys...)
				if err := checkFrame(h.m.View(), size[0], size[1]); err != nil {
					t.Fatal(fmt.Errorf("after %q: %w", keys, err))
				}
			}
		}
	})
}
