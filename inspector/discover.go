package inspector

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"locktop/keyspace"
)

// Discovery judges all keys of a database by their bytes, for locks whose names say nothing: a Redisson lock is called as its
// owner likes. It is fed with [Discovery.Take], then with [Discovery.Again], and asked with [Discovery.Proposals]. It keeps what it
// counts by the form of a key's name, and so is bounded. It is for one goroutine.
type Discovery struct {
	rules   Rules
	covered []keyspace.Pattern
	// Keys counts the keys that were judged, and Known those locks that the patterns in use name already.
	Keys, Known int
	forms       map[string]*form
	pending     map[string]*sighting
}

// Bounds of what a Discovery keeps.
const (
	maxForms     = 20_000
	maxSightings = 2_000
)

// Confidence is how sure a proposal is.
type Confidence string

// The grades of confidence.
const (
	ConfidenceCertain Confidence = "certain" // the bytes are those of one library, or a lease was renewed while we looked
	ConfidenceLikely  Confidence = "likely"  // a random value with a short TTL, which something else may have too
)

// Proposal is a pattern that names locks which no pattern in use does.
type Proposal struct {
	Pattern keyspace.Pattern
	// Locks of Keys look like locks: of those that the pattern names.
	Locks, Keys int
	Schemes     []Scheme
	Confidence  Confidence
	// Evidence says why, by the example of one key.
	Evidence []string
	Example  string
	// Renewed counts those whose lease was renewed while we looked.
	Renewed int
}

// form is what is counted of all keys whose names have the same form.
type form struct {
	keys, locks, certain, renewed int
	schemes                       map[Scheme]int
	example                       string
	evidence                      []string
}

// sighting is a key that is looked at twice.
type sighting struct {
	form    *form
	value   string
	expires time.Time
}

// NewDiscovery judges by these rules, and passes over what these patterns name.
func NewDiscovery(rules Rules, covered []keyspace.Pattern) *Discovery {
	return &Discovery{rules: rules, covered: covered, forms: make(map[string]*form), pending: make(map[string]*sighting)}
}

// Take judges one record.
func (d *Discovery) Take(r keyspace.Record) {
	if !r.Exists() {
		return
	}
	d.Keys++
	found, is := d.rules.recognise(r, r.ReadAt)
	is = is && found.held()
	if slices.ContainsFunc(d.covered, func(p keyspace.Pattern) bool { return p.Match(r.Key) }) {
		if is {
			d.Known++
		}
		return
	}
	name := formOf(r.Key)
	f := d.forms[name]
	if f == nil {
		if len(d.forms) >= maxForms {
			return
		}
		f = &form{schemes: make(map[Scheme]int)}
		d.forms[name] = f
	}
	f.keys++
	certain := is && found.certain()
	if !is || !certain && !shortLease(r) {
		return
	}
	f.locks++
	f.schemes[found.scheme]++
	if certain {
		f.certain++
	}
	if f.example == "" || certain && f.certain == 1 {
		f.example, f.evidence = r.Key, found.evidence
	}
	if !certain && r.Type == keyspace.TypeString && len(d.pending) < maxSightings {
		d.pending[r.Key] = &sighting{form: f, value: r.Value.Text, expires: r.ExpiresAt}
	}
}

// certain says whether the bytes alone prove a lock.
func (r recognition) certain() bool {
	return r.scheme != SchemeToken && r.scheme != SchemeSetNX && r.scheme != SchemeReentrant && r.scheme != SchemeUnknown
}

// shortLease says whether a key lives as long as locks do: sessions and idempotency keys live longer.
func shortLease(r keyspace.Record) bool {
	return !r.ExpiresAt.IsZero() && r.ExpiresAt.Sub(r.ReadAt) <= nameless
}

