package actions

import "testing"

// fixtureNamed is the fixture of this name.
func fixtureNamed(t testing.TB, name string) fixture {
	t.Helper()
	for _, f := range fixtures {
		if f.name == name {
			return f
		}
	}
	t.Fatalf("no fixture is called %q", name)
	return fixture{}
}

// TestOthersComeAndGo: who comes or goes between the look and the release of another holder is no reason to refuse it; that the
// holder itself left, or came back, is one.
func TestOthersComeAndGo(t *testing.T) {
	s := newFixtureServer(t)
	for _, test := range []struct {
		name, fixture string
		meddle        []any
		want          Result
	}{
		{"another came", "redis-semaphore (Ruby) 0.3.1, two of two tokens", []any{"HSET", "SEMAPHORE:orders:GRABBED", "2", "1767323009.5"}, ResultReleased},
		{"another went", "redis-semaphore (Ruby) 0.3.1, two of two tokens", []any{"HDEL", "SEMAPHORE:orders:GRABBED", "1"}, ResultReleased},
		{"it went", "redis-semaphore (Ruby) 0.3.1, two of two tokens", []any{"HDEL", "SEMAPHORE:orders:GRABBED", "0"}, ResultNotHolder},
		{"it was taken anew", "redis-semaphore (Ruby) 0.3.1, two of two tokens", []any{"HSET", "SEMAPHORE:orders:GRABBED", "0", "1767323009.5"}, ResultChanged},
		{"another job came, so that more is left than thought", "sidekiq-unique-jobs 8.1.0", []any{"HSET", uniqueDigest + ":LOCKED", jobB, "1767323009.5"}, ResultReleased},
		{"the other job went", "sidekiq-unique-jobs 8.1.0, a limit of two, with lock_ttl, until expired", []any{"HDEL", uniqueDigest + ":LOCKED", jobA}, ResultReleased},
		{"the job took it anew", "sidekiq-unique-jobs 8.1.0", []any{"HSET", uniqueDigest + ":LOCKED", jobA, "1767323009.5"}, ResultChanged},
		{"the same thread acquired anew", "redis_queued_locks 1.16.2", []any{"HSET", "rql:lock:orders", "ts", "1767323049.5"}, ResultChanged},
		{"another thread acquired", "redis_queued_locks 1.16.2", []any{"HSET", "rql:lock:orders", "acq_id", "rql:acq:1/2/3/4/5"}, ResultNotHolder},
		{"it was entered again", "redis_queued_locks 1.16.2", []any{"HINCRBY", "rql:lock:orders", "spc_cnt", "1"}, ResultReleased},
		{"another came to suo", "suo 0.4.0, two resources", []any{"SET", "lock:orders", "\x92" + suoHold("n4L/2ZlftbtoJhoNxYjXOg==") + suoHold("zzzzE5gH7jK9mN1pQ2rS4t==")}, ResultReleased},
		{"it went from suo", "suo 0.4.0, two resources", []any{"SET", "lock:orders", "\x91" + suoHold("aB3/E5gH7jK9mN1pQ2rS4t==")}, ResultChanged},
		{"somebody wrote something else", "suo 0.4.0, two resources", []any{"SET", "lock:orders", "OPERATOR-HOLD:x:1"}, ResultChanged},
		{"a result came to huey", "huey", []any{"HSET", "huey.results.mymail", "6c0e2f6c", "x"}, ResultReleased},
		{"another lock of huey's went", "huey", []any{"HDEL", "huey.results.mymail", "my-mail.lock.weekly"}, ResultReleased},
		{"the task ended", "huey", []any{"HDEL", "huey.results.mymail", "my-mail.lock.nightly"}, ResultGone},
	} {
		for _, watch := range []bool{false, true} {
			f := fixtureNamed(t, test.fixture)
			s.leave(t, f)
			r := Request{Verb: VerbRelease, Lock: s.see(t, f)}
			r.Owner = r.Lock.Holders[0].Owner
			if err := s.client.Do(t.Context(), test.meddle...).Err(); err != nil {
				t.Fatal(err)
			}
			before := s.client.Dump(t.Context(), f.key).Val()
			o := s.operator()
			o.scriptsDenied.Store(watch)
			out := o.Do(t.Context(), r)
			if out.Result != test.want {
				t.Errorf("%s, watch %v: %s, want %s", test.name, watch, out.Sentence(r), test.want)
			}
			if changed := s.client.Dump(t.Context(), f.key).Val() != before; changed != out.Result.Done() {
				t.Errorf("%s, watch %v: %s, and changed %v", test.name, watch, out.Sentence(r), changed)
			}
		}
	}
}

// TestTheDigestStaysWithAnotherJob: only the last job takes the keys of its digest with it.
func TestTheDigestStaysWithAnotherJob(t *testing.T) {
	s := newFixtureServer(t)
	f := fixtureNamed(t, "sidekiq-unique-jobs 8.1.0")
	s.leave(t, f)
	r := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: jobA}
	s.client.HSet(t.Context(), f.key, jobB, "1767323009.5")
	if out := s.operator().Do(t.Context(), r); out.Result != ResultReleased {
		t.Fatal(out.Sentence(r))
	}
	if n := s.client.Exists(t.Context(), uniqueDigest, uniqueDigest+":INFO", f.key, "uniquejobs:digests").Val(); n != 4 {
		t.Errorf("%d of 4 keys are left: %q", n, s.keys(t.Context()))
	}
	r = Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: jobB}
	if out := s.operator().Do(t.Context(), r); out.Result != ResultReleased {
		t.Fatal(out.Sentence(r))
	}
	if n := s.client.Exists(t.Context(), uniqueDigest, uniqueDigest+":INFO", f.key, "uniquejobs:digests").Val(); n != 0 {
		t.Errorf("keys left: %q", s.keys(t.Context()))
	}
}
