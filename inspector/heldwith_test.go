package inspector

import (
	"testing"
	"time"
)

func TestLocksOfOneOwner(t *testing.T) {
	var s Snapshot
	for key, owner := range map[string]string{"a": threadA, "b": threadA, "c": threadB} {
		l, _ := Rules(nil).Inspect(hashRecord(key, time.Minute, owner, "1"), schemeNow)
		s.Locks = append(s.Locks, l)
	}
	for _, key := range []string{"lock:x", "lock:y"} { // "1" is nobody's name
		l, _ := Rules(nil).Inspect(stringRecord(key, "1", time.Minute), schemeNow)
		s.Locks = append(s.Locks, l)
	}
	for _, l := range s.Locks {
		with := s.HeldWith(l)
		if want := l.holder().Owner == threadA; want != (len(with) == 1) || want && (with[0].Key == l.Key || with[0].holder().Owner != threadA) {
			t.Errorf("%s is held with %v", l.Key, with)
		}
	}
	if all := s.Together(); len(all) != 1 || len(all[threadA]) != 2 {
		t.Errorf("%v", all)
	}
}
