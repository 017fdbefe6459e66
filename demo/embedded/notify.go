package embedded

import (
	"fmt"
	"strconv"
	"strings"
)

// class is a set of kinds of keyspace notifications, as notify-keyspace-events names them.
type class uint16

const (
	classGeneric class = 1 << iota
	classString
	classList
	classSet
	classHash
	classSorted
	classExpired
	classEvicted
	classStream
	classModule
	classNew
	classKeyspace
	classKeyevent
	classMissed

	// classAll is what A stands for: neither new nor missed keys.
	classAll = classGeneric | classString | classList | classSet | classHash | classSorted | classExpired | classEvicted |
		classStream | classModule
)

// classLetters are the letters in the order in which Redis 7.0 gives them back (notify.c, keyspaceEventsFlagsToString).
var classLetters = []struct {
	letter byte
	class  class
}{
	{'g', classGeneric},
	{'$', classString},
	{'l', classList},
	{'s', classSet},
	{'h', classHash},
	{'z', classSorted},
	{'x', classExpired},
	{'e', classEvicted},
	{'t', classStream},
	{'d', classModule},
	{'n', classNew},
	{'K', classKeyspace},
	{'E', classKeyevent},
	{'m', classMissed},
}

// DefaultFlags are the notify-keyspace-events of a fresh embedded server, spelt out because "A" hides n.
const DefaultFlags = "Kg$hzxen"

func parseClasses(flags string) (class, error) {
	var all class
next:
	for i := range len(flags) {
		if flags[i] == 'A' {
			all |= classAll
			continue
		}
		for _, l := range classLetters {
			if l.letter == flags[i] {
				all |= l.class
				continue next
			}
		}
		return 0, fmt.Errorf("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.") //nolint:staticcheck,revive // the words of Redis
	}
	return all, nil
}

// String is what CONFIG GET says. With A it hides n, as Redis 7.0 and 8.6 do.
func (c class) String() string {
	var b strings.Builder
	whole := c&classAll == classAll
	if whole {
		b.WriteByte('A')
	}
	for _, l := range classLetters {
		if whole && l.class&(classAll|classNew) != 0 {
			continue
		}
		if c&l.class != 0 {
			b.WriteByte(l.letter)
		}
	}
	return b.String()
}

// notify publishes a keyspace notification where it is switched on. Whatever is worth a notification has changed the key,
// so those who watch the key learn of it too, except that nobody may see "new" without the change that follows it.
func (s *Server) notify(kind class, event string, db *database, key string) {
	if kind&(classNew|classMissed) == 0 {
		s.touch(db.number, key)
	}
	if s.classes&kind == 0 {
		return
	}
	if s.classes&classKeyspace != 0 {
		s.publish("__keyspace@"+strconv.Itoa(db.number)+"__:"+key, event)
	}
	if s.classes&classKeyevent != 0 {
		s.publish("__keyevent@"+strconv.Itoa(db.number)+"__:"+event, key)
	}
}

// missed tells that a key was read that is not there.
func (s *Server) missed(db *database, key string) { s.notify(classMissed, "keymiss", db, key) }
