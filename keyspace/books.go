package keyspace

import (
	"hash/maphash"
	"maps"
	"slices"
	"time"
)

// books is what a feed remembers of the keys that it knows. A key that is followed takes an entry (about 200 bytes, with
// its deadline); of any other key that matches a pattern only its hash is kept, since there may be millions of them.
type books struct {
	followed  map[string]*entry
	others    map[uint64]other
	denied    int    // keys that may not be read
	deniedWhy string // the last answer to one
	deadlines deadlines
	attention attention
	silence   silence
	later     map[string]struct{} // others that a hint named too soon after their last read
	nextLater time.Time
	seed      maphash.Seed
	// mostFollowed and mostOthers are how many there ever were when a pass began or ended: see shrunk.
	mostFollowed, mostOthers int
}

// shrink gives back what many keys took that are gone.
func (b *books) shrink() {
	b.followed = shrunk(b.followed, &b.mostFollowed)
	b.others = shrunk(b.others, &b.mostOthers)
	if cap(b.deadlines) > shrinkFrom && len(b.deadlines) < cap(b.deadlines)/4 {
		b.deadlines = slices.Clone(b.deadlines)
	}
}

// shrinkFrom is how large something must have been for it to be worth while.
const shrinkFrom = 1024

// shrunk is the map, made anew where most of it is gone: a map never gives back what it took.
func shrunk[K comparable, V any](m map[K]V, most *int) map[K]V {
	*most = max(*most, len(m))
	if *most < shrinkFrom || len(m) > *most/4 {
		return m
	}
	*most = len(m)
	smaller := make(map[K]V, len(m))
	maps.Copy(smaller, m)
	return smaller
}

// entry is a key that is followed.
type entry struct {
	key        string
	expires    int64 // unix milliseconds on the local clock, rounded up; 0: never
	fieldEnds  int64 // when the first of its fields expires, as expires; 0: never
	companion  int64 // when the first of its companions expires, in strict mode; 0: never
	queued     int64 // when deadlines holds it for; 0: it does not
	place      int32 // where in deadlines
	pause      int32 // milliseconds: how long to wait before it is nudged again
	readAt     int64 // unix milliseconds
	digest     uint64
	generation uint64
	// listened and blocked say that its waiters are clients that listen, or that are blocked: see attention.
	// Shared: they listen on a channel that belongs to other keys as well.
	listened, shared, blocked bool
	// lists and sets say that the key or one beside it is such, strangers that something is beside it of which nothing is heard: see
	// silence.
	lists, sets, strangers bool
	// denied says that this user may not read it any more. It is followed all the same: the consumer knows it as it was.
	denied bool
}

// ends is when the key or a field of it expires, as expires.
func (e *entry) ends() int64 {
	if e.expires == 0 || e.fieldEnds != 0 && e.fieldEnds < e.expires {
		return e.fieldEnds
	}
	return e.expires
}

// other is a key that is not followed.
type other struct {
	readAt     int64 // unix milliseconds
	generation uint64
	// pause is how long to wait before it is read again, in milliseconds: it grows with every read that hints cause in vain.
	pause int32
	// denied says that this user may not read it.
	denied bool
}

// dropOther forgets a key that was not followed.
func (f *feed) dropOther(hash uint64) {
	if f.others[hash].denied {
		f.denied--
	}
	delete(f.others, hash)
}

// A key that is not followed may become a lock with its next write, and it may be a counter that is written a thousand times
// a second. So the first hints cause a read soon, and further ones ever more seldom.
const (
	pauseFirst = 250   // milliseconds
	pauseLast  = 10000 // milliseconds
	laterEvery = 100 * time.Millisecond
	maxLater   = 50_000
)

func newBooks() books {
	return books{
		followed: make(map[string]*entry), others: make(map[uint64]other), later: make(map[string]struct{}),
		seed: maphash.MakeSeed(),
	}
}

func (b *books) hash(key string) uint64 { return maphash.String(b.seed, key) }

// known says whether the last record of the key told that it was there.
func (b *books) known(key string) bool {
	_, other := b.others[b.hash(key)]
	return other || b.followed[key] != nil
}

