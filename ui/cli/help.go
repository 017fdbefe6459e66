package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// environmentNote ends the help of commands whose flags have variables.
const environmentNote = `Environment: LOCKTOP_HOST, LOCKTOP_PATTERN (comma separated), LOCKTOP_READ_ONLY and so on name the same things as
the flags, but for --askpass and those under "Flags"; REDIS_URL and REDISCLI_AUTH mean what they mean elsewhere. A flag
wins. What neither says comes from the profile in locktop/config.toml (locktop check --config looks at it).`

// exitNote ends the help of the program.
const exitNote = `Exit codes: 0 done; 1 error; 2 usage; 3 refused by a guard; 4 --fail-on found something; 130 interrupted.`

// help writes a command's --help, flags by group.
func (a *app) help(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", strings.TrimSpace(about), cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	helpCommands(w, cmd)
	groups := helpFlags(w, cmd)
	if groups[groupConnection] || groups[groupObserving] {
		fmt.Fprintf(w, "\n%s\n", environmentNote)
	}
	if !cmd.HasParent() {
		fmt.Fprintf(w, "\n%s\n", exitNote)
	}
}

// newHelp is "locktop help VERB".
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "explain a verb, as --help does",
		Example: "  locktop help list",
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				names = append(names, c.Name())
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil, len(rest) > 0 && about == cmd.Root():
				return unknownVerb(cmd.Root(), args[0])
			case len(rest) > 0:
				return usage("help explains one verb at a time, not %d; see %q", len(args), "locktop help "+about.Name())
			}
			return about.Help()
		},
	}
}

func helpCommands(w io.Writer, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	fmt.Fprintf(w, "\nCommands:\n")
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(w, "  %-12s%s\n", c.Name(), c.Short)
		}
	}
}

// helpFlags writes the flags under their groups and says which groups there were.
func helpFlags(w io.Writer, cmd *cobra.Command) map[string]bool {
	seen := map[string]bool{}
	for _, group := range []string{groupCommand, groupServer, groupConnection, groupObserving, groupDashboard, groupProfile} {
		set := pflag.NewFlagSet(group, pflag.ContinueOnError)
		set.SortFlags = false
		add := func(f *pflag.Flag) {
			if groupOf(f) == group && !f.Hidden && set.Lookup(f.Name) == nil {
				set.AddFlag(f)
			}
		}
		cmd.LocalFlags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		if set.HasAvailableFlags() {
			seen[group] = true
			fmt.Fprintf(w, "\n%s:\n%s", group, set.FlagUsagesWrapped(110))
		}
	}
	return seen
}
