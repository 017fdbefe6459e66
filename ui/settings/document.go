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

// entry is one name of a table. Of a table below it only sub is set; of a list, elements are the lines of what is in it.
type entry struct {
	name     string
	line     int
	value    any
	sub      *table
	elements []int
}

// lineOf is the line of an element of a list, or of the one value that there is.
func (e entry) lineOf(i int) int {
	if i < len(e.elements) {
		return e.elements[i]
	}
	return e.line
}

// decode reads TOML. The mistake is what cannot be read at all.
func decode(raw string) (*table, *Mistake) {
	var top map[string]toml.Primitive
	meta, err := toml.Decode(raw, &top)
	if err != nil {
		return nil, unreadable(raw, err)
	}
	d := document{meta: &meta, raw: raw}
	t := d.table(nil, top)
	return t, d.mistake
}

// document is what a table is made from.
type document struct {
	meta    *toml.MetaData
	raw     string
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
	where := d.position(value)
	e := entry{name: at[len(at)-1], line: where.Line}
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
	if _, isList := e.value.([]any); isList && where.Start > 0 && d.raw[where.Start-1] == '[' { // the decoder names what follows the bracket
		e.elements = elements(d.raw[where.Start-1:], e.line)
	}
	return e
}

// errProbe is what a probe says of every value: the decoder adds where that is.
var errProbe = errors.New("a probe")

type probe struct{}

// UnmarshalTOML implements [toml.Unmarshaler].
func (*probe) UnmarshalTOML(any) error { return errProbe }

// position is where a value stands; of line 0: it has no place of its own.
func (d *document) position(value toml.Primitive) toml.Position {
	var where toml.ParseError
	_ = errors.As(d.meta.PrimitiveDecode(value, &probe{}), &where) // it is zero where there is none
	return where.Position
}

// elements are the lines on which the elements of a list begin. The text begins with the list's bracket, and is known to be TOML.
func elements(raw string, line int) []int {
	var lines []int
	depth, fresh, quote := 0, false, byte(0)
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '\n':
			line++
			if quote == '#' {
				quote = 0
			}
			continue
		case quote == '"' && c == '\\':
			i++
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == ' ', c == '\t', c == '\r':
			continue
		case c == '#':
			quote = c
			continue
		case c == ',':
			fresh = depth == 1
			continue
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return lines
			}
			continue
		}
		if fresh {
			lines, fresh = append(lines, line), false
		}
		switch c {
		case '[', '{':
			depth++
			fresh = depth == 1
		case '"', '\'':
			quote = c
		}
	}
	return lines
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