func (b *books) unfollow(key string) {
	if e := b.followed[key]; e != nil {
		b.deadlines.remove(e)
		b.attention.forgets(e)
		b.silence.forgets(e)
		b.deny(&e.denied, false)
		delete(b.followed, key)
	}
}

// deny notes whether a key may not be read, and counts those.
func (b *books) deny(was *bool, is bool) {
	switch {
	case is && !*was:
		b.denied++
	case *was && !is:
		b.denied--
	}
	*was = is
}

// source says why a record was read.
type source int

const (
	asked   source = iota // by a hint, a deadline, a poll: a change is no surprise
	hurried               // by a pass after a gap: neither
	unasked               // by a pass or a verification, while events are expected to tell of every change
)

// learn takes records into the books and hands them on.
func (f *feed) learn(records []Record, why source) {
	if f.options.others != nil {
		records = f.ours(records)
	}
	f.out.addRecords(records, f.known) // by the books as the consumer knows them
	for i := range records {
		f.learnOne(&records[i], why)
	}
	f.herald.progress()
}

func (f *feed) learnOne(r *Record, why source) {
	e := f.followed[r.Key]
	digest := f.digest(r)
	if why == unasked && f.surprising(r, e, digest) {
		f.doubts.unannounced(r.Key)
	}
	switch {
	case r.Exists() && (f.options.Follow(*r) || e != nil && f.options.Keep(*r)):
		f.dropOther(f.hash(r.Key))
	case r.Type == TypeDenied && e != nil:
		e.readAt, e.generation = r.ReadAt.UnixMilli(), f.passes
		f.deny(&e.denied, true)
		f.deniedWhy = r.Denied()
		return
	case r.Exists(), r.Type == TypeDenied:
		f.unfollow(r.Key)
		f.learnOther(r)
		return
	default:
		if e != nil && r.Type == TypeNone {
			f.attention.goes(e, r.ReadAt)
		}
		f.unfollow(r.Key)
		f.dropOther(f.hash(r.Key))
		return
	}
	delete(f.attention.gone, r.Key)
	if e == nil {
		e = &entry{key: r.Key}
		f.followed[r.Key] = e
	}
	e.readAt, e.digest, e.generation, e.expires, e.companion = r.ReadAt.UnixMilli(), digest, f.passes, 0, 0
	f.deny(&e.denied, false)
	f.attention.attends(e, *r, f.ownersOf)
	f.silence.notes(e, r, f.matcher.match)
	if !r.ExpiresAt.IsZero() {
		e.expires = r.ExpiresAt.UnixMilli() + 1
	}
	e.fieldEnds = r.firstFieldEnd()
	if f.options.Nudge && e.ends() != 0 {
		f.deadlines.add(e)
	}
	if f.options.Nudge {
		return
	}
	for _, c := range r.Companions { // strict mode reads none of them that is overdue, and they are read together
		if at := c.ExpiresAt.UnixMilli() + 1; !c.ExpiresAt.IsZero() && (e.companion == 0 || at < e.companion) {
			e.companion = at
		}
	}
}

// surprising says whether a record differs from what was known although a hint should have told of it.
func (f *feed) surprising(r *Record, e *entry, digest uint64) bool {
	if _, pending := f.dirty[r.Key]; pending || !r.Type.announced() {
		return false
	}
	if e == nil {
		_, known := f.others[f.hash(r.Key)]
		return !known && r.Exists()
	}
	readAt := r.ReadAt.UnixMilli()
	ranOut := !r.Exists() && e.expires != 0 && e.expires <= readAt || // the server may tell of it much later
		e.fieldEnds != 0 && e.fieldEnds <= readAt // a field is hidden at once, and removed later
	return e.digest != digest && !ranOut
}

func (f *feed) learnOther(r *Record) {
	hash := f.hash(r.Key)
	o := f.others[hash]
	o.readAt, o.generation = r.ReadAt.UnixMilli(), f.passes
	o.pause = min(max(2*o.pause, pauseFirst), pauseLast)
	f.deny(&o.denied, r.Type == TypeDenied)
	if o.denied {
		f.deniedWhy = r.Denied()
	}
	f.others[hash] = o
}

