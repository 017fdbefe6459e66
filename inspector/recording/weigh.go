package recording

import (
	"errors"
	"reflect"
	"unsafe"

	"locktop/inspector"
)

// A few bytes of a recording may stand for much memory: "{}," for a companion, or for a client. What is kept of a recording is
// therefore bounded by its size in memory.
const (
	maxList    = 100_000 // elements of one list of a lock, such as its holders
	maxObjects = 250_000 // of one line, before it is parsed; a line that we write has a megabyte
)

// maxMemory bounds the bytes that all of a snapshot takes; tests set it.
var maxMemory int64 = 1 << 30

var errMemory = errors.New("to show it would take more than 1 GB of memory")

// weigh is about how much memory a value takes, with all that it points to.
func weigh(value any) int64 {
	v := reflect.ValueOf(value)
	return int64(v.Type().Size()) + beneath(v)
}

// weighLock is weigh of a lock. Its history, which may be long, is not looked at by reflection.
func weighLock(l *inspector.Lock) int64 {
	n := int64(0)
	for i := range l.History {
		h := &l.History[i]
		n += int64(unsafe.Sizeof(*h)) + int64(len(h.Owner)+len(h.Label)+len(h.Cause))
		if h.Lost != nil {
			n += weigh(h.Lost)
		}
	}
	rest := *l
	rest.History = nil
	return n + weigh(&rest)
}

// beneath is what a value points to, without the value itself.
func beneath(v reflect.Value) int64 {
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Pointer:
		if v.IsNil() {
			return 0
		}
		return int64(v.Elem().Type().Size()) + beneath(v.Elem())
	case reflect.Slice:
		n := int64(v.Len()) * int64(v.Type().Elem().Size())
		if flat(v.Type().Elem()) {
			return n
		}
		for i := range v.Len() {
			n += beneath(v.Index(i))
		}
		return n
	case reflect.Map:
		n := int64(0)
		for each := v.MapRange(); each.Next(); {
			n += int64(v.Type().Key().Size()+v.Type().Elem().Size()) + beneath(each.Key()) + beneath(each.Value())
		}
		return n
	case reflect.Struct:
		n := int64(0)
		for i := range v.NumField() {
			if !flat(v.Field(i).Type()) {
				n += beneath(v.Field(i))
			}
		}
		return n
	default:
		return 0
	}
}

// flat says whether values of a type point to nothing.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return true
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		return t.PkgPath() == "time" // the location is everybody's
	default:
		return false
	}
}

// tooLong says whether a lock has a list that is longer than any lock's.
func (line *lockLine) tooLong() bool {
	longest := len(line.Now.Holders)
	for i := range line.Now.Holders {
		if p := line.Now.Holders[i].Presence; p != nil {
			longest = max(longest, len(p.Clients))
		}
	}
	if w := line.What; w != nil {
		longest = max(longest, len(w.Evidence), len(w.Libraries), len(w.Companions))
	}
	if line.Votes != nil {
		longest = max(longest, len(line.Votes.Votes))
	}
	if line.Findings != nil {
		longest = max(longest, len(*line.Findings))
	}
	if line.Past != nil {
		longest = max(longest, len(line.Past.Holds)+line.Past.Keep)
	}
	if line.Sample != nil {
		longest = max(longest, len(line.Sample.Clients), len(line.Sample.Nodes))
	}
	return longest > maxList
}
