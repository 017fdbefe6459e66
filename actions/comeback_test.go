package actions

import (
	"strings"
	"testing"
	"time"

	"locktop/inspector"
)

// The renewals and extensions of libraries that re-create a deleted key, as they send them.
const (
	// aioredlock 0.7, SET_LOCK_SCRIPT.
	aioredlockSet = `
		local identifier = redis.call('get', KEYS[1])
		if not identifier or identifier == ARGV[1] then
			return redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
		else
			return redis.error_reply('ERROR')
		end`
	// redlock-rb 2.0, LOCK_SCRIPT, which extend runs with the flag that allows a new lock.
	redlockRbLock = `
		if (redis.call("exists", KEYS[1]) == 0 and ARGV[3] == "yes") or redis.call("get", KEYS[1]) == ARGV[1] then
			return redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
		end`
	// redsync 4 with SetNXOnExtend, touchWithSetNXScript.
	redsyncTouch = `
		if redis.call("GET", KEYS[1]) == ARGV[1] then
			return redis.call("PEXPIRE", KEYS[1], ARGV[2])
		elseif redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2], "NX") then
			return 1
		else
			return 0
		end`
	// go-zero, lockscript.lua.
	goZeroLock = `
		if redis.call("GET", KEYS[1]) == ARGV[1] then
			redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
			return "OK"
		else
			return redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])
		end`
)

// A lock may have been written by a library that re-creates a deleted key: the dialog and the dry
// run warn of that, and afterwards the lock is checked for as long as the holder's next renewal may
// take.
func TestALockThatMayComeBackIsLookedAt(t *testing.T) {
	s := newFixtureServer(t)
	for name, c := range map[string]struct {
		key, value string
		extend     string
		says       string
	}{
		"aioredlock": {"resource", uuidOfHabits, aioredlockSet, "aioredlock (Python)"},
		"redlock-rb": {"orders_lock", uuidOfHabits, redlockRbLock, "redlock-rb (Ruby)"},
		"redsync":    {"lock:orders", "n4L/2ZlftbtoJhoNxYjXOg==", redsyncTouch, "redsync (Go)"},
		"go-zero":    {"lock:orders", "x8Qm2Zt7LbWc4RpA", goZeroLock, "go-zero"},
	} {
		t.Run(name, func(t *testing.T) {
			f := stringFixture(name, c.key, c.value, 10*time.Second)
			f.rules = []string{c.key + "=token"}
			s.leave(t, f)
			for _, verb := range []Verb{VerbRelease, VerbForceExpire} {
				s.leave(t, f)
				r := Request{Verb: verb, Lock: s.see(t, f), Owner: c.value}
				said := strings.Join(EffectOf(r).Warnings, " ")
				if !strings.Contains(said, "It may come back") || !strings.Contains(said, c.says) || strings.Contains(EffectOf(r).Does, "tombstone") {
					t.Errorf("%s: before it is said that %q", verb, said)
				}
				dry := r
				dry.DryRun = true
				out := s.operator().Do(t.Context(), dry)
				if out.Result != ResultDryRun || !strings.Contains(out.Detail, "It may come back") || LookFor(dry, out) != 0 {
					t.Errorf("%s: the dry run says %s", verb, out.Sentence(dry))
				}
				out = s.operator().Do(t.Context(), r)
				if looks := LookFor(r, out); !out.Result.Done() || looks < 6*time.Second || looks > 11*time.Second {
					t.Errorf("%s: %s, and it is looked at for %v", verb, out.Sentence(r), LookFor(r, out))
				}
				if CameBack(r, s.see(t, f)) {
					t.Error("it is back before anything renewed it")
				}
				if err := s.client.Eval(t.Context(), c.extend, []string{c.key}, c.value, 10_000, "yes").Err(); err != nil {
					t.Fatal(err)
				}
				if !CameBack(r, s.see(t, f)) {
					t.Errorf("%s: it is back, and that is not seen", verb)
				}
			}
		})
	}
	f := stringFixture("redlock (npm)", "lock:orders", "594730fb989a82f9c4b373d423b32f22", 10*time.Second)
	s.leave(t, f)
	r := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: "594730fb989a82f9c4b373d423b32f22"}
	if out := s.operator().Do(t.Context(), r); len(EffectOf(r).Warnings) > 0 || LookFor(r, out) != 0 {
		t.Errorf("of a library that never makes a key again it is said that %q", EffectOf(r).Warnings)
	}
}

// suo writes its value again, with its holder in it.
func TestSuoMayComeBack(t *testing.T) {
	s := newFixtureServer(t)
	const value = "\x91\x92\xcb\x41\xda\x55\xcd\x5e\x20\x00\x00\xa1a"
	f := fixture{key: "lock:orders", rules: []string{"*=suo"}, setup: func(time.Time) [][]any { return [][]any{{"SET", "lock:orders", value}} }}
	s.leave(t, f)
	r := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: "a"}
	if r.Lock == nil || r.Lock.Scheme != inspector.SchemeSuo || !strings.Contains(strings.Join(EffectOf(r).Warnings, " "), "clients of suo (Ruby) re-create") {
		t.Fatalf("%+v: %q", r.Lock, EffectOf(r).Warnings)
	}
	out := s.operator().Do(t.Context(), r)
	if !out.Result.Done() || LookFor(r, out) != longestLook || CameBack(r, s.see(t, f)) {
		t.Errorf("%s; %v", out.Sentence(r), LookFor(r, out))
	}
	s.client.Set(t.Context(), f.key, value, 0)
	if !CameBack(r, s.see(t, f)) {
		t.Error("it is back, and that is not seen")
	}
}

// If renewals were seen, a lock is checked until the next one is due.
func TestALockIsLookedAtForOneRenewal(t *testing.T) {
	s := newFixtureServer(t)
	f := stringFixture("redsync", "lock:orders", "n4L/2ZlftbtoJhoNxYjXOg==", time.Minute)
	s.leave(t, f)
	r := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: "n4L/2ZlftbtoJhoNxYjXOg=="}
	freed := Outcome{Result: ResultReleased}
	if looks := LookFor(r, freed); looks != longestLook {
		t.Errorf("of a lease of a minute it is looked at for %v", looks)
	}
	r.Lock.Renewals, r.Lock.RenewalPeriod, r.Lock.LastRenewal = 3, 2*time.Second, time.Now()
	if looks := LookFor(r, freed); looks < 3*time.Second || looks > 5*time.Second {
		t.Errorf("of a lock that is renewed every 2 s it is looked at for %v", looks)
	}
	if LookFor(r, Outcome{Result: ResultChanged}) != 0 {
		t.Error("what was refused is looked at")
	}
}
