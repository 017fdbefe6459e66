package inspector

import (
	"testing"
	"time"
)

func TestStateAt(t *testing.T) {
	soon, past := schemeNow.Add(time.Second), schemeNow.Add(-time.Second)
	for _, test := range []struct {
		name string
		lock Lock
		want State
	}{
		{"TTL ahead", Lock{ExpiresAt: soon}, StateHeld},
		{"TTL over", Lock{ExpiresAt: past}, StateExpired},
		{"TTL over this very moment", Lock{ExpiresAt: schemeNow}, StateExpired},
		{"no end", Lock{}, StateStuck},
		{"lease ahead", Lock{LeaseEnds: soon}, StateHeld},
		{"lease over", Lock{LeaseEnds: past}, StateLapsed},
		{"lease over, TTL ahead", Lock{LeaseEnds: past, ExpiresAt: soon}, StateLapsed},
		{"lease ahead, TTL over", Lock{LeaseEnds: soon, ExpiresAt: past}, StateExpired},
		{"freed stays", Lock{State: StateFreed, ExpiresAt: past}, StateFreed},
		{"wrong stays", Lock{State: StateWrong}, StateWrong},
		{"a state of before does not", Lock{State: StateHeld, ExpiresAt: past}, StateExpired},
	} {
		if got := test.lock.StateAt(schemeNow); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestTTLAt(t *testing.T) {
	soon, later := schemeNow.Add(time.Second), schemeNow.Add(time.Minute)
	for _, test := range []struct {
		name string
		lock Lock
		want time.Duration
		ends bool
	}{
		{"TTL", Lock{ExpiresAt: soon}, time.Second, true},
		{"over", Lock{ExpiresAt: schemeNow.Add(-time.Second)}, -time.Second, true},
		{"lease", Lock{LeaseEnds: later}, time.Minute, true},
		{"both", Lock{LeaseEnds: later, ExpiresAt: soon}, time.Second, true},
		{"neither", Lock{}, 0, false},
	} {
		if got, ends := test.lock.TTLAt(schemeNow); got != test.want || ends != test.ends {
			t.Errorf("%s: %v %v, want %v %v", test.name, got, ends, test.want, test.ends)
		}
	}
}

func TestSeverity(t *testing.T) {
	info, warning, critical := Finding{Severity: SeverityInfo}, Finding{Severity: SeverityWarning}, Finding{Severity: SeverityCritical}
	for _, test := range []struct {
		findings []Finding
		want     Severity
	}{
		{nil, ""},
		{[]Finding{info}, SeverityInfo},
		{[]Finding{info, warning}, SeverityWarning},
		{[]Finding{warning, critical, info}, SeverityCritical},
	} {
		if got := (&Lock{Findings: test.findings}).Severity(); got != test.want {
			t.Errorf("%v: %q, want %q", test.findings, got, test.want)
		}
	}
}
