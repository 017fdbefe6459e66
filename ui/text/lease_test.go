package text

import (
	"testing"
	"time"
)

func TestFieldLease(t *testing.T) {
	if got := FieldLease(0, false); got != "the holder's field expires then; the key has no TTL" {
		t.Error(got)
	}
	if got := FieldLease(58*time.Second, true); got != "the holder's field expires then; the key has 58 s left" {
		t.Error(got)
	}
}
