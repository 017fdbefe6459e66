package actions

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
)

const uuidOfHabits = "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"

// redLockNetExtend is what RedLock.net 2.3.2 renews with (Lua/Extend.lua): it makes the key again
// where it is gone.
const redLockNetExtend = `
	local currentVal = redis.call('get', KEYS[1])
	if (currentVal == false) then
		return redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) and 1 or 0
	elseif (currentVal == ARGV[1]) then
		return redis.call('pexpire', KEYS[1], ARGV[2])
	else
		return -1
	end`

func stringFixture(name, key, value string, ttl time.Duration) fixture {
	return fixture{
		name: name, key: key, scheme: inspector.SchemeToken, mode: inspector.ModeExclusive, labels: []string{value},
		setup: func(time.Time) [][]any { return [][]any{{"SET", key, value, "PX", ttl.Milliseconds()}} },
	}
}

func TestATombstoneKeepsARenewalOut(t *testing.T) {
	s := newFixtureServer(t)
	f := stringFixture("RedLock.net", "redlock:orders", uuidOfHabits, 10*time.Second)
	renew := func() int64 {
		n, err := s.client.Eval(t.Context(), redLockNetExtend, []string{f.key}, uuidOfHabits, 10_000).Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.leave(t, f)
	s.client.Del(t.Context(), f.key)
	if got := renew(); got != 1 {
		t.Fatalf("after a bare DEL the renewal answers %d, want 1: the lock is back", got)
	}
	for _, renewed := range []bool{false, true} {
		for _, watch := range []bool{false, true} {
			s.leave(t, f)
			r := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: uuidOfHabits}
			least, most := 4*time.Second, 6*time.Second // until half of the lease is over
			if renewed {
				r.Lock.Renewals, r.Lock.RenewalPeriod, r.Lock.LastRenewal = 3, 2*time.Second, time.Now()
				least, most = 2*time.Second, 4*time.Second // until the next renewal
			}
			if effect := EffectOf(r); !strings.Contains(effect.Does, "tombstone") || effect.Discouraged {
				t.Errorf("%+v", effect)
			}
			o := s.operator()
			o.scriptsDenied.Store(watch)
			if out := o.Do(t.Context(), r); !out.Result.Done() || !strings.Contains(out.Detail, "tombstone") {
				t.Fatalf("%s (%v)", out.Sentence(r), out.Err)
			}
			if got := renew(); got != -1 {
				t.Errorf("after locktop's release the renewal answers %d, want -1", got)
			}
			left := s.client.PTTL(t.Context(), f.key).Val()
			if left < least || left > most {
				t.Errorf("the tombstone stays for %v", left)
			}
			stone := s.see(t, f)
			if stone == nil || !strings.HasPrefix(stone.Holders[0].Label, "locktop's tombstone") {
				t.Errorf("the tombstone is shown as %+v", stone)
			}
		}
	}
}

// Who force-expires wants it gone, and is told what may come of it.
func TestAForceExpiryLeavesNoTombstone(t *testing.T) {
	s := newFixtureServer(t)
	f := stringFixture("RedLock.net", "redlock:orders", uuidOfHabits, 10*time.Second)
	s.leave(t, f)
	r := Request{Verb: VerbForceExpire, Lock: s.see(t, f), Owner: uuidOfHabits}
	if said := Consequence(r); !strings.Contains(said, "its next renewal re-creates the key") {
		t.Errorf("%q", said)
	}
	if out := s.operator().Do(t.Context(), r); !out.Result.Done() || s.client.Exists(t.Context(), f.key).Val() != 0 {
		t.Errorf("%s", out.Sentence(r))
	}
}

// A lock that another client took meanwhile is not buried.
func TestATombstoneIsGuarded(t *testing.T) {
	s := newFixtureServer(t)
	f := stringFixture("RedLock.net", "redlock:orders", uuidOfHabits, 10*time.Second)
	s.leave(t, f)
	r := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: uuidOfHabits}
	s.client.Set(t.Context(), f.key, "another", time.Minute)
	if out := s.operator().Do(t.Context(), r); out.Result != ResultNotHolder || out.Holder != "another" {
		t.Errorf("%s", out.Sentence(r))
	}
	if got := s.client.Get(t.Context(), f.key).Val(); got != "another" {
		t.Errorf("it is %q now", got)
	}
}