// digest is a hash of a record's state, to tell whether it changed. The expiry is left out: the clock's offset moves it. So is
// the size of what changes without an event.
func (f *feed) digest(r *Record) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	_, _ = h.WriteString(string(r.Type)) // a maphash never fails
	_, _ = h.WriteString(r.Value.Text)
	for _, field := range r.Value.Fields {
		_, _ = h.WriteString(field.Name)
		_ = h.WriteByte(0)
		_, _ = h.WriteString(field.Value)
		_ = h.WriteByte(0)
	}
	if r.Type.announced() {
		maphash.WriteComparable(&h, r.Size)
	}
	return h.Sum64()
}

// takeMail moves what the listener left into our own books, and hands the hints on before any record that answers them.
func (f *feed) takeMail() {
	m := f.mail.take()
	now := time.Now()
	kept := m.hints[:0]
	for _, h := range m.hints {
		f.companionHint(h.Key, now)
		if !f.matcher.match(h.Key) {
			continue // a companion that no pattern names: it is never read by itself
		}
		if f.worthReading(h.Key, h.Event, now) {
			f.dirty[h.Key] = struct{}{}
			kept = append(kept, h)
		}
		f.doubts.announced(h.Key, now)
		delete(m.dirty, h.Key)
	}
	f.out.addHints(kept)
	for _, h := range m.announced {
		if f.followed[h.Key] != nil {
			f.dirty[h.Key] = struct{}{}
		}
	}
	f.out.addAnnouncements(m.announced)
	for key := range m.dirty { // those whose hints did not fit
		f.companionHint(key, now)
		if f.matcher.match(key) && f.worthReading(key, "", now) {
			f.dirty[key] = struct{}{}
		}
	}
	for key := range m.forced {
		f.dirty[key] = struct{}{}
	}
	for key := range m.adopted {
		f.adopt(key)
	}
	for key := range m.related {
		if f.followed[key] != nil {
			f.dirty[key] = struct{}{}
		}
	}
	if m.owned != nil {
		f.handOver(m.owned)
	}
	for key := range m.changed {
		f.doubts.suspect(key, now)
	}
	f.unheard = m.down != ""
	if m.gap != "" {
		f.gap(m.gap, m.gapAt)
	}
	if m.renewed != "" {
		f.startOver(m.renewed)
	}
	if f.options.Notify == NotifyOff || f.options.Once {
		return
	}
	f.status.Feed, f.status.FeedReason = m.hearing, m.why
	if m.down != "" {
		f.status.Feed, f.status.FeedReason = FeedPoll, m.down
	}
}

// worthReading says whether a hint must be answered by a read, and notes those that are answered later.
func (f *feed) worthReading(key, event string, now time.Time) bool {
	if e := f.followed[key]; e != nil {
		if !f.options.Nudge {
			e.expires, e.companion = 0, 0 // somebody touched it: it is not overdue until a read says so
		}
		return true
	}
	hash := f.hash(key)
	o, known := f.others[hash]
	if !known {
		return true
	}
	switch event {
	case "new", "rename_to", "copy_to", "move_to", "restore", "overwritten", "type_changed": // it is another key now
		f.dropOther(hash)
		return true
	case "del", "expired", "evicted", "rename_from", "move_from": // and nobody had been told of it as one to follow
		f.dropOther(hash)
		return false
	}
	if now.UnixMilli()-o.readAt >= int64(o.pause) {
		return true
	}
	if len(f.later) < maxLater {
		f.later[key] = struct{}{}
	}
	return false
}

// takeLater moves what has waited long enough to the dirty keys.
func (f *feed) takeLater(now time.Time) {
	if len(f.later) == 0 || now.Before(f.nextLater) {
		return
	}
	f.nextLater = now.Add(laterEvery)
	for key := range f.later {
		o, known := f.others[f.hash(key)]
		if known && now.UnixMilli()-o.readAt < int64(o.pause) {
			continue
		}
		delete(f.later, key)
		if known {
			f.dirty[key] = struct{}{}
		}
	}
}
