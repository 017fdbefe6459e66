package cli

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/inspector"
	"locktop/ui/report"
	"locktop/ui/settings"
	"locktop/ui/text"
)

// configFound is what --config of "check" is without a file: the one that is used by default. A file of this name is ./default.
const configFound = "default"

// addValidation offers --profile, and --config that need not name a file.
func (a *app) addValidation(cmd *cobra.Command) {
	a.addProfile(cmd)
	f := cmd.Flags().Lookup("config")
	f.NoOptDefVal = configFound
	f.Usage = "ask no server, but check the configuration: this `FILE`, else that of LOCKTOP_CONFIG, else the one in the XDG directories"
}

// validates says whether "check" is to look at the configuration alone.
func validates(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("config")
	return f != nil && f.NoOptDefVal == configFound && f.Changed && f.Value.String() != ""
}

// checkArguments lets a file follow --config.
func checkArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && cmd.Flags().Lookup("config").Value.String() == configFound {
		return nil
	}
	return noArguments(cmd, args)
}

// configJSON is a configuration that was checked.
type configJSON struct {
	Schema   string        `json:"schema"`
	File     string        `json:"file"`
	Found    bool          `json:"found"`
	OK       bool          `json:"ok"`
	Mistakes []mistakeJSON `json:"mistakes,omitempty"`
	Warning  string        `json:"warning,omitempty"`
	Profile  string        `json:"default_profile,omitempty"`
	Profiles []profileJSON `json:"profiles,omitempty"`
}

type mistakeJSON struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

type profileJSON struct {
	Name       string   `json:"name,omitempty"` // empty: the defaults of all
	Production bool     `json:"production,omitempty"`
	Sets       []string `json:"sets"`
}

// configSchema is its schema. Changes only add fields.
const configSchema = "locktop.config/1"

// checkConfig says every mistake of the configuration, or else what its profiles set.
func (a *app) checkConfig(cmd *cobra.Command, args []string, output string) error {
	found := configJSON{Schema: configSchema, Found: true, OK: true}
	switch value := cmd.Flags().Lookup("config").Value.String(); {
	case len(args) == 1:
		found.File = args[0]
	case value != configFound:
		found.File = value
	default:
		if found.File, _ = a.lookup(variable("config")); found.File == "" {
			found.File, found.Found = settings.Find()
		}
	}
	if !found.Found {
		if output == "json" {
			return report.WriteJSON(a.stdout, found)
		}
		_, err := fmt.Fprintf(a.stdout, "there is no configuration; it would be %s\n", text.Escape(found.File))
		return err
	}
	known := vocabulary()
	file, err := settings.Read(found.File, known)
	if wrong := (*settings.Mistakes)(nil); errors.As(err, &wrong) {
		return a.sayMistakes(&found, wrong, output)
	}
	if err != nil {
		return usage("%w", err)
	}
	if file.Exposed != nil {
		found.Warning = "no password-command is run, for " + file.Exposed.Error()
		a.say("warning: %s", found.Warning)
	}
	found.Profile = file.Chosen
	found.Profiles = append(found.Profiles, profileJSON{Sets: setBy(file.Defaults, known)})
	for _, name := range file.Names() {
		p := file.Profiles[name]
		found.Profiles = append(found.Profiles, profileJSON{Name: name, Production: p.Production(), Sets: setBy(p, known)})
	}
	if output == "json" {
		return report.WriteJSON(a.stdout, found)
	}
	return a.writeConfig(found)
}

func (a *app) sayMistakes(found *configJSON, wrong *settings.Mistakes, output string) error {
	found.OK = false
	var lines strings.Builder
	for _, m := range wrong.List {
		found.Mistakes = append(found.Mistakes, mistakeJSON{m.Line, m.Text})
		fmt.Fprintln(&lines, text.Legible(oneLine(wrong.Line(m))))
	}
	var err error
	if output == "json" {
		err = report.WriteJSON(a.stdout, *found)
	} else {
		_, err = fmt.Fprint(a.stdout, lines.String())
	}
	return errors.Join(err, quietly(exitUsage))
}

// writeConfig is a configuration without a mistake, for people.
func (a *app) writeConfig(found configJSON) error {
	var b strings.Builder
	profiles := "no profile"
	if n := len(found.Profiles) - 1; n == 1 {
		profiles = "1 profile"
	} else if n > 1 {
		profiles = strconv.Itoa(n) + " profiles"
	}
	fmt.Fprintf(&b, "%s: %s, no mistake\n", text.Escape(found.File), profiles)
	for _, p := range found.Profiles {
		name := "all profiles"
		switch {
		case p.Name == "" && len(p.Sets) == 0:
			continue
		case p.Name != "":
			name = "profile " + text.Escape(p.Name)
		}
		if p.Name != "" && p.Name == found.Profile {
			name += "  (used where no other is named)"
		}
		if p.Production {
			name += "  PRODUCTION"
		}
		fmt.Fprintf(&b, "\n%s\n", name)
		if len(p.Sets) == 0 {
			fmt.Fprintln(&b, "  nothing of its own")
		}
		for _, line := range p.Sets {
			fmt.Fprintf(&b, "  %s\n", text.Legible(line))
		}
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// setBy is what a profile sets, a line each, as the file has it; of a password command only the program.
func setBy(p *settings.Profile, known settings.Vocabulary) []string {
	lines := []string{}
	if p.Environment != "" {
		lines = append(lines, "environment = "+strconv.Quote(p.Environment))
	}
	for _, v := range p.Values {
		if kind := known.Flags[v.Flag].Kind; kind == settings.Switch || kind == settings.Whole || kind == settings.Number || v.List[0] == "true" || v.List[0] == "false" {
			lines = append(lines, v.Flag+" = "+v.List[0])
			continue
		}
		lines = append(lines, v.Flag+" = "+listed(v.Flag, v.List))
	}
	if p.PasswordCommand != nil {
		lines = append(lines, "password-command = "+strconv.Quote(p.PasswordCommand[0])+" …")
	}
	t := p.Thresholds
	for _, limit := range []struct {
		name string
		span time.Duration
	}{{"long-lease", t.LongLease}, {"renewed-forever", t.RenewedForever}, {"lost-for", t.LostFor}, {"settles", t.Settles}} {
		if limit.span != 0 {
			lines = append(lines, fmt.Sprintf("thresholds.%s = %q", limit.name, text.Span(limit.span)))
		}
	}
	if t.AboutToLapse != (inspector.Thresholds{}).AboutToLapse {
		lines = append(lines, fmt.Sprint("thresholds.about-to-lapse = ", t.AboutToLapse))
	}
	var keys []string
	for name, presses := range p.Keys {
		keys = append(keys, "keys."+name+" = "+listed("", presses))
	}
	slices.Sort(keys)
	return append(lines, keys...)
}

// listed are values as TOML has them. A URL has no password, or it would have been refused; what stands in front of its host is left out
// all the same.
func listed(flag string, values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		if u, err := url.Parse(value); flag == "url" && err == nil {
			u.User = nil
			value = u.String()
		}
		quoted[i] = strconv.Quote(value)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
