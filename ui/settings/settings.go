// Package settings is what stays from one run to the next: the configuration, which people write, with a profile for each
// Redis that they look at; and the views that the dashboard was told to keep.
//
// A configuration is read as a whole before anything is done with it, and every mistake in it is told with its line, why it is
// one, and what mends it. No secret has a place in it: a password comes from the environment, or from a program that a profile
// names. What the program knows to have a setting (its flags, its keys) is handed in, so that this room knows no commands.
//
// It has no goroutines and keeps nothing in memory: every call reads or writes a file. [File.Password] alone may take long, for the
// program that it runs may ask somebody; it ends with its context. A file of views is replaced as a whole, so that nobody reads half
// of one; of two dashboards that keep theirs at the same moment, the later one counts.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/adrg/xdg"

	"locktop/inspector"
)

// Vocabulary is what the program has a setting for.
type Vocabulary struct {
	// Flags are those that a file may set, by their names.
	Flags map[string]Flag
	// Together says what is wrong with values that exclude each other; nil: nothing.
	Together func(values []Value) error
	// Bindings are the names of the dashboard's keys. CheckKeys says what is wrong with other keys for some of them.
	Bindings  []string
	CheckKeys func(keys map[string][]string) map[string]error
}

// Flag is what a file may set, by its name.
type Flag struct {
	// Place: it says where a server is and who we are there, which a profile alone does. Its values are not repeated in mistakes.
	Place bool
	// List: it takes several values.
	List bool
	// Kind is what the value must be.
	Kind Kind
	// Check says what is wrong with values of the right kind; nil: nothing.
	Check func(values []string) error
}

// Kind is what a value must be.
type Kind int

// The kinds. A word that may stand for a switch, as of --read-only, can be true or false as well.
const (
	Text Kind = iota
	TextOrSwitch
	Switch
	Whole
	Number
	Span
)

// production is the environment in which destructive actions have to be confirmed by a name.
const production = "production"

// File is a configuration without a mistake.
type File struct {
	Path string
	// Chosen is the profile that is used where nobody names another; empty: none.
	Chosen string
	// Defaults are for every profile, and for where there is none; its name is empty.
	Defaults *Profile
	Profiles map[string]*Profile
	// Exposed says who else can write to the file; nil: nobody. A password command is not run then.
	Exposed error
}

// Profile is what is set for one Redis.
type Profile struct {
	Name        string
	Environment string
	// Values are what flags are set to, in the order of the file.
	Values []Value
	// PasswordCommand is a program with its arguments, of which the first line that it prints is the password; nil: none.
	PasswordCommand []string
	Thresholds      inspector.Thresholds
	// Keys are other keys for the dashboard's bindings, by their names.
	Keys map[string][]string

	line int
	// lines are those of tables below it, such as "keys.release", and of the other settings.
	lines map[string]int
}

// Value is what a flag is set to.
type Value struct {
	Flag string
	List []string
	Line int
}

// Production says whether destructive actions have to be confirmed by a name. No profile is none of production.
func (p *Profile) Production() bool { return p != nil && p.Environment == production }

// Of is what is set for a flag; nil: nothing. No profile sets any.
func (p *Profile) Of(flag string) *Value {
	if p == nil {
		return nil
	}
	for i := range p.Values {
		if p.Values[i].Flag == flag {
			return &p.Values[i]
		}
	}
	return nil
}

// Names are the profiles in the order of the alphabet.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.Profiles)) }

// Use is the profile of a name with all that the defaults set besides; an empty name stands for the defaults alone.
func (f *File) Use(name string) (*Profile, error) {
	used := *f.Defaults
	if name == "" {
		return &used, nil
	}
	p := f.Profiles[name]
	if p == nil {
		return nil, fmt.Errorf("%s: there is no profile %s", f.Path, offered(name, f.Names()))
	}
	used.Name, used.Environment, used.PasswordCommand = p.Name, p.Environment, p.PasswordCommand
	used.Values = slices.Clone(p.Values)
	for _, v := range f.Defaults.Values {
		if p.Of(v.Flag) == nil {
			used.Values = append(used.Values, v)
		}
	}
	used.Thresholds = merged(f.Defaults.Thresholds, p.Thresholds)
	used.Keys = maps.Clone(f.Defaults.Keys)
	if used.Keys == nil {
		used.Keys = map[string][]string{}
	}
	maps.Copy(used.Keys, p.Keys)
	return &used, nil
}

// fileName is where a configuration is in the directories that XDG names.
var fileName = filepath.Join("locktop", "config.toml")

// Find is the configuration of this user or else of this machine; false: there is none, and the path is where it would be.
func Find() (path string, found bool) {
	path, err := xdg.SearchConfigFile(fileName)
	if err != nil {
		return filepath.Join(xdg.ConfigHome, fileName), false
	}
	return path, true
}

// Read reads a configuration. What is wrong with it is told as [Mistakes].
func Read(path string, v Vocabulary) (*File, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no configuration %s", path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	f, mistakes := parse(path, string(raw), v)
	if len(mistakes) > 0 {
		return nil, &Mistakes{Path: path, List: mistakes}
	}
	f.Exposed = exposed(path)
	return f, nil
}
