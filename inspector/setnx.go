package inspector

import "locktop/keyspace"

// setnxLayout is a string without a TTL: SETNX whose holder never set one (redis-py's default, Spring's cache lock), or died
// before it did. Nothing but its name tells it from any other key, so that the name has to say lock, and nothing else.
var setnxLayout = layout{
	info: SchemeInfo{
		Name: SchemeSetNX, Systems: "SETNX without EXPIRE; redis-py, Laravel and Spring's cache lock without a timeout",
		RecognisedBy: "string without a TTL, at most 128 bytes, no data; the name says lock",
		Shows:        "the value as the holder; always stuck until somebody deletes it",
	},
	recognise: recogniseSetNX,
}

func recogniseSetNX(l look) (recognition, bool) {
	r := l.record
	if r.Type != keyspace.TypeString || !r.ExpiresAt.IsZero() || l.shape == shapeData || !namesLock(l) {
		return recognition{}, false
	}
	found := recognition{scheme: SchemeSetNX, held: true, clues: cluesOf(l, SchemeSetNX)}
	found.holder = Holder{Owner: r.Value.Text, Label: labelOf(r.Value.Text)}
	return found, true
}

// namesLock says whether the name is evidence enough for this value. What nobody writes but to be unique needs less: a
// number under "lock:count" is a counter, a UUID under "lock:reports" is a token.
func namesLock(l look) bool {
	switch {
	case l.name.library != "":
		return l.shape != shapeFloat && l.shape != shapeData
	case l.name.word == "" || l.name.trap:
		return false
	case l.shape.random():
		return !l.name.secret
	case l.name.vague && l.shape != shapeText:
		return false // permits of a semaphore, a switch
	case l.name.vague:
		return !l.record.ExpiresAt.IsZero() && !l.name.aboutAny
	case l.shape == shapeFloat:
		return false
	case l.shape == shapeInteger:
		return !l.name.aboutAny
	}
	return !l.name.about
}
