//go:build unix

package tui

import (
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
)

// BenchmarkLoad runs the whole dashboard at 200x50 on what the inspector hands over while 50,000 events a second happen:
// ten snapshots a second of 10,000 locks that have all changed hands, each with as many events as a snapshot carries.
// What it uses of a core has Bubble Tea's share in it; the budget is 10 %.
func BenchmarkLoad(b *testing.B) {
	const locks, events, variants = 10_000, 500, 10
	var busy [variants]*inspector.Snapshot
	for v := range busy {
		list := manyLocks(locks, time.Now())
		for i, l := range list {
			owner := fmt.Sprintf("worker-%d-%d", v, i)
			l.Holders = []inspector.Holder{holder(owner, owner, 0)}
		}
		busy[v] = snapshotOf(0, time.Now(), list)
	}
	for _, shown := range []struct{ name, key string }{{"locks", "1"}, {"events", "3"}} {
		b.Run(shown.name, func(b *testing.B) {
			h := newHarness(b, 200, 50, "default")
			h.m.clock = time.Now
			program := tea.NewProgram(h.m, tea.WithContext(b.Context()), tea.WithInput(nil), tea.WithOutput(io.Discard),
				tea.WithFPS(defaultFPS), tea.WithAltScreen(), tea.WithoutSignalHandler())
			ended := make(chan error, 1)
			go func() {
				_, err := program.Run()
				ended <- err
			}()
			program.Send(tea.WindowSizeMsg{Width: 200, Height: 50})
			program.Send(keyMsg(shown.key))
			seq := uint64(0)
			for b.Loop() {
				before, began := processTime(b), time.Now()
				for n := range 50 {
					time.Sleep(time.Until(began.Add(time.Duration(n) * 100 * time.Millisecond)))
					seq++
					next := *busy[seq%variants]
					next.Seq, next.TakenAt = seq, time.Now()
					next.Events = make([]inspector.Event, events)
					for i := range next.Events {
						l := next.Locks[(i+n*events)%locks]
						next.Events[i] = inspector.Event{
							Seq: seq*5000 + uint64(i), At: next.TakenAt, Ref: l.Ref, Kind: inspector.EventAcquired, Owner: l.Holders[0].Owner,
						}
					}
					h.source.next <- &next
				}
				b.ReportMetric(100*(processTime(b)-before).Seconds()/time.Since(began).Seconds(), "%core")
			}
			program.Quit()
			if err := <-ended; err != nil {
				b.Fatal(err)
			}
			if h.m.fatal != nil {
				b.Fatal(h.m.fatal)
			}
			if h.m.sequence == 0 {
				b.Fatal("the dashboard has taken no snapshot")
			}
		})
	}
}

// processTime is the processor time that this process has used.
func processTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
