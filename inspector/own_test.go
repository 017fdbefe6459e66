package inspector

import (
	"strconv"
	"testing"
	"time"
)

// TestKeysOfOwnPatterns: what only a pattern of the user's own can have named is a lock by its value, or is none.
func TestKeysOfOwnPatterns(t *testing.T) {
	const uuid = "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"
	const hex = "594730fb989a42f9c4b373d423b32f22"
	for key, value := range map[string]string{
		"jobs:running:7": uuid, "deploy:prod": hex, "import:nightly": "n4L/2ZlftbtoJhoNxYjXOg==", "busy:7": "WEB01_4242_" + hex,
	} {
		if l := inspected(t, stringRecord(key, value, 30*time.Second), SchemeToken); l.State != StateHeld {
			t.Errorf("%s: state %s", key, l.State)
		}
		if _, is := Rules(nil).Inspect(stringRecord(key, value, 0), schemeNow); is {
			t.Errorf("%s without a TTL is taken for a lock", key)
		}
		if _, is := Rules(nil).Inspect(stringRecord(key, value, 48*time.Hour), schemeNow); is {
			t.Errorf("%s for two days is taken for a lock", key)
		}
	}
	for key, value := range map[string]string{
		"session:7": uuid, "user:token:7": hex, "cache:etag:7": hex, "idempotency:7": uuid, "csrf:7": "n4L/2ZlftbtoJhoNxYjXOg==",
		"blocked:7": uuid, "clock:7": uuid, "release:7": uuid, // the default patterns name these by their letters
		"jobs:running:7": "worker", "hits": "17", "orders": uuid + ":1767323055123",
	} {
		if l, is := Rules(nil).Inspect(stringRecord(key, value, 30*time.Second), schemeNow); is {
			t.Errorf("%s = %s is taken for a lock: %s, %q", key, value, l.Scheme, l.Evidence)
		}
	}
}

func TestAnAcquisitionTimeIsNoLeaseEnd(t *testing.T) {
	now := strconv.FormatInt(schemeNow.Unix(), 10)
	if l := inspected(t, stringRecord("lock:x", now, 30*time.Second), SchemeToken); l.State != StateHeld {
		t.Errorf("state %s", l.State)
	}
	end := strconv.FormatInt(schemeNow.Add(30*time.Second).UnixMilli(), 10)
	inspected(t, stringRecord("lock.job", end, 30*time.Second), SchemeTimestamp)
}

func TestMoreNames(t *testing.T) {
	inspected(t, stringRecord("app_database_laravel_unique_job:App\\Jobs\\Mail:7", "x8Qm2Zt7LbWc4RpA", time.Hour), SchemeToken)
	inspected(t, stringRecord("activejob_uniqueness:mail_job:no_arguments", "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11", 24*time.Hour), SchemeToken)
	inspected(t, stringRecord("lock:token", "worker", time.Minute), SchemeToken)
	shed := "ADDED:2026-01-02T03:04:00.123Z@web1:a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"
	l := inspected(t, stringRecord("job-lock:default:nightly", shed, time.Minute), SchemeShedLock)
	if l.Holders[0].Label != "web1, since 2026-01-02 03:04:00Z" || l.Holders[0].Owner != shed {
		t.Errorf("%+v", l.Holders[0])
	}
	for _, r := range []string{"lock_token", "login_lock_token", "lock:last_run", "lock:ratio"} {
		if l, is := Rules(nil).Inspect(stringRecord(r, "0.5", 0), schemeNow); is {
			t.Errorf("%s is taken for a lock: %s", r, l.Scheme)
		}
	}
	if l, is := Rules(nil).Inspect(hashRecord("lock:login", time.Hour, "attempts", "3"), schemeNow); is {
		t.Errorf("attempts are taken for a holder: %s", l.Scheme)
	}
}
