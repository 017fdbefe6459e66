package settings

import (
	"errors"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// table is a TOML table whose entries know their lines.
type table struct {
	line    int
	entries []entry
}

// entry is one name of a table. Of a table below it only sub is set.
type entry struct {
	name  string
	line  int
	value any
	sub   *table
}

// decode reads TOML. The mistake is what cannot be read at all.
func decode(raw string) (*table, *Mistake) {
	var top map[string]toml.Primitive
	meta, err := toml.Decode(raw, &top)
	if err != nil {
		return nil, unreadable(raw, err)
	}
	d := document{meta: &meta}
	t := d.table(nil, top)
	return t, d.mistake
}

// document is what a table is made from.
type document struct {
	meta    *toml.MetaData
	mistake *Mistake
}

// table makes one of what stands below a key, in the order of the file.
func (d *document) table(at toml.Key, content map[string]toml.Primitive) *table {
	t := &table{}
	seen := map[string]bool{}
	for _, key := range d.meta.Keys() { // a table that is made by what is below it has no key of its own there
		if len(key) <= len(at) || !same(key[:len(at)], at) || seen[key[len(at)]] {
			continue
		}
		name := key[len(at)]
		value, there := content[name]
		if !there {
			continue // in a list of tables, which is not looked into
		}
		seen[name] = true
		t.entries = append(t.entries, d.entry(append(append(toml.Key{}, at...), name), value))
	}
	for _, e := range t.entries {
		if t.line == 0 || e.line < t.line {
			t.line = e.line
		}
	}
	return t
}

func (d *document) entry(at toml.Key, value toml.Primitive) entry {
	e := entry{name: at[len(at)-1], line: d.line(value)}
	var below map[string]toml.Primitive
	if d.meta.PrimitiveDecode(value, &below) == nil && below != nil {
		e.sub = d.table(at, below)
		if e.line == 0 {
			e.line = e.sub.line
		}
		e.sub.line = e.line
		return e
	}
	if err := d.meta.PrimitiveDecode(value, &e.value); err != nil && d.mistake == nil {
		d.mistake = &Mistake{e.line, "it cannot be read: " + err.Error()}
	}
	return e
}

// errProbe is what a probe says of every value: the decoder adds where that is.
var errProbe = errors.New("a probe")

type probe struct{}

// UnmarshalTOML implements [toml.Unmarshaler].
func (*probe) UnmarshalTOML(any) error { return errProbe }

// line is where a value stands; 0: it has no place of its own.
func (d *document) line(value toml.Primitive) int {
	var where toml.ParseError
	if errors.As(d.meta.PrimitiveDecode(value, &probe{}), &where) {
		return where.Position.Line
	}
	return 0
}

func same(a, b toml.Key) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// secretive matches lines in which there may be a secret, so that nothing of them is to be repeated.
var secretive = regexp.MustCompile(`(?i)pass|secret|auth|url|://`)

// unreadable is what the decoder says of a text that is no TOML.
func unreadable(raw string, err error) *Mistake {
	var where toml.ParseError
	if !errors.As(err, &where) {
		return &Mistake{1, "it cannot be read as TOML"}
	}
	line := where.Position.Line
	lines := strings.Split(raw, "\n")
	for _, near := range []int{line - 1, line} { // of a text that does not end the end is found in the next line
		if i := near - 1; i >= 0 && i < len(lines) && secretive.MatchString(lines[i]) {
			return &Mistake{line, "it cannot be read as TOML; write NAME = \"TEXT\", NAME = 1, NAME = true or NAME = [\"TEXT\", \"TEXT\"]"}
		}
	}
	return &Mistake{line, "it cannot be read as TOML: " + strings.ReplaceAll(where.Message, "\n", " ")}
}