func TestDiscouragedActionsTakeForce(t *testing.T) {
	s := newFixtureServer(t)
	hangfire := stringFixture("Hangfire", "{hangfire}:lock:recurring-job:x", uuidOfHabits, 30*time.Second)
	bull := stringFixture("Bull", "bull:mails:17:lock", uuidOfHabits, 30*time.Second)
	lock := bull.setup
	bull.setup = func(now time.Time) [][]any { return append(lock(now), []any{"HSET", "bull:mails:17", "name", "mail"}) }
	for f, says := range map[*fixture]string{&hangfire: "hot loop", &bull: "processed twice"} {
		s.leave(t, *f)
		r := Request{Verb: VerbRelease, Lock: s.see(t, *f), Owner: uuidOfHabits}
		if said := Consequence(r); !strings.Contains(said, "Discouraged. ") || !strings.Contains(said, says) {
			t.Errorf("%s: %q does not warn of it", f.name, said)
		}
		out := s.operator().Do(t.Context(), r)
		if out.Result != ResultDiscouraged || !out.Result.Refused() || !strings.Contains(out.Sentence(r), "--force") || !strings.Contains(out.Detail, says) {
			t.Errorf("%s: %s", f.name, out.Sentence(r))
		}
		if s.client.Exists(t.Context(), f.key).Val() != 1 {
			t.Errorf("%s: it is gone", f.name)
		}
		milder := r
		milder.Verb, milder.TTL = VerbExtend, time.Minute
		if out := s.operator().Do(t.Context(), milder); !out.Result.Done() {
			t.Errorf("%s: %s", f.name, out.Sentence(milder))
		}
		r.Lock = s.see(t, *f)
		r.Force = true
		if out := s.operator().Do(t.Context(), r); !out.Result.Done() {
			t.Errorf("%s: %s", f.name, out.Sentence(r))
		}
	}
}

// A tombstone does not outlive the renewal that it is for: a client of pottery, which leaves the
// same bytes, acquires the lock then. It is said who waits, and for how long, and the tombstone can
// be declined.
func TestATombstoneEndsWithTheRenewal(t *testing.T) {
	s := newFixtureServer(t)
	f := stringFixture("pottery", "redlock:orders", uuidOfHabits, 30*time.Second)
	s.leave(t, f)
	r := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: uuidOfHabits}
	effect := EffectOf(r)
	for _, want := range []string{"a tombstone in its place for 15.9 s", "No client can acquire the lock for those", "a lock of pottery (Python)", "decline the tombstone"} {
		if said := effect.Does + " " + effect.Then; !strings.Contains(strings.ReplaceAll(said, "16 s", "15.9 s"), want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
	dry := r
	dry.DryRun = true
	if out := s.operator().Do(t.Context(), dry); out.Result != ResultDryRun || !strings.Contains(out.Detail, "until then no client can acquire it") {
		t.Errorf("the dry run says %s", out.Sentence(dry))
	}
	if out := s.operator().Do(t.Context(), r); !out.Result.Done() || LookFor(r, out) != 0 {
		t.Fatalf("%s", out.Sentence(r))
	}
	if left := s.client.PTTL(t.Context(), f.key).Val(); left > 16*time.Second || left < 14*time.Second {
		t.Errorf("of a lease of 30 s the tombstone stays for %v", left)
	}

	s.leave(t, f)
	r = Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: uuidOfHabits, NoTombstone: true}
	effect = EffectOf(r)
	if said := effect.Does + strings.Join(effect.Warnings, " "); !strings.Contains(said, "deletes the key") || !strings.Contains(said, "checks for up to 15 s") {
		t.Errorf("without a tombstone it is said that %q", said)
	}
	out := s.operator().Do(t.Context(), r)
	if !out.Result.Done() || s.client.Exists(t.Context(), f.key).Val() != 0 || LookFor(r, out) != 15*time.Second {
		t.Errorf("%s", out.Sentence(r))
	}
	if !s.client.SetNX(t.Context(), f.key, "another", time.Minute).Val() {
		t.Error("a client that waits cannot acquire it")
	}
}

// The holder of a lock of petty-cache (npm) deletes the next one's: all write the same value.
func TestAValueOfEveryClientIsSaid(t *testing.T) {
	s := newFixtureServer(t)
	for value, warns := range map[string]bool{"1": true, "locked": true, uuidOfHabits: false} {
		f := stringFixture("petty-cache 3.5", "petty:mutex", value, 10*time.Second)
		s.leave(t, f)
		for verb, may := range map[Verb]bool{VerbRelease: warns, VerbForceExpire: warns, VerbExtend: false} {
			effect := EffectOf(Request{Verb: verb, Lock: s.see(t, f), Owner: value, TTL: time.Minute})
			if said := slices.Contains(effect.Warnings, uncheckedValue); said != may {
				t.Errorf("%s of %q: %q", verb, value, effect.Warnings)
			}
		}
	}
}
