package settings

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"locktop/ui/text"
)

// The settings that are no flags. A word and a table cannot have one name in TOML, which is why it is not "profile" that chooses one.
const (
	nameChosen      = "default-profile"
	nameProfiles    = "profile"
	nameThresholds  = "thresholds"
	nameKeys        = "keys"
	nameEnvironment = "environment"
	namePassword    = "password-command"
)

// taken are names that views are kept under where there is no profile, and for a demo.
var taken = []string{DefaultView, DemoView}

// reader reads one file.
type reader struct {
	Vocabulary
	mistakes
}

// parse makes a file of a text.
func parse(path, raw string, v Vocabulary) (*File, []Mistake) {
	top, broken := decode(raw)
	if broken != nil {
		if line := wordForTables(raw); line > 0 {
			broken = &Mistake{line, `profile is a word here and the name of tables below, which TOML does not have; write default-profile = "NAME"`}
		}
		return nil, []Mistake{*broken}
	}
	r := reader{Vocabulary: v}
	f := &File{Path: path, Profiles: map[string]*Profile{}}
	var rest table
	chosenAt := 0
	for _, e := range top.entries {
		switch {
		case e.name == nameChosen:
			f.Chosen, chosenAt = r.word(e), e.line
		case e.name == nameProfiles && e.sub != nil:
			r.profiles(f, e.sub)
		case e.name == nameProfiles:
			r.add(e.line, `profile is the name of tables; write default-profile = "NAME" to choose one, and [profile.NAME] to make one`)
		default:
			rest.entries = append(rest.entries, e)
		}
	}
	f.Defaults = r.profile("", &rest)
	if f.Chosen != "" && f.Profiles[f.Chosen] == nil {
		r.add(chosenAt, "%s: there is no profile %s", nameChosen, offered(f.Chosen, f.Names()))
	}
	r.together(f)
	return f, r.inOrder()
}

// wordForTables is the line in which "profile" is a word although there are tables of that name; 0: there is none.
func wordForTables(raw string) int {
	if !strings.Contains(raw, "[profile.") {
		return 0
	}
	at := profileWord.FindStringIndex(raw)
	if first := anyTable.FindStringIndex(raw); at != nil && first != nil && at[0] < first[0] { // else it is a word of that table
		return 1 + strings.Count(raw[:at[0]], "\n")
	}
	return 0
}

var profileWord = regexp.MustCompile(`(?m)^[ \t]*profile[ \t]*=[ \t]*["']`)

// anyTable matches the head of a table.
var anyTable = regexp.MustCompile(`(?m)^[ \t]*\[`)

// profiles reads all of them.
func (r *reader) profiles(f *File, t *table) {
	for _, e := range t.entries {
		switch {
		case e.sub == nil:
			r.add(e.line, "profile.%s is no table; write [profile.NAME], and what it sets in the lines below", text.Escape(e.name))
		case e.name == "" || !text.Printable(e.name):
			r.add(e.line, "a profile needs a name that can be seen; write [profile.NAME]")
		case slices.Contains(taken, e.name):
			r.add(e.line, "a profile cannot be called %s, which stands for what runs without one; choose another name", e.name)
		default:
			f.Profiles[e.name] = r.profile(e.name, e.sub)
		}
	}
}

// profile reads a table; without a name it is the defaults of all.
func (r *reader) profile(name string, t *table) *Profile {
	p := &Profile{Name: name, line: max(t.line, 1), lines: map[string]int{}}
	for _, e := range t.entries {
		p.lines[e.name] = e.line
		flag, isFlag := r.Flags[e.name]
		switch {
		case e.name == nameThresholds:
			r.thresholds(p, e)
		case e.name == nameKeys:
			r.keys(p, e)
		case isFlag && flag.Place && name == "":
			r.add(e.line, "%s says where a server is, which a profile does; write it below [profile.NAME]", e.name)
		case isFlag:
			r.flag(p, e, flag)
		case name == "" && (e.name == nameEnvironment || e.name == namePassword):
			r.add(e.line, "%s belongs to a profile; write it below [profile.NAME]", e.name)
		case e.name == nameEnvironment:
			r.environment(p, e)
		case e.name == namePassword:
			r.passwordCommand(p, e)
		case holdsSecret(e.name):
			r.add(e.line, "%s: a file is no place for a secret; set REDISCLI_AUTH, or LOCKTOP_PASS, or give --askpass, or write password-command = [\"PROGRAM\", \"ARGUMENT\"] in a profile",
				text.Escape(e.name))
		default:
			r.add(e.line, "there is no setting %s", offered(e.name, r.settings(name)))
		}
	}
	r.place(p)
	return p
}

