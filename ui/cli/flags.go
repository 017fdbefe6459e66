package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
	"locktop/ui/tui"
)

// The groups under which --help shows flags. Those of the first four are also read from the environment, and those of the first
// three from the configuration.
const (
	groupConnection = "Connection (as redis-cli's)"
	groupObserving  = "Observing"
	groupDashboard  = "Dashboard"
	groupProfile    = "Configuration"
	groupServer     = "A server of yours"
	groupCommand    = "Flags"
)

// groupAnnotation holds a flag's group.
const groupAnnotation = "locktop/group"

// addGroup makes flags in a set of their own and adds them to the command under one heading.
func addGroup(cmd *cobra.Command, group string, define func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(group, pflag.ContinueOnError)
	set.SortFlags = false
	define(set)
	set.VisitAll(func(f *pflag.Flag) {
		f.Annotations = map[string][]string{groupAnnotation: {group}}
	})
	cmd.Flags().AddFlagSet(set)
}

// groupOf is the group of a flag.
func groupOf(f *pflag.Flag) string {
	if group := f.Annotations[groupAnnotation]; len(group) > 0 {
		return group[0]
	}
	return groupCommand
}

// variable is the environment variable that names the same thing as a flag.
func variable(flag string) string {
	return "LOCKTOP_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// applyEnvironment gives the flags that are not on the command line the values of their environment variables. A verb's
// own flags (--yes, --holder, --ttl) have none: what an action does stands on its command line.
func (a *app) applyEnvironment(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, ok := a.lookup(variable(f.Name))
		if err != nil || !ok || value == "" || f.Changed || groupOf(f) == groupCommand || f.Name == "askpass" ||
			groupOf(f) == groupServer && f.Name == "url" || a.hidesEnvironment(f) { // a demo never writes to a server by accident
			return
		}
		a.fromEnv[f.Name] = variable(f.Name)
		if values, isList := f.Value.(pflag.SliceValue); isList {
			list := splitList(value)
			if f.Name == "url" { // there may be a comma in a password, and no blank
				list = strings.Fields(value)
			}
			if replaceErr := values.Replace(list); replaceErr != nil {
				err = usage("%s: %w", variable(f.Name), replaceErr)
			}
			f.Changed = true
			return
		}
		if setErr := cmd.Flags().Set(f.Name, value); setErr != nil {
			err = usage("%s: %q is not a value for --%s%s", variable(f.Name), shownSecretly(f.Name, value), f.Name, choices(f))
		}
	})
	return err
}

// secretFlags are those whose values nobody is to see. The value of --askpass would be a password that was put in the wrong place, and
// that of --port one that was given as to other programs, "-pSECRET".
var secretFlags = []string{"pass", "url", "sentinel-pass", "askpass", "port"}

// shownSecretly is a value for an error message.
func shownSecretly(flag, value string) string {
	if slices.Contains(secretFlags, flag) {
		return "…"
	}
	return value
}

// splitList splits at commas and drops what is empty.
func splitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// onLine says whether a flag was given on the command line itself.
func (a *app) onLine(cmd *cobra.Command, flag string) bool {
	return cmd.Flags().Changed(flag) && a.fromEnv[flag] == "" && !a.fromProfile(flag)
}

// choice is a flag with a few possible values.
type choice struct {
	value   *string
	allowed []string
}

func newChoice(value *string, standard string, allowed ...string) *choice {
	*value = standard
	return &choice{value, allowed}
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }
func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("choose one of %s", strings.Join(c.allowed, ", "))
	}
	*c.value = s
	return nil
}

// choices says what a flag takes, for an error message.
func choices(f *pflag.Flag) string {
	if c, ok := f.Value.(*choice); ok {
		return ": choose one of " + strings.Join(c.allowed, ", ")
	}
	return " (" + f.Value.Type() + ")"
}

