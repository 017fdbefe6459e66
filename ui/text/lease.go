package text

import "time"

// UnknownEnd is said in place of a TTL that may or may not be there.
const UnknownEnd = "unknown: the TTL of the holder's field could not be read; locktop check says why"

// LatestEnd follows the key's TTL if the holder's field may expire sooner.
const LatestEnd = "at most: the TTL of the holder's field could not be read, and may be shorter; locktop check says why"

// FieldLease says that a lease ends with the holder's field in a hash, and what the key has left.
func FieldLease(keyLeft time.Duration, keyEnds bool) string {
	if !keyEnds {
		return "the holder's field expires then; the key has no TTL"
	}
	return "the holder's field expires then; the key has " + Duration(keyLeft) + " left"
}
