package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/ui/settings"
	"locktop/ui/tui"
)

// secretSettings are flags that no file may set.
var secretSettings = []string{"pass", "sentinel-pass"}

// configurable says whether a file may set a flag: it says where to look, how, or how to draw.
func configurable(f *pflag.Flag) bool {
	group := groupOf(f)
	return (group == groupConnection || group == groupObserving || group == groupDashboard) && !slices.Contains(secretSettings, f.Name)
}

// vocabulary is what a configuration may set: every such flag of every command, by its name, and the keys of the dashboard.
func vocabulary() settings.Vocabulary {
	v := settings.Vocabulary{Flags: map[string]settings.Flag{}, Together: tryTogether, Bindings: tui.BindingNames(), CheckKeys: tui.CheckKeys}
	root := new(app).newRoot()
	for _, cmd := range append([]*cobra.Command{root}, root.Commands()...) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if _, known := v.Flags[f.Name]; known || !configurable(f) {
				return
			}
			_, list := f.Value.(pflag.SliceValue)
			v.Flags[f.Name] = settings.Flag{
				Place: groupOf(f) == groupConnection, List: list, Kind: kindOfFlag(f),
				Check: func(values []string) error { return tryFlag(cmd.Name(), f.Name, values) },
			}
		})
	}
	return v
}

// kindOfFlag is what a flag's value must be.
func kindOfFlag(f *pflag.Flag) settings.Kind {
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return settings.Switch
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return settings.Whole
	case strings.HasPrefix(kind, "float"):
		return settings.Number
	case kind == "duration":
		return settings.Span
	case f.NoOptDefVal != "":
		return settings.TextOrSwitch
	default:
		return settings.Text
	}
}

// tryFlag says what is wrong with values of a flag, by trying them on a program that is not run: it knows all that a command line
// would be refused for.
func tryFlag(verb, name string, values []string) error {
	trial := new(app)
	root := trial.newRoot()
	cmd := root
	for _, c := range root.Commands() {
		if c.Name() == verb {
			cmd = c
		}
	}
	for _, value := range values {
		if err := cmd.Flags().Lookup(name).Value.Set(value); err != nil {
			return plainly(err)
		}
	}
	if err := trial.judge(); err != nil {
		said := err.Error()
		if _, why, found := strings.Cut(said, ": "); found && strings.HasPrefix(said, "--"+name) {
			said = why
		}
		return errors.New(said)
	}
	return nil
}

// tryTogether says which values of the program's flags exclude each other.
func tryTogether(values []settings.Value) error {
	trial := new(app)
	root := trial.newRoot()
	for _, v := range values {
		f := root.Flags().Lookup(v.Flag)
		if f == nil {
			continue // of another verb
		}
		for _, value := range v.List {
			if err := f.Value.Set(value); err != nil {
				return plainly(err)
			}
		}
	}
	return trial.judge()
}

// plainly is what a flag says of a value, without the words of Go's library.
func plainly(err error) error {
	switch said := err.Error(); {
	case strings.HasPrefix(said, "strconv."):
		return errors.New("not a number in range")
	case strings.HasPrefix(said, "time: "):
		return errors.New("not a time, such as 30s")
	default:
		return err
	}
}
