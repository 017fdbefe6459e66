package cli

import (
	"github.com/spf13/cobra"

	"locktop/actions"
	"locktop/inspector"
)

// newRelease releases a lock, or entries of it.
func (a *app) newRelease() *cobra.Command {
	var (
		c     acting
		count int64
		all   bool
		plain bool
	)
	cmd := &cobra.Command{
		Use:   "release KEY --holder OWNER [--count N|--all] [flags]",
		Short: "release a lock as its holder would, waking its waiters",
		Long: `Release does what the holder's own release does: it removes the lock, and wakes the waiters where the scheme has a way to.
If a lock was entered several times, it releases --count entries, or --all of them. One of the two is required, unless
--from names the lock: then all listed entries are released.

If the holder's renewal would re-create a deleted key, as with RedLock.net, release leaves a tombstone in its place until
that renewal has found it; until then no client can acquire the lock. --no-tombstone deletes the key instead. A lock that
may come back (aioredlock, redlock-rb, redsync, go-zero, suo) is checked for up to 15 s; exit code 1 if it is back.` + actionNote,
		Example: `  locktop release orders:checkout --holder 0f4d3a52-6c1e:42 --count 1
  locktop release lock:invoice:7731 --holder worker-7 --yes --reason 'INC-123'
  locktop release lock:invoice:7731 --holder worker-7 --dry-run
  locktop list -o json | jq -c '.locks[0]' | locktop release --from - --yes`,
		Args: keyOrFrom,
		RunE: func(cmd *cobra.Command, args []string) error {
			counted := cmd.Flags().Changed("count")
			if counted && all {
				return usage("--count and --all contradict each other: give one of them")
			}
			if counted && count < 1 {
				return usage("--count %d: give 1 or more", count)
			}
			choose := func(_ *inspector.Lock, h inspector.Holder) error {
				if h.Count.Known && h.Count.N > 1 && !counted && !all && c.listed == nil {
					return usage("the holder entered %d times: say --count 1 for one entry, or --all", h.Count.N)
				}
				return nil
			}
			request := actions.Request{Verb: actions.VerbRelease, Entries: count, NoTombstone: plain}
			return a.act(cmd, &c, args, request, choose)
		},
	}
	cmd.Flags().Int64Var(&count, "count", 0, "entries to release")
	cmd.Flags().BoolVar(&all, "all", false, "release all entries")
	cmd.Flags().BoolVar(&plain, "no-tombstone", false,
		"delete the key instead of leaving a tombstone for the holder's renewal")
	c.add(cmd)
	c.addConfirm(cmd)
	return cmd
}

// anyLock is for verbs that need not know how often the holder entered.
func anyLock(*inspector.Lock, inspector.Holder) error { return nil }
