package demo

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestNarratorLetsPeopleRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n narrator
		expect := func(want string) {
			t.Helper()
			if got := n.current().Text; got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
		expect("")
		n.say("one")
		expect("one")
		n.say("two")
		n.say("three") // two is never told
		expect("one")
		time.Sleep(readingTime - time.Nanosecond)
		expect("one")
		time.Sleep(time.Nanosecond)
		expect("three")
		n.news("crash")
		n.say("four") // not told either: news waits
		time.Sleep(readingTime)
		expect("crash")
		n.news("repair")
		time.Sleep(newsTime - time.Nanosecond)
		expect("crash")
		time.Sleep(time.Nanosecond)
		expect("repair")
		for _, text := range []string{"a", "b", "c"} {
			n.news(text)
		}
		time.Sleep(newsTime)
		expect("b") // no more than two wait
		time.Sleep(newsTime)
		expect("c")
		time.Sleep(time.Hour)
		expect("c")
	})
}

func TestNarratorTellsWhenItHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n narrator
		n.say("one")
		time.Sleep(time.Second)
		n.say("two")
		happened := time.Now()
		time.Sleep(time.Minute)
		if got := n.current(); got.Text != "two" || !got.At.Equal(happened) {
			t.Fatalf("%+v, want the time when it happened, %v", got, happened)
		}
	})
}

func TestNarratorChangesSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n narrator
		var changes []time.Time
		var last Narration
		for i := range 10_000 {
			if i%7 == 0 {
				n.news(time.Now().String())
			} else {
				n.say(time.Now().String())
			}
			if now := n.current(); now != last {
				last = now
				changes = append(changes, time.Now())
			}
			time.Sleep(10 * time.Millisecond)
		}
		if len(changes) < 20 {
			t.Fatalf("%d changes in 100 s", len(changes))
		}
		for i, at := range slices.All(changes[1:]) {
			if since := at.Sub(changes[i]); since < readingTime {
				t.Fatalf("a sentence stayed for %v", since)
			}
		}
	})
}
