package demo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// inspect watches a demo as the dashboard does, on all of its servers.
func inspect(t *testing.T, d *Demo) *inspector.Inspector {
	t.Helper()
	servers, err := keyspace.Dial(t.Context(), d.Place())
	if err != nil {
		t.Fatal(err)
	}
	observation, err := servers.Observe(t.Context(), keyspace.ObserveOptions{
		Patterns: inspector.DefaultPatterns(), Follow: inspector.Rules(nil).Follow, Nudge: true, Companions: inspector.Rules(nil),
		Clients: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	i := inspector.Start(t.Context(), observation, inspector.Options{
		Interval: 20 * time.Millisecond, Thresholds: d.Thresholds(), Masters: servers.Masters(),
	})
	t.Cleanup(func() { // The test's context has ended by now.
		for range observation.Updates() { // closed after the feed's last goroutine
		}
		if err := servers.Close(); err != nil {
			t.Error(err)
		}
	})
	return i
}

// dies stands for an overrun that is told as information: a holder died, its lease ran out, and
// nobody knows whether it was at work.
const dies = inspector.CodeOverrun + ", for information"

// codeOf is the code of a finding, or what stands for it.
func codeOf(f inspector.Finding) inspector.Code {
	if f.Code == inspector.CodeOverrun && f.Severity == inspector.SeverityInfo {
		return dies
	}
	return f.Code
}

// judged is what the findings say of a variant's locks. A flawed variant has a row for each finding
// that gives it away, or one that tells why none does; a sound variant has one row, with the
// findings that are true of it all the same.
type judged struct {
	scenario, variant string
	locks             string // globs, with blanks between them
	scheme            inspector.Scheme
	// code is raised within so much of the scenario's time since its beginning; a slow machine may
	// take twice as long.
	code   inspector.Code
	within time.Duration
	// may are the findings of a sound variant, or of one whose flaw is not seen.
	may []inspector.Code
	// unseen says why the flaw raises no finding.
	unseen string
}

// variantFindings has a line for each finding. Every variant of every scenario is in it. The lanes
// of redlock take turns, so that a finding comes a round later on a machine that is too slow to see
// the first.
var variantFindings = []judged{
	sound("contention", "long-enough", strings.Join(contended, " "), inspector.CodeLongLease, dies),
	raises("contention", "too-short", shortLock, inspector.SchemeToken, inspector.CodeOverrun, 2*time.Minute),

	sound("timestamp", "script", scriptLock, inspector.CodeLapsed, dies),
	sound("timestamp", "getset", getSetLock, inspector.CodeLapsed, dies),
	raises("timestamp", "del", deleteLock, inspector.SchemeTimestamp, inspector.CodeLapsed, 30*time.Second),
	raises("timestamp", "del", deleteLock, inspector.SchemeTimestamp, inspector.CodeLostWhileHeld, time.Minute),
	raises("timestamp", "skew", skewedLock, inspector.SchemeTimestamp, inspector.CodeLongLease, 10*time.Second),
	raises("timestamp", "skew", skewedLock, inspector.SchemeTimestamp, inspector.CodeLostWhileHeld, 10*time.Second),

	sound("token", "compare-and-delete", exportLock, inspector.CodeOverrun),
	sound("token", "watch", labelsLock, inspector.CodeOverrun),
	raises("token", "get-then-del", mailingLock, inspector.SchemeToken, inspector.CodeOverrun, 2*time.Minute),
	raises("token", "bare-del", refundLock, inspector.SchemeToken, inspector.CodeOverrun, 2*time.Minute),

	sound("crash", "set-nx-px", onceLock, dies),
	raises("crash", "setnx-then-expire", stuckLock, inspector.SchemeSetNX, inspector.CodeNoTTL, 10*time.Second),

	sound("reentrant", "balanced", strings.Join(balancedLocks[:], " ")),
	raises("reentrant", "leak", leakyLock, inspector.SchemeReentrant, inspector.CodeCountLeak, 30*time.Second),

	sound("renewal", "healthy", healthyLock),
	sound("renewal", "bounded", boundedLock, inspector.CodeAboutToLapse, inspector.CodeLostWhileHeld),
	raises("renewal", "four-times", lapsingLock, inspector.SchemeToken, inspector.CodeAboutToLapse, 30*time.Second),
	raises("renewal", "four-times", lapsingLock, inspector.SchemeToken, inspector.CodeLostWhileHeld, 30*time.Second),
	raises("renewal", "hung", hungLock, inspector.SchemeToken, inspector.CodeRenewedForever, 40*time.Second),

	sound("local", "extends", extendingLock),
	raises("local", "trusts-its-count", trustingLock, inspector.SchemeToken, inspector.CodeOverrun, 2*time.Minute),

	sound("redisson", "release", toldLock),
	raises("redisson", "bare-del", untoldLock, inspector.SchemeRedisson, inspector.CodeLostWakeUp, time.Minute),
	sound("redisson", "fair", fairLabel),

	sound("repair", "repaired", repairedLock, inspector.CodeNoTTL, dies),
	raises("repair", "bare-setnx", bareLock, inspector.SchemeSetNX, inspector.CodeNoTTL, 10*time.Second),

	sound("redlock", "node-dies", survivingLock, inspector.CodeDegradedQuorum, inspector.CodeMinority),
	// While a master is out it is not known who has the vote that it would give.
	sound("redlock", "delayed-restart", patientLock,
		inspector.CodeDegradedQuorum, inspector.CodeMinority, inspector.CodeSplit),
	raises("redlock", "restart", forgottenLock, inspector.SchemeToken, inspector.CodeSplit, 2*time.Minute),
	raises("redlock", "restart", forgottenLock, inspector.SchemeToken, inspector.CodeDoubleMajority, 3*time.Minute),
	raises("redlock", "clock", jumpedLock, inspector.SchemeToken, inspector.CodeDoubleMajority, 2*time.Minute),

	sound("pause", "fenced", fencedLock, inspector.CodeLostWhileHeld, inspector.CodeAboutToLapse),
	raises("pause", "unfenced", unfencedLock, inspector.SchemeToken, inspector.CodeLostWhileHeld, time.Minute),
	raises("pause", "rechecks", recheckedLock, inspector.SchemeToken, inspector.CodeAboutToLapse, time.Minute),

	sound("failover", "wait", syncedLock),
	raises("failover", "asynchronous", asyncLock, inspector.SchemeToken, inspector.CodeLostInFailOver, time.Minute),

	unseen("market", "watch", "", noLock),
	sound("market", "market-lock", marketLock),
	sound("market", "item-lock", "lock:item:*"),
	unseen("market", "unguarded", "", noLock),

	sound(Storm, "sound", "lock:shipment:*", dies),
	raises(Storm, "careless", "lock:parcel:*", inspector.SchemeToken, inspector.CodeOverrun, time.Minute),
}

// noLock says why a flaw is not seen.
const noLock = "it uses no lock"

func raises(
	scenario, variant, locks string, scheme inspector.Scheme, code inspector.Code, within time.Duration,
) judged {
	return judged{scenario: scenario, variant: variant, locks: locks, scheme: scheme, code: code, within: within}
}

func sound(scenario, variant, locks string, may ...inspector.Code) judged {
	return judged{scenario: scenario, variant: variant, locks: locks, may: may}
}

func unseen(scenario, variant, locks, why string) judged {
	return judged{scenario: scenario, variant: variant, locks: locks, unseen: why}
}

// has reports whether a lock is the variant's.
func (j *judged) has(l *inspector.Lock) bool {
	return slices.ContainsFunc(strings.Fields(j.locks), func(glob string) bool {
		before, _, open := strings.Cut(glob, "*")
		return l.Key == glob || open && strings.HasPrefix(l.Key, before)
	})
}

// raised are the findings of one run of a scenario.
type raised struct {
	rows  []judged
	when  map[int]time.Duration // of the rows that were raised, in the scenario's time
	seen  map[int]bool          // the rows whose locks were there
	wrong map[string]string     // findings of sound variants, and their texts
}

func newRaised(s script) *raised {
	r := &raised{when: map[int]time.Duration{}, seen: map[int]bool{}, wrong: map[string]string{}}
	for _, j := range variantFindings {
		played := slices.ContainsFunc(s.Variants, func(v Variant) bool { return v.Name == j.variant })
		if j.scenario == s.Name && played {
			r.rows = append(r.rows, j)
		}
	}
	return r
}

// look takes what a snapshot shows.
func (r *raised) look(shot *inspector.Snapshot, flawed func(variant string) bool, since time.Duration) {
	for _, l := range shot.Locks {
		for i := range r.rows {
			j := &r.rows[i]
			if !j.has(l) {
				continue
			}
			r.seen[i] = true
			for _, f := range l.Findings {
				if _, before := r.when[i]; !before && codeOf(f) == j.code && l.Scheme == j.scheme {
					r.when[i] = since
				}
				if !flawed(j.variant) && !slices.Contains(j.may, codeOf(f)) {
					r.wrong[fmt.Sprintf("%s/%s: %s on %s", j.scenario, j.variant, f.Code, l.Key)] = f.Text
				}
			}
		}
	}
}

// missing is a row that waits for its finding, or for its locks; empty: none does.
func (r *raised) missing() string {
	for i, j := range r.rows {
		if _, is := r.when[i]; j.code != "" && !is {
			return fmt.Sprintf("%s/%s raises no %s", j.scenario, j.variant, j.code)
		}
		if j.locks != "" && !r.seen[i] {
			return fmt.Sprintf("%s/%s shows none of %s", j.scenario, j.variant, j.locks)
		}
	}
	return ""
}

// Each flaw that can be seen raises its finding, and soon; and what is sound looks sound all the
// while: a late release that is refused, a count that goes up and down, a queue that is served, a
// holder who crashed.
func TestFindingsOfVariants(t *testing.T) {
	for _, s := range scripts() {
		t.Run(s.Name, func(t *testing.T) {
			onServersFor(t, s.Needs, func(t *testing.T, server Server) {
				besideOthers(t, s)
				o := atSpeed(s, 7)
				o.Server = server
				if s.Needs == NeedsPair { // so that a master is asked how far it is between a failure and the acquisition that it hides
					o.Speed = 2
				}
				s, err := s.choose("", server)
				succeed(t, err)
				d := begin(t, o)
				i, began, r := inspect(t, d), time.Now(), newRaised(s)
				flawed := func(variant string) bool {
					return slices.ContainsFunc(s.Variants, func(v Variant) bool {
						return v.Name == variant && v.Flawed
					})
				}
				redistest.Eventually(t, 2*patience, func() (bool, string) {
					r.look(i.Latest(), flawed, time.Duration(float64(time.Since(began))*o.Speed))
					if missing := r.missing(); missing != "" {
						return false, missing
					}
					return playedOut(d.Verdict()), "every fault is played to its end"
				})
				for what, text := range r.wrong {
					t.Errorf("%s: %s", what, text)
				}
				for n, j := range r.rows {
					if when := r.when[n]; when > 2*j.within {
						t.Errorf("%s/%s: %s after %v, want it within %v", j.scenario, j.variant, j.code, when, j.within)
					} else if j.code != "" {
						t.Logf("%s/%s: %s after %v", j.scenario, j.variant, j.code, when.Round(100*time.Millisecond))
					}
				}
			})
		})
	}
}

// Every variant has its row, and what a row says of it is so.
func TestEveryVariantIsJudged(t *testing.T) {
	rows := map[string]int{}
	for _, j := range variantFindings {
		rows[j.scenario+"/"+j.variant]++
		if j.locks == "" && j.unseen != noLock {
			t.Errorf("%+v", j)
		}
	}
	for _, s := range scripts() {
		for _, v := range s.Variants {
			name := s.Name + "/" + v.Name
			if rows[name] == 0 {
				t.Errorf("%s has no row", name)
			}
			delete(rows, name)
			for _, j := range variantFindings {
				is := j.scenario == s.Name && j.variant == v.Name
				if is && v.Flawed != (j.code != "" || j.unseen != "") && j.unseen != noLock {
					t.Errorf("%s: %+v", name, j)
				}
			}
		}
	}
	for name := range rows {
		t.Errorf("there is no variant %s", name)
	}
}
