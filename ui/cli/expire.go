package cli

import (
	"time"

	"github.com/spf13/cobra"

	"locktop/actions"
)

// newExpire ends a lock by force.
func (a *app) newExpire() *cobra.Command {
	var (
		c  acting
		in time.Duration
	)
	cmd := &cobra.Command{
		Use:   "expire KEY --holder OWNER [--in 5s] [flags]",
		Short: "end a lock by force, now or in some seconds",
		Long: `Expire ends a lock by force, without its holder's leave: for a stuck one, or one that is renewed for ever. --holder says
who is meant, so that it never hits the next one. With --in the holder has that long to notice; that never lengthens a
lease: where one ends sooner already, it refuses (exit code 3). It does not stop the holder: two may be inside for a while.` + actionNote,
		Example: `  locktop expire lock:invoice:7731 --holder worker-7 --in 5s
  locktop expire lock:invoice:7731 --holder worker-7 --yes
  locktop expire --from lock.json --in 5s --yes`,
		Args: keyOrFrom,
		RunE: func(cmd *cobra.Command, args []string) error {
			if in < 0 || in > 0 && in < time.Millisecond {
				return usage("--in %v: give 1ms or more, or leave it out for now", in)
			}
			return a.act(cmd, &c, args, actions.Request{Verb: actions.VerbForceExpire, TTL: in}, anyLock)
		},
	}
	cmd.Flags().DurationVar(&in, "in", 0, "let it end after this long; 0: now")
	c.add(cmd)
	c.addConfirm(cmd)
	return cmd
}
