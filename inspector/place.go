package inspector

import "strings"

// place is what the store knows of the keys of one database, on whatever nodes they are.
type place struct {
	// slots are indexes into the store's slots, by key.
	slots map[string]int32
}

// isTrap says whether a key was named by the letters of a default pattern only ("blocklist"). What a pattern of the user's own
// names may be a lock under any name.
func (rules Rules) isTrap(key string) bool {
	scheme, named := rules.schemeOf(key)
	if named && scheme != AnyScheme {
		return scheme == NoLock
	}
	name := nameOf(key)
	return name.companion || !named && name.grade == nameSilent && hasLockLetters(key)
}

// lockLetters are what the default patterns look for, in any letter case.
var lockLetters = [...]string{"lock", "mutex", "lease", "semaphore"}

func hasLockLetters(key string) bool {
	for i := range len(key) {
		for _, word := range lockLetters {
			if len(key)-i >= len(word) && strings.EqualFold(key[i:i+len(word)], word) {
				return true
			}
		}
	}
	return false
}
