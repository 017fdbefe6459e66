package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"locktop/actions"
	"locktop/ui/text"
)

// addConfirm offers --confirm to a verb that destroys something.
func (c *acting) addConfirm(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.confirmed, "confirm", "", "the `KEY` once more: what a profile of production demands besides --yes")
}

// guardProduction says whether the name of the key must be typed before anything is done, and refuses what comes without it from
// where nobody can be asked. To extend a lease destroys nothing.
func (a *app) guardProduction(cmd *cobra.Command, c *acting, verb actions.Verb, key string) (mustType bool, err error) {
	confirmed := cmd.Flags().Lookup("confirm") != nil && cmd.Flags().Changed("confirm")
	if confirmed {
		again, err := c.about.unquote("--confirm", c.confirmed)
		if err != nil {
			return false, err
		}
		if again != key {
			return false, usage("--confirm names another key than %s: nothing was done", named(key))
		}
	}
	switch {
	case !a.profile.Production(), verb == actions.VerbExtend, c.dryRun, confirmed:
		return false, nil
	case !isTerminal(a.stdin):
		return false, usage("the profile %s is production, where --yes alone is not enough: add --confirm KEY, the key once more, or --dry-run",
			text.Escape(a.profile.Name))
	}
	return true, nil
}

// askForName has the key's name typed, as it is shown or as it is.
func (a *app) askForName(ctx context.Context, r actions.Request) error {
	out, done := a.screen()
	defer done()
	fmt.Fprintf(out, "PRODUCTION (profile %s): type the key's name to %s it: ", text.Escape(a.profile.Name), r.Verb)
	line, err := await(ctx, func() (string, error) { return readLine(a.stdin) })
	if err != nil {
		fmt.Fprintln(out)
		if !errors.Is(err, io.EOF) {
			return failed("%s: %w; nothing was done", r.Verb, err)
		}
	}
	if typed := strings.TrimRight(line, "\r\n"); typed == "" || typed != text.Escape(r.Lock.Key) && typed != r.Lock.Key {
		return failed("nothing was done: what was typed is not the key's name")
	}
	return nil
}
