package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// newCheck says what locktop can and cannot see and do on this server.
func (a *app) newCheck() *cobra.Command {
	var (
		server connecting
		look   observing
		output string
	)
	cmd := &cobra.Command{
		Use:   "check [flags]",
		Short: "say what locktop can and cannot see and do on this server, and what mends it",
		Long: `Check tries what locktop needs, and says what it can and cannot see and do on this server, with the exact command or ACL
line that mends it. It changes nothing.`,
		Example: `  locktop check
  locktop check --user watcher --askpass --pattern 'lock:*'
  locktop check -o json | jq '.checks[] | select(.ok | not)'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := look.check(); err != nil {
				return err
			}
			o, err := a.options(cmd, &server)
			if err != nil {
				return err
			}
			s, err := connect(cmd.Context(), o)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.close()) }()
			return nil
		},
	}
	cmd.Flags().VarP(newChoice(&output, "text", "text", "json"), "output", "o", "form of the output")
	chosen(cmd, "output", "text", "json")
	server.add(cmd)
	look.add(cmd)
	return cmd
}
