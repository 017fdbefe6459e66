package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// newCompletion prints the shell's completion script.
func (a *app) newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "print a completion script for a shell",
		Long:      "Completion prints a script that lets a shell complete verbs, flags and their values.",
		Example:   "  source <(locktop completion bash)\n  locktop completion zsh > \"${fpath[1]}/_locktop\"\n  locktop completion fish | source",
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("name one shell: bash, zsh, fish or powershell")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			default:
				return usage("there is no completion for %q: name bash, zsh, fish or powershell", args[0])
			}
		},
	}
}