// chosen completes the values of a choice in the shell.
func chosen(cmd *cobra.Command, flag string, values ...string) {
	// The only error is that the flag does not exist, or has a completion already: a mistake of ours that tests meet.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// readOnly is --read-only: "off", "on", or "strict".
type readOnly string

const (
	readOnlyOff    readOnly = "off"
	readOnlyOn     readOnly = "on"
	readOnlyStrict readOnly = "strict"
)

func (r *readOnly) String() string { return string(*r) }
func (r *readOnly) Type() string   { return "on|strict|off" }
func (r *readOnly) Set(s string) error {
	switch strings.ToLower(s) {
	case "on", "true", "yes", "1":
		*r = readOnlyOn
	case "off", "false", "no", "0":
		*r = readOnlyOff
	case "strict":
		*r = readOnlyStrict
	default:
		return fmt.Errorf("choose one of on, strict, off")
	}
	return nil
}

// addReadOnly offers --read-only.
func addReadOnly(set *pflag.FlagSet, r *readOnly) {
	*r = readOnlyOff
	set.Var(r, "read-only", "refuse every action; =strict sends not even the EXISTS that makes the server reap an expired lock")
	set.Lookup("read-only").NoOptDefVal = string(readOnlyOn)
}

// observing is what a command that follows locks is told about how.
type observing struct {
	patterns []string
	rules    schemeRules
	notify   string
	poll     time.Duration
	readOnly readOnly
	whose    identity
	// reserved, where set, is the pattern in the place of the defaults: the demo's, on somebody's server.
	reserved   string
	thresholds inspector.Thresholds
}

func (o *observing) add(cmd *cobra.Command) {
	addGroup(cmd, groupObserving, func(set *pflag.FlagSet) {
		o.addPattern(set)
		o.rules.add(set)
		set.Var(newChoice(&o.notify, "auto", "auto", "require", "enable", "off"), "notify",
			"keyspace notifications: use them if the server has them on, fail without them, switch them on until the end, or poll")
		set.DurationVar(&o.poll, "poll", time.Second, "`INTERVAL` between reads where changes are not pushed")
		addReadOnly(set, &o.readOnly)
		o.whose.add(set)
	})
	o.whose.complete(cmd)
	chosen(cmd, "notify", "auto", "require", "enable", "off")
	chosen(cmd, "read-only", "on", "strict", "off")
}

// addPattern offers --pattern.
func (o *observing) addPattern(set *pflag.FlagSet) {
	set.StringArrayVar(&o.patterns, "pattern", nil, "follow the keys that this `GLOB` names, in the place of what people call locks (which \"default\" stands for); repeatable")
}

// defaultPatterns is the word that stands for what locktop looks for by itself, to add to it.
const defaultPatterns = "default"

// check refuses what cannot be meant.
func (o *observing) check() error {
	if o.poll < 10*time.Millisecond {
		return usage("--poll %v is too short: 10ms is the least, 1s the default", o.poll)
	}
	for _, glob := range o.patterns {
		if _, err := keyspace.NewPattern(glob); err != nil {
			return usage("--pattern: %w", err)
		}
	}
	if o.notify == string(keyspace.NotifyEnable) && o.readOnly != readOnlyOff {
		return usage("--notify enable changes the server's configuration, which --read-only forbids: drop one of them")
	}
	return o.whose.check()
}

// globs are the patterns to follow.
func (o *observing) globs() []keyspace.Pattern {
	var out []keyspace.Pattern
	for _, glob := range o.patterns {
		if glob == defaultPatterns {
			out = append(out, inspector.DefaultPatterns()...)
			continue
		}
		out = append(out, keyspace.Pattern{Glob: glob})
	}
	switch {
	case len(out) > 0:
		return out
	case o.reserved != "":
		return []keyspace.Pattern{{Glob: o.reserved}}
	default:
		return inspector.DefaultPatterns()
	}
}

// ruling are the rules, and what the user names by patterns.
func (o *observing) ruling() inspector.Rules {
	var named []keyspace.Pattern
	for _, glob := range o.patterns {
		if glob != defaultPatterns {
			named = append(named, keyspace.Pattern{Glob: glob})
		}
	}
	return o.rules.rules.WithPatterns(named)
}

// options are the same for the observation.
func (o *observing) options() keyspace.ObserveOptions {
	rules := o.ruling()
	return keyspace.ObserveOptions{
		Patterns: o.globs(),
		Notify:   keyspace.Notify(o.notify),
		Poll:     o.poll,
		Clients:  o.whose.on(),
		Nudge:    o.readOnly != readOnlyStrict,
		Follow:   rules.Follow, Keep: rules.Keep, Companions: rules,
	}
}

// screen is how the dashboard draws.
type screen struct {
	theme        string
	ascii, mouse bool
	fps          int
	noSync       bool
	// writeFor is for how long the dashboard may act; zero: always.
	writeFor time.Duration
	probe    string
	record   recordFlags
	// reports is the directory for incident reports; empty: the current one.
	reports string
}

func (s *screen) add(cmd *cobra.Command) {
	s.addLooks(cmd)
	addGroup(cmd, groupDashboard, func(set *pflag.FlagSet) {
		set.Var(newChoice(&s.probe, "ask", "ask", "allow", "off"), "probe",
			"contention probe (P), which costs the server much: ask for it, but never in a production profile; allow it there too; never")
		set.DurationVar(&s.writeFor, "write-for", 0, "actions are possible for `TIME` from the start, such as 10m, and then once more as long when you say so; 0: always")
		s.record.define(set)
	})
	chosen(cmd, "probe", "ask", "allow", "off")
}

// addLooks offers those that a recording is shown with as well.
func (s *screen) addLooks(cmd *cobra.Command) {
	addGroup(cmd, groupDashboard, func(set *pflag.FlagSet) {
		set.Var(newChoice(&s.theme, tui.Themes()[0], tui.Themes()...), "theme",
			"`THEME` to begin with: "+strings.Join(tui.Themes(), ", ")+"; NO_COLOR is heeded too")
		set.BoolVar(&s.ascii, "ascii", false, "draw with nothing but ASCII; by itself where the locale is not UTF-8")
		set.BoolVar(&s.mouse, "mouse", false, "the wheel scrolls, a click selects, on a title sorts; M gives the mouse back")
		set.IntVar(&s.fps, "fps", 30, "most `FRAMES` a second, 1 to 60; fewer for a slow line")
		set.BoolVar(&s.noSync, "no-sync", false, "do not bracket frames in synchronized output (DEC mode 2026)")
		set.StringVar(&s.reports, "report-dir", "", "`DIRECTORY` for incident reports, in the place of the current one")
	})
	chosen(cmd, "theme", tui.Themes()...)
}

// check refuses what cannot be meant.
func (s *screen) check() error {
	if s.fps < 1 || s.fps > 60 {
		return usage("--fps %d: give 1 to 60", s.fps)
	}
	if s.writeFor < 0 || s.writeFor > 0 && s.writeFor < time.Second {
		return usage("--write-for %v: give 1s or more, or 0 for always", s.writeFor)
	}
	if s.reports == "" {
		return nil
	}
	if info, err := os.Stat(s.reports); err != nil || !info.IsDir() { // better said now than in the midst of an incident
		return usage("--report-dir %s: there is no such directory", text.Legible(s.reports))
	}
	return nil
}