// Doubtful are the keys that a second look, some seconds later, may make sure: a lease that was renewed is a lock's.
func (d *Discovery) Doubtful() []string {
	keys := make([]string, 0, len(d.pending))
	for key := range d.pending {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Again takes the second look at a key.
func (d *Discovery) Again(r keyspace.Record) {
	s := d.pending[r.Key]
	if s == nil {
		return
	}
	delete(d.pending, r.Key)
	if r.Exists() && r.Value.Text == s.value && r.ExpiresAt.Sub(s.expires) > time.Second {
		s.form.renewed++
	}
}

// Proposals are the patterns to use, the surest first.
func (d *Discovery) Proposals() []Proposal {
	merged := d.merge()
	var out []Proposal
	for glob, f := range merged {
		sure := f.certain > 0 || f.renewed > 0
		if f.locks == 0 || !sure && 2*f.locks < f.keys { // most of these are something else
			continue
		}
		if !namesKeys(keyspace.Pattern{Glob: glob}) {
			continue // see Nameless
		}
		p := Proposal{
			Pattern: keyspace.Pattern{Glob: glob}, Locks: f.locks, Confidence: ConfidenceLikely,
			Evidence: f.evidence, Example: f.example, Renewed: f.renewed,
		}
		if sure {
			p.Confidence = ConfidenceCertain
		}
		for name, other := range merged { // a glob's "*" names separators too
			if p.Pattern.Match(name) {
				p.Keys += other.keys
			}
		}
		p.Keys = max(p.Keys, f.keys)
		for s := range f.schemes {
			p.Schemes = append(p.Schemes, s)
		}
		slices.SortFunc(p.Schemes, func(a, b Scheme) int {
			return cmp.Or(cmp.Compare(f.schemes[b], f.schemes[a]), cmp.Compare(a, b))
		})
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Proposal) int {
		return cmp.Or(cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(b.Locks, a.Locks), cmp.Compare(a.Pattern.Glob, b.Pattern.Glob))
	})
	return out
}

// Nameless are how many locks have names in which nothing is the same but separators, so that no pattern names them but those that
// name everything, and one of their keys.
func (d *Discovery) Nameless() (locks int, example string) {
	for glob, f := range d.merge() {
		if f.locks > 0 && (f.certain > 0 || f.renewed > 0) && !namesKeys(keyspace.Pattern{Glob: glob}) {
			locks += f.locks
			if example == "" || f.example < example {
				example = f.example
			}
		}
	}
	return locks, example
}

// merge makes one form of many that differ in their last word only: "sync:alice", "sync:bob" and so on are "sync:*".
func (d *Discovery) merge() map[string]*form {
	const many = 4
	siblings := make(map[string][]string)
	for name := range d.forms {
		parent, last := splitLast(name)
		if parent != "" && last != "*" {
			siblings[parent] = append(siblings[parent], name)
		}
	}
	merged := make(map[string]*form, len(d.forms))
	for name, f := range d.forms {
		parent, _ := splitLast(name)
		if parent != "" && len(siblings[parent]) >= many {
			name = parent + "*"
		}
		if known := merged[name]; known != nil {
			known.add(f)
			continue
		}
		whole := &form{schemes: make(map[Scheme]int)}
		whole.add(f)
		merged[name] = whole
	}
	return merged
}

func (f *form) add(other *form) {
	f.keys, f.locks = f.keys+other.keys, f.locks+other.locks
	f.renewed += other.renewed
	if f.example == "" || other.example != "" && (other.certain > 0) == (f.certain > 0) && other.example < f.example || f.certain == 0 && other.certain > 0 {
		f.example, f.evidence = other.example, other.evidence
	}
	f.certain += other.certain
	for s, n := range other.schemes {
		f.schemes[s] += n
	}
}

// separators divide the parts of names.
const separators = ":/|"

// splitLast cuts the last part off; the parent keeps its separator.
func splitLast(name string) (parent, last string) {
	i := strings.LastIndexAny(name, separators)
	if i < 0 {
		return "", name
	}
	return name[:i+1], name[i+1:]
}

// formOf is the glob for names of this form: the parts that are numbers or ids become "*".
func formOf(key string) string {
	var b strings.Builder
	for rest := key; ; {
		i := strings.IndexAny(rest, separators)
		part := rest
		if i >= 0 {
			part = rest[:i]
		}
		if isID(part) {
			b.WriteByte('*')
		} else {
			b.WriteString(keyspace.Escape(part))
		}
		if i < 0 {
			return b.String()
		}
		b.WriteByte(rest[i])
		rest = rest[i+1:]
	}
}

// isID says whether a part of a name tells one thing from others of its kind: it has a number in it, or looks drawn.
func isID(part string) bool {
	return part != "" && (strings.ContainsAny(part, "0123456789@") || shapeOf(part).tokenLike() || len(part) > 40 || !isText(part))
}
