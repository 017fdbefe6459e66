package cli

import (
	"time"

	"github.com/spf13/cobra"

	"locktop/actions"
)

// newExtend extends a lease.
func (a *app) newExtend() *cobra.Command {
	var (
		c     acting
		lease time.Duration
	)
	cmd := &cobra.Command{
		Use:   "extend KEY --holder OWNER --ttl 30s [flags]",
		Short: "give a lock's holder more time",
		Long: `Extend sets the lease of a lock anew, from now on, if it is still held by that owner. It never shortens one: where more
time is left it refuses (exit code 3). It also refuses a lock that never ends: locktop expire --in gives it an end. If the
lock's value is the end of its lease, extend changes the value and prints the new one.` + actionNote,
		Example: `  locktop extend orders:checkout --holder 0f4d3a52-6c1e:42 --ttl 5m
  locktop extend lock:nightly --holder worker-7 --ttl 1h --yes -o json
  locktop show lock:nightly -o json | jq -c '.locks[0]' | locktop extend --from - --ttl 1h --yes`,
		Args: keyOrFrom,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !cmd.Flags().Changed("ttl"):
				return usage("--ttl is missing: how long shall the lease be, from now on? (--ttl 30s)")
			case lease < time.Millisecond:
				return usage("--ttl %v: give 1ms or more; locktop expire ends a lock", lease)
			}
			return a.act(cmd, &c, args, actions.Request{Verb: actions.VerbExtend, TTL: lease}, anyLock)
		},
	}
	cmd.Flags().DurationVar(&lease, "ttl", 0, "the new lease, from now on, such as 30s")
	c.add(cmd)
	return cmd
}
