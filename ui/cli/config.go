package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// configFile is the file in the XDG configuration directory that holds defaults: its keys are the names of flags that say how to
// look and how to draw, such as "scheme-rule" and "theme".
const configFile = "locktop/config.toml"

// applyConfig gives the flags that neither the command line nor the environment has set the values of the file. A flag that this
// command does not have is passed over; a key that no command has is a mistake.
func (a *app) applyConfig(cmd *cobra.Command) error {
	path, err := xdg.SearchConfigFile(configFile)
	if err != nil {
		return nil //nolint:nilerr // no file: it need not be there
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failed("reading the configuration: %w", err)
	}
	var values map[string]any
	if err := toml.Unmarshal(raw, &values); err != nil {
		var where toml.ParseError
		if errors.As(err, &where) {
			return usage("%s, line %d: %s", path, where.Position.Line, where.Message)
		}
		return usage("%s: %v", path, err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := a.applySetting(cmd, key, values[key]); err != nil {
			return usage("%s: %v", path, err)
		}
	}
	return nil
}

// demoOwn are the settings that a demo does not take from the file: its locks are its own.
var demoOwn = []string{"pattern", "scheme-rule", "notify", "read-only"}

func (a *app) applySetting(cmd *cobra.Command, key string, value any) error {
	if !slices.Contains(settings(cmd.Root()), key) {
		return fmt.Errorf("there is no setting %q; there are %s", key, strings.Join(settings(cmd.Root()), ", "))
	}
	f := cmd.Flags().Lookup(key)
	if f == nil || f.Changed || cmd.Name() == "demo" && slices.Contains(demoOwn, key) {
		return nil
	}
	list, isList := value.([]any)
	if _, takesList := f.Value.(pflag.SliceValue); isList && !takesList {
		return fmt.Errorf("%s takes one value, not a list", key)
	} else if !isList {
		list = []any{value}
	}
	for _, v := range list {
		switch v.(type) {
		case string, bool, int64, float64:
		default:
			return fmt.Errorf("%s takes no table and no time", key)
		}
		if err := cmd.Flags().Set(key, fmt.Sprint(v)); err != nil {
			return fmt.Errorf("%s: %v is not a value for it%s", key, v, choices(f))
		}
	}
	return nil
}

// settings are the names of the flags that the file may set.
func settings(root *cobra.Command) []string {
	var names []string
	root.Flags().VisitAll(func(f *pflag.Flag) {
		if group := groupOf(f); group == groupObserving || group == groupDashboard {
			names = append(names, f.Name)
		}
	})
	return names
}
