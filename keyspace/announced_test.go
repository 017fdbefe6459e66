package keyspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// announced waits until the keys that messages were about are these.
func (p *picture) announced(t testing.TB, want ...string) {
	t.Helper()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		var got []string
		for _, h := range p.hints {
			if h.Event == keyspace.EventAnnounced {
				got = append(got, h.Key)
			}
		}
		return slices.Equal(got, want), fmt.Sprintf("messages about %.200q, want %.200q", got, want)
	})
}

// bases are the keys of a family.
var bases = keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "base:*"}}, Companions: family{}}

// TestMessagesAreHeard: by the name of the channel, by what the message says, and of no other key and channel.
func TestMessagesAreHeard(t *testing.T) {
	for name, flags := range map[string]string{"push": redistest.Flags, "tracking": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t, "--notify-keyspace-events", flags)
			s.Do("MSET", "base:a", "1", "base:released", "1")
			p, _ := watch(t, connect(t, s), bases)
			p.knows(t, "base:a", "base:released")
			s.Do("PUBLISH", "others", "base:a")
			s.Do("PUBLISH", "ch:b", "-")
			s.Do("PUBLISH", "ch:a", "-")
			s.Do("PUBLISH", "all-released", "base:a")
			s.Do("PUBLISH", "all-released", "another:a")
			s.Do("PUBLISH", "ch:twice", "base:twice")    // both say the key
			s.Do("PUBLISH", "ch:all-released", "base:a") // two patterns name the channel
			s.Do("SET", "base:released", "2")            // whose own channel ends like one of theirs
			s.Do("PUBLISH", "ch:last", "-")
			p.announced(t, "base:b", "base:a", "base:a", "base:twice", "base:all-released", "base:a", "base:last")
			if n := s.Do("PUBSUB", "NUMSUB", "ch:a").([]any)[1]; n != int64(0) {
				t.Errorf("%d clients listen for base:a, and none does", n)
			}
		})
	}
}

// TestBusyChannelsCostNoEvent: messages beyond what we can hold are left out, and nothing else.
func TestBusyChannelsCostNoEvent(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", redistest.Flags)
	s.Do("SET", "base:a", "0")
	p, _ := watch(t, connect(t, s), bases)
	p.knows(t, "base:a")
	const messages = 50_000
	s.Do("EVAL", `for n = 1, tonumber(ARGV[1]) do
		redis.call("PUBLISH", "ch:a", n)
		if n % 100 == 0 then redis.call("SET", "base:a", n) end
	end`, 0, messages)
	p.shows(t, map[string]string{"base:a": fmt.Sprint(messages)})
	if st := p.reaches(t, "events", func(st keyspace.Status) bool { return st.Hints >= messages/100 }); st.Gaps != 0 || st.HintsDropped != 0 {
		t.Errorf("%d gaps, %d hints dropped", st.Gaps, st.HintsDropped)
	}
}

// TestFloodedChannelsAreLeft: if the messages would cost us the connection, locktop does not listen to them any more, and says so.
func TestFloodedChannelsAreLeft(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", redistest.Flags)
	s.Do("SET", "base:a", "0")
	p, _ := watch(t, connect(t, s), bases)
	p.reaches(t, "push", live)
	p.knows(t, "base:a")
	large := strings.Repeat("x", 1<<20)
	for range 100 {
		s.Do("PUBLISH", "ch:x", large)
	}
	st := p.reaches(t, "a reason", func(st keyspace.Status) bool { return strings.Contains(st.FeedReason, "too many messages") })
	if st.Feed != keyspace.FeedPush || st.Gaps > 1 {
		t.Errorf("%s with %d gaps", st.Feed, st.Gaps)
	}
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		n := s.Do("PUBSUB", "NUMPAT")
		return n == int64(1), fmt.Sprintf("%v patterns, want that of the events", n)
	})
	p.reaches(t, "push", live)
	s.Do("SET", "base:a", "1")
	p.shows(t, map[string]string{"base:a": "1"})
}

// TestMessagesMayBeDenied: a user without a right to these channels hears all events, and the rule that "check" prints lets it hear
// the messages as well.
func TestMessagesMayBeDenied(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", redistest.Flags)
	s.Do("SET", "base:a", "1")
	look := connect(t, s).ObserverACL(bases.Patterns, nil, nil, keyspace.Standalone)
	c := user(t, s, look)
	p, _ := watch(t, c, bases)
	if st := p.reaches(t, "push", live); st.Err != "" || st.FeedReason != "" {
		t.Errorf("limits: %q, %q", st.Err, st.FeedReason)
	}
	s.Do("PUBLISH", "ch:a", "-")
	s.Do("SET", "base:a", "2")
	p.shows(t, map[string]string{"base:a": "2"})
	p.announced(t)

	all, err := c.Capabilities(t.Context(), bases.Patterns, nil, family{}.Announcements(), keyspace.Standalone)
	if err != nil {
		t.Fatal(err)
	}
	lacking, _ := all.Of("announcements")
	if heard, _ := all.Of("psubscribe"); heard.Verdict != keyspace.Allowed || lacking.Verdict != keyspace.Denied ||
		lacking.Mend != "ACL SETUSER somebody &ch:* &[^_]*released" {
		t.Fatalf("%+v, %+v", heard, lacking)
	}
	var command []any
	for word := range strings.FieldsSeq(lacking.Mend) {
		command = append(command, word)
	}
	s.Do(command...)
	p, _ = watch(t, connect(t, s, func(o *keyspace.Options) { o.Username, o.Password = "somebody", "secret" }), bases)
	p.knows(t, "base:a")
	s.Do("PUBLISH", "ch:a", "-")
	p.announced(t, "base:a")
}

// TestMessagesWithoutEvents: a user without a right to the events hears the messages all the same.
func TestMessagesWithoutEvents(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", redistest.Flags)
	s.Do("SET", "base:a", "1")
	p, _ := watch(t, user(t, s, "~* resetchannels &ch:* &[^_]*released +@all"), bases)
	p.reaches(t, "tracking", func(st keyspace.Status) bool {
		return st.Feed == keyspace.FeedTracking && strings.Contains(st.FeedReason, "&__keyspace@0__:base:*")
	})
	p.knows(t, "base:a")
	s.Do("PUBLISH", "ch:a", "-")
	p.announced(t, "base:a")
}
