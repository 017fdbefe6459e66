package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// newVersion prints the version.
func (a *app) newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version",
		Example: "  locktop version",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, version())
			return err
		},
	}
}

// version is what the Go toolchain wrote into the program.
func version() string {
	number, commit := "(unknown)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		number = info.Main.Version
		modified := false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value[:min(12, len(s.Value))]
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
		if commit != "" && modified {
			commit += ", modified"
		}
	}
	if number == "" {
		number = "(devel)"
	}
	if commit != "" {
		number += " (" + commit + ")"
	}
	return fmt.Sprintf("locktop %s %s %s/%s", number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
