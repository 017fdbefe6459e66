package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot is the program: the dashboard, and the verbs under it.
func (a *app) newRoot() *cobra.Command {
	var (
		server connecting
		look   observing
		draw   screen
		span   time.Duration
	)
	root := &cobra.Command{
		Use:   "locktop [flags]",
		Short: "htop for Redis locks",
		Long: `Locktop is htop for Redis locks: every lock, who holds it, how long it has left, which ones are sick, live on one
screen; and it breaks a stuck one without breaking anything else.

Without a verb it opens the dashboard. Where the standard output is no terminal it prints one table and then events.`,
		Example: `  locktop                                  the Redis of REDIS_URL, else 127.0.0.1:6379
  locktop -h prod-cache -p 6380 --askpass  another one, with a password that is asked for
  locktop --read-only --pattern 'job:*'    only look, and only at these keys
  locktop -h any-node                      a cluster is found out: all of its masters
  locktop --sentinel mymaster -h sentinel  the master that sentinels name
  locktop -u redis://m1 -u redis://m2 -u redis://m3
                                           independent masters: a Redlock, one row a lock with its votes
  locktop --profile prod                   what locktop/config.toml says of this one
  locktop demo                             no Redis at hand: see what contention looks like`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownVerb(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(look.check(), draw.check(), checkSpan(span)); err != nil {
				return err
			}
			place, err := a.place(cmd, &server)
			if err != nil {
				return err
			}
			return a.dashboard(cmd.Context(), place, &look, &draw, face{where: shortly(place), span: span})
		},
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	a.judge = func() error { return errors.Join(look.check(), draw.check()) }
	root.PersistentFlags().Bool("help", false, "explain the command")
	root.Flags().SortFlags = false
	addSpan(root, &span)
	server.add(root)
	look.add(root)
	draw.add(root)
	root.SetHelpFunc(a.help)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.newDemo(), a.newList(), a.newWatch(), a.newShow(), a.newReplay(), a.newRelease(), a.newExtend(), a.newExpire(),
		a.newCheck(), a.newCompletion(), a.newVersion())
	for _, c := range root.Commands() {
		a.finish(c)
	}
	root.SetHelpCommand(newHelp())
	a.finish(root)
	return root
}

// finish gives every command what they share: the environment, and usage errors of one line.
func (a *app) finish(cmd *cobra.Command) {
	if cmd.Flags().Lookup("host") != nil && cmd.Flags().Lookup("profile") == nil {
		a.addProfile(cmd)
	}
	cmd.DisableFlagsInUseLine = true
	cmd.Flags().SortFlags = false
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			if coded := (*codedError)(nil); errors.As(err, &coded) {
				return err
			}
			return usage("%s: %w; see %q", cmd.Name(), err, cmd.CommandPath()+" --help")
		}
		return nil
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.chooseProfile(cmd); err != nil {
			return err
		}
		if err := a.applyEnvironment(cmd); err != nil {
			return err
		}
		if err := a.applyConfig(cmd); err != nil {
			return err
		}
		a.chooseAlphabet(cmd)
		return nil
	}
}

// noArguments is for a verb that takes flags only.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case readOnly(args[0]) == readOnlyStrict && cmd.Flags().Changed("read-only"):
		return errReadOnlyWord
	case strings.Contains(args[0], "://"):
		return errURLWord
	default:
		return fmt.Errorf("%q is an argument, and it takes flags only", args[0])
	}
}

// errReadOnlyWord explains what pflag makes of a value that may be left out.
var errReadOnlyWord = errors.New("write --read-only=strict, with the equals sign")

// errURLWord is said where a URL stands alone. It is not quoted, for there may be a password in it.
var errURLWord = errors.New("a URL stands alone: write --url before it")

// unknownVerb names the nearest ones.
func unknownVerb(cmd *cobra.Command, verb string) error {
	if cmd.Flags().Changed("read-only") && readOnly(verb) == readOnlyStrict {
		return usage("%v", errReadOnlyWord)
	}
	if strings.Contains(verb, "://") {
		return usage("%v", errURLWord)
	}
	for _, c := range cmd.Commands() {
		if c.Name() == verb { // after "--"
			return usage("the verb %s comes before what else is there: locktop %s [flags]; see %q", verb, verb, "locktop "+verb+" --help")
		}
	}
	if near := cmd.SuggestionsFor(verb); len(near) > 0 {
		return usage("there is no verb %q; did you mean %s?", verb, strings.Join(near, " or "))
	}
	return usage("there is no verb %q; see %q", verb, "locktop --help")
}

// flagError makes one line of what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	see := fmt.Sprintf("see %q", cmd.CommandPath()+" --help")
	if errors.Is(err, pflag.ErrHelp) {
		return usage("-h is not a flag of %q; %s", cmd.CommandPath(), see)
	}
	text := hushed(err.Error())
	if before, _, found := strings.Cut(text, ": strconv."); found {
		text = before + ": not a number in range"
	}
	if before, _, found := strings.Cut(text, ": time: "); found {
		text = before + ": not a duration, such as 30s"
	}
	if strings.HasSuffix(text, "'h' in -h") {
		text += " (it is the host, as in redis-cli)"
	}
	return usage("%s; %s", text, see)
}

// hushed leaves out of what pflag says the value that may be a password.
func hushed(text string) string {
	if before, _, found := strings.Cut(text, " in -"); found && strings.HasPrefix(text, "unknown shorthand flag: ") && !strings.HasSuffix(text, "'h' in -h") {
		return before
	}
	for _, flag := range secretFlags {
		value, _, found := strings.Cut(text, "--"+flag+"\" flag: ")
		if _, names, _ := strings.Cut(value, "\" for \""); found && strings.HasPrefix(text, "invalid argument ") {
			said := "what is given for \"" + names + "--" + flag + "\" is no value for it"
			if flag == "port" {
				said += ": not a number in range"
			}
			return said
		}
	}
	return text
}

// addSpan offers --for.
func addSpan(cmd *cobra.Command, span *time.Duration) {
	cmd.Flags().DurationVar(span, "for", 0, "end after this long, such as 30s; 0: never")
}

// checkSpan refuses a negative --for.
func checkSpan(span time.Duration) error {
	if span < 0 {
		return usage("--for %v is in the past: give a time such as 30s", span)
	}
	return nil
}

// oneKey is a verb's KEY.
func oneKey(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("which key? It is missing")
	case 1:
		return nil
	default:
		return fmt.Errorf("one key at a time, not %d; quote it if it holds spaces", len(args))
	}
}