// holdsSecret says whether a name that is no setting says that a password follows.
func holdsSecret(name string) bool {
	name = strings.ToLower(name)
	return name == "auth" || strings.Contains(name, "pass") || strings.Contains(name, "secret")
}

// settings are the names that a profile, or the defaults of all, may set.
func (r *reader) settings(profile string) []string {
	names := []string{nameThresholds, nameKeys}
	if profile == "" {
		names = append(names, nameChosen, nameProfiles)
	} else {
		names = append(names, nameEnvironment, namePassword)
	}
	for name, flag := range r.Flags {
		if profile != "" || !flag.Place {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// word is a text that is not empty.
func (r *reader) word(e entry) string {
	word, is := e.value.(string)
	if !is || word == "" {
		r.add(e.line, `%s takes a word, such as %s = "prod"`, e.name, e.name)
	}
	return word
}

// notProduction are other words for production, which would leave it without its guard.
var notProduction = []string{"prod", "prd", "product", "live", "produktion"}

func (r *reader) environment(p *Profile, e entry) {
	switch word := r.word(e); {
	case strings.EqualFold(word, Production):
		p.Environment = Production
	case slices.Contains(notProduction, strings.ToLower(word)) || word != "" && distance(strings.ToLower(word), Production) <= 2:
		r.add(e.line, `environment: "%s" would not be guarded as production is; write environment = "production"`, text.Escape(word))
	default:
		p.Environment = word
	}
}

func (r *reader) passwordCommand(p *Profile, e entry) {
	words, ok := texts(e.value)
	switch _, single := e.value.(string); {
	case single:
		r.add(e.line, `password-command takes a list, since no shell reads it; write password-command = ["pass", "show", "redis/prod"]`)
	case !ok || len(words) == 0 || words[0] == "":
		r.add(e.line, `password-command takes a program and its arguments, such as ["pass", "show", "redis/prod"]`)
	default:
		p.PasswordCommand = words
	}
}

// texts is a list of texts, or one text.
func texts(value any) ([]string, bool) {
	switch value := value.(type) {
	case string:
		return []string{value}, true
	case []any:
		var out []string
		for _, one := range value {
			s, is := one.(string)
			if !is {
				return nil, false
			}
			out = append(out, s)
		}
		return out, true
	default:
		return nil, false
	}
}

// keys reads other keys for the dashboard's bindings. Which of them go together is looked at when all are known.
func (r *reader) keys(p *Profile, e entry) {
	if e.sub == nil {
		r.add(e.line, `keys is a table of names and keys; write [keys], or [profile.NAME.keys], and below it release = "ctrl+r"`)
		return
	}
	p.Keys = map[string][]string{}
	for _, k := range e.sub.entries {
		if !slices.Contains(r.Bindings, k.name) {
			r.add(k.line, "keys: there is no key by the name %s", offered(k.name, r.Bindings))
			continue
		}
		keys, ok := texts(k.value)
		if !ok || len(keys) == 0 {
			r.add(k.line, `keys: %s takes a key such as "ctrl+r", or a list of them`, k.name)
			continue
		}
		p.Keys[k.name], p.lines[nameKeys+"."+k.name] = keys, k.line
	}
}

// together looks at what only the defaults and a profile together make: each profile's keys, and what excludes each other.
func (r *reader) together(f *File) {
	said := map[string]bool{}
	for _, name := range append([]string{""}, f.Names()...) {
		used, err := f.Use(name)
		if err != nil {
			continue // of the defaults and of those that there are, none is missing
		}
		own := f.Defaults
		if name != "" {
			own = f.Profiles[name]
		}
		if len(r.mistakes) == 0 { // else it may be one of those that were told
			if err := r.Together(used.Values); err != nil {
				r.add(own.line, "%v", err)
			}
		}
		wrong := r.CheckKeys(used.Keys)
		for _, binding := range slices.Sorted(maps.Keys(wrong)) {
			line, where := own.lines[nameKeys+"."+binding], ""
			if line == 0 {
				line, where = f.Defaults.lines[nameKeys+"."+binding], fmt.Sprintf(" (in the profile %s)", text.Escape(name))
			}
			if line == 0 {
				line = own.lines[nameKeys]
			}
			told := fmt.Sprintf("keys: %v", wrong[binding])
			if !said[fmt.Sprint(line, told)] {
				said[fmt.Sprint(line, told)] = true
				if name == "" {
					where = ""
				}
				r.add(line, "%s%s", told, where)
			}
		}
	}
}
