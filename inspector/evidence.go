package inspector

import "slices"

// interner shares equal evidence between locks: most locks of a server have the same. It is bounded.
type interner map[[interned]string][]string

const (
	interned    = 4 // lines; longer evidence is not shared
	maxInterned = 4096
)

// share returns the slice that the first of the locks with these lines has.
func (i interner) share(lines []string) []string {
	if len(lines) > interned {
		return lines
	}
	var key [interned]string
	copy(key[:], lines)
	shared, known := i[key]
	if !known {
		shared = slices.Clip(lines)
		if len(i) < maxInterned {
			i[key] = shared
		}
	}
	return shared
}
