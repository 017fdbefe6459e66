package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/inspector"
	"locktop/ui/settings"
)

// configured is what a command takes from the configuration.
type configured struct {
	running *cobra.Command
	file    *settings.File // nil: there is none
	// profile is what is set, with the defaults of all; nil: there is no configuration. Without a profile its name is empty.
	profile *settings.Profile
	// ownPlace: the profile says where the server is, and nothing before it does.
	ownPlace bool
	// barred: nothing that the profile says of its server is used, for another one was named.
	barred bool
	// password is what the profile's command has printed, which is run once.
	password string
	// fromFile are the flags that the configuration set.
	fromFile map[string]bool
}

// addProfile offers --profile and --config.
func (a *app) addProfile(cmd *cobra.Command) {
	addGroup(cmd, groupProfile, func(set *pflag.FlagSet) {
		set.String("profile", "", "use the profile of this `NAME`; --profile= uses none")
		addConfigFile(set)
	})
	complete := func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		file, err := a.configuration(cmd)
		if err != nil || file == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return file.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("profile", complete); err != nil {
		panic(err) // as in chosen
	}
}

// addConfigFile offers --config.
func addConfigFile(set *pflag.FlagSet) {
	set.String("config", "", "read this `FILE` in the place of locktop/config.toml in the XDG configuration directories")
}

// given is what the command line says, or else the environment.
func (a *app) given(cmd *cobra.Command, flag string) (value string, onLine bool) {
	if f := cmd.Flags().Lookup(flag); f != nil && f.Changed && a.fromEnv[flag] == "" {
		return f.Value.String(), true
	}
	value, _ = a.lookup(variable(flag))
	return value, false
}

// configuration reads the file that is named, or found; nil: there is none.
func (a *app) configuration(cmd *cobra.Command) (*settings.File, error) {
	path, _ := a.given(cmd, "config")
	if path == "" {
		var found bool
		if path, found = settings.Find(); !found {
			return nil, nil
		}
	}
	return settings.Read(path, vocabulary())
}

// chooseProfile reads the configuration and finds the profile. It comes before the environment, for who names a profile on the
// command line names the server that it has, and hides the environment's.
func (a *app) chooseProfile(cmd *cobra.Command) error {
	if cmd.Flags().Lookup("config") == nil || validates(cmd) {
		return nil // it takes nothing from there
	}
	a.configured = configured{running: cmd, fromFile: map[string]bool{}}
	var err error
	if a.file, err = a.configuration(cmd); err != nil {
		return usage("%w", err)
	}
	if cmd.Flags().Lookup("profile") == nil { // a demo has its own server
		if a.file != nil {
			a.profile = a.file.Defaults
		}
		return nil
	}
	name, onLine := a.given(cmd, "profile")
	if a.file == nil {
		if name != "" {
			path, _ := settings.Find()
			return usage("there is no profile %q, for there is no configuration %s; the README says how to write one", name, path)
		}
		return nil
	}
	if name == "" && !onLine {
		name = a.file.Chosen
	}
	if a.profile, err = a.file.Use(name); err != nil {
		return usage("%w", err)
	}
	a.settlePlace(cmd, onLine)
	return nil
}

// settlePlace finds out whether the profile's server is the one that is meant. Another one hides all that the profile says of its
// own, so that no password goes to a server it was not meant for.
func (a *app) settlePlace(cmd *cobra.Command, onLine bool) {
	if cmd.Flags().Lookup(settings.ServerFlags()[0]) == nil {
		return // it asks no server
	}
	other := ""
	for _, flag := range settings.ServerFlags() {
		if other == "" && cmd.Flags().Changed(flag) {
			other = "--" + flag
		}
	}
	if other == "" && (!onLine || !a.profile.HasPlace()) {
		other = a.namedByEnvironment()
	}
	a.ownPlace = other == "" && a.profile.HasPlace()
	a.barred = other != ""
	var unused []string
	for _, v := range a.profile.Values {
		if f := cmd.Flags().Lookup(v.Flag); f != nil && groupOf(f) == groupConnection && !f.Changed {
			unused = append(unused, v.Flag)
		}
	}
	if a.profile.PasswordCommand != nil {
		unused = append(unused, "password-command")
	}
	if !a.barred || len(unused) == 0 {
		return
	}
	slices.Sort(unused)
	stays := ""
	if a.profile.Production() {
		stays = "; that it is production stays in force"
	}
	a.say("the server of the profile %s is not used (%s), for %s names another%s", a.profile.Name, strings.Join(unused, ", "), other, stays)
}

// namedByEnvironment is the variable that names a server; empty: none does.
func (a *app) namedByEnvironment() string {
	for _, name := range append([]string{"REDIS_URL"}, variables(settings.ServerFlags())...) {
		if value, _ := a.lookup(name); value != "" {
			return name
		}
	}
	return ""
}

func variables(flags []string) []string {
	var names []string
	for _, flag := range flags {
		names = append(names, variable(flag))
	}
	return names
}

// hidesEnvironment says whether a variable is for a server that the environment names, while another one is meant.
func (a *app) hidesEnvironment(f *pflag.Flag) bool {
	return a.ownPlace && groupOf(f) == groupConnection && a.namedByEnvironment() != ""
}

// demoOwn are the settings that a demo does not take from the file: its locks are its own.
var demoOwn = []string{"pattern", "scheme-rule", "notify", "read-only"}

// applyConfig gives the flags that neither the command line nor the environment has set the values of the profile. A flag that this
// command does not have is passed over.
func (a *app) applyConfig(cmd *cobra.Command) error {
	if a.profile == nil {
		return nil
	}
	for _, v := range a.profile.Values {
		f := cmd.Flags().Lookup(v.Flag)
		switch {
		case f == nil, f.Changed, !configurable(f),
			cmd.Name() == "demo" && slices.Contains(demoOwn, v.Flag),
			groupOf(f) == groupConnection && a.barred,
			v.Flag == "askpass" && a.hasPassword(cmd):
			continue
		}
		for _, value := range v.List {
			if err := cmd.Flags().Set(v.Flag, value); err != nil {
				return usage("%s:%d: %s: %w", a.file.Path, v.Line, v.Flag, err) // settings.Read has tried it before
			}
		}
		a.fromFile[v.Flag] = true
	}
	return nil
}

// hasPassword says whether the command line or the environment gives a password.
func (a *app) hasPassword(cmd *cobra.Command) bool {
	password, _ := a.lookup("REDISCLI_AUTH")
	return password != "" || cmd.Flags().Changed("pass")
}

// fromProfile says whether the configuration alone set a flag.
func (a *app) fromProfile(flag string) bool { return a.fromFile[flag] }

// chosenNow says whether a flag was given for this run: on the command line or in the environment.
func (a *app) chosenNow(flag string) bool {
	return a.running != nil && a.running.Flags().Changed(flag) && !a.fromProfile(flag)
}

// limits are the profile's thresholds of findings; zero values stand for the defaults.
func (a *app) limits() inspector.Thresholds {
	if a.profile == nil {
		return inspector.Thresholds{}
	}
	return a.profile.Thresholds
}
