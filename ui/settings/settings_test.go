package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// vocabulary is a small program's.
func vocabulary() Vocabulary {
	glob := func(values []string) error {
		for _, v := range values {
			if _, err := keyspace.NewPattern(v); err != nil {
				return err
			}
		}
		return nil
	}
	one := func(allowed ...string) func([]string) error {
		return func(values []string) error {
			if !slices.Contains(allowed, values[0]) {
				return errors.New("choose one of " + strings.Join(allowed, ", "))
			}
			return nil
		}
	}
	return Vocabulary{
		Flags: map[string]Flag{
			"url": {Place: true, List: true}, "host": {Place: true}, "port": {Place: true, Kind: Whole}, "db": {Place: true, Kind: Whole}, "user": {Place: true},
			"socket": {Place: true}, "sentinel": {Place: true}, "sentinel-user": {Place: true}, "tls": {Place: true, Kind: Switch}, "cacert": {Place: true},
			"pattern": {List: true, Check: glob}, "theme": {Check: one("default", "light")}, "mouse": {Kind: Switch}, "poll": {Kind: Span, Check: func(v []string) error {
				if d, err := time.ParseDuration(v[0]); err != nil || d < 10*time.Millisecond {
					return errors.New("10ms is the least")
				}
				return nil
			}},
			"fps": {Kind: Whole, Check: func(v []string) error {
				if v[0] == "0" || len(v[0]) > 2 {
					return errors.New("give 1 to 60")
				}
				return nil
			}},
			"read-only": {Kind: TextOrSwitch, Check: one("true", "false", "on", "off", "strict")}, "ratio": {Kind: Number},
			"scheme-rule": {List: true, Check: func(v []string) error {
				_, err := inspector.ParseRule(v[0])
				return err
			}},
		},
		Together: func(values []Value) error {
			for _, v := range values {
				if v.Flag == "fps" && v.List[0] == "13" && len(values) > 1 {
					return errors.New("13 goes with nothing")
				}
			}
			return nil
		},
		Bindings: []string{"expire", "extend", "release"},
		CheckKeys: func(keys map[string][]string) map[string]error {
			wrong := map[string]error{}
			byKey := map[string]string{"r": "release", "e": "extend", "x": "expire"}
			for _, name := range []string{"expire", "extend", "release"} {
				for _, k := range keys[name] {
					if other := byKey[k]; other != "" && other != name && keys[other] == nil {
						wrong[name] = fmt.Errorf("%q is %s too", k, other)
					}
					if strings.Contains(k, "ctrl-") {
						wrong[name] = fmt.Errorf("%q is no key", k)
					}
				}
			}
			return wrong
		},
	}
}

func read(t *testing.T, content string) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(path, vocabulary())
}

// TestEveryMistakeHasItsLine: each of them is said once, in its line, with what mends it.
func TestEveryMistakeHasItsLine(t *testing.T) {
	for _, c := range []struct {
		content string
		want    []string // "LINE: the beginning" of each
	}{
		{"# nothing\n\npatern = \"x\"\n", []string{`3: there is no setting "patern"; did you mean pattern?`}},
		{"colour = 1\n", []string{`1: there is no setting "colour"; there are default-profile, fps, keys, `}},
		{"[profile.a]\nprofile = \"b\"\nfps = 1\nfps = 2\n", []string{"4: it cannot be read as TOML: Key 'profile.a.fps' has already been defined."}},
		{"[profiles.a]\nurl = \"redis://h\"\n", []string{`1: there is no setting "profiles"; did you mean profile?`}},
		{"pattern_ = 1\n[profile.a]\nreadonly = true\n", []string{`1: there is no setting "pattern_"; did you mean pattern?`, `3: there is no setting "readonly"; did you mean read-only?`}},
		{"theme = 3\n", []string{`1: theme takes a text, such as theme = "...", not 3`}},
		{"fps = \"30\"\n", []string{`1: fps takes a whole number, such as fps = 10, not "30"`}},
		{"fps = 1.5\n", []string{`1: fps takes a whole number`}},
		{"fps = [30]\n", []string{"1: fps takes one value, not a list"}},
		{"mouse = \"yes\"\n", []string{`1: mouse takes true or false, such as mouse = true, not "yes"`}},
		{"poll = 1\n", []string{`1: poll takes a time, such as poll = "30s", not 1`}},
		{"theme = 2026-01-01\n", []string{"1: theme takes a text, such as theme = \"...\", not a date"}},
		{"pattern = []\n", []string{"1: pattern is an empty list"}},
		{"pattern = [[\"a\"]]\n", []string{"1: pattern takes a text, such as pattern = \"...\", not a list"}},
		{"pattern = [{a = 1}]\n", []string{"1: pattern takes a text, such as pattern = \"...\", not a table"}},
		{"[theme]\na = 1\n", []string{"1: theme takes a text, such as theme = \"...\", not a table"}},
		{"\ntheme = \"dark\"\nfps = 99999\npoll = \"1ms\"\n", []string{
			`2: theme: "dark" is no value for it: choose one of default, light`, `3: fps: "99999" is no value for it: give 1 to 60`, `4: poll: "1ms" is no value for it: 10ms is the least`,
		}},
		{"pattern = [\n  \"good:*\",\n  \"bad[\",\n]\n", []string{`3: pattern: "bad[" is no value for it: the pattern "bad[" has a "[" without "]"`}},
		{"pattern = [ # all, [of] \"them\"\n  'a]\"', \"b\\\"]\", # c,\n\n  \"\", \"bad[\"]\n", []string{`4: pattern: "" is no value`}},
		{"\n[profile.a]\nurl = [\n  \"redis://a\",\n  \"redis://:hush@b\",\n]\n", []string{"5: url: there is a password in it"}},
		{"[profile.a]\nscheme-rule = [\"jobs:*=mutex\"]\n", []string{`2: scheme-rule: "jobs:*=mutex" is no value for it: "mutex" is no scheme: choose one of `}},
		{"url = \"redis://a\"\n", []string{"1: url says where a server is, which a profile does; write it below [profile.NAME]"}},
		{"[profile.a]\nurl = \"redis://me:hush@a\"\n", []string{"2: url: there is a password in it"}},
		{"[profile.a]\nurl = \"redis://hush@a\"\n", []string{"2: url: there is a password in it"}},
		{"[profile.a]\nurl = [\"redis://a\", \"redis://:hush@b\"]\n", []string{"2: url: there is a password in it"}},
		{"[profile.a]\nurl = \"http://hush\"\n", []string{"2: url: "}},
		{"[profile.a]\nport = \"hush\"\n", []string{"2: port takes a whole number, such as port = 10, not a text"}},
		{"[profile.a]\nport = 70000\ndb = -1\n", []string{"2: port: ports are 1 to 65535", "3: db: databases are numbered from 0"}},
		{"[profile.a]\nhost = \"\"\n", []string{"2: host is empty"}},
		{"[profile.a]\nurl = \"redis://a\"\nport = 1\n", []string{"3: url and port both name the server; keep one of them"}},
		{"[profile.a]\ncacert = \"/ca.pem\"\n", []string{"2: cacert is about TLS, which is off"}},
		{"[profile.a]\ntls = true\ncacert = \"~/ca.pem\"\n", []string{"3: cacert: ~ is your shell's"}},
		{"[profile.a]\nsentinel-user = \"x\"\n", []string{"2: sentinel-user is for sentinels, and there are none"}},
		{"pass = \"hush\"\n[profile.a]\npassword = \"hush\"\n", []string{"1: pass: a file is no place for a secret", "3: password: a file is no place for a secret"}},
		{"environment = \"production\"\n", []string{"1: environment belongs to a profile"}},
		{"[profile.a]\nenvironment = \"prod\"\n", []string{`2: environment: "prod" would not be guarded as production is`}},
		{"[profile.a]\nenvironment = \"prodution\"\n", []string{`2: environment: "prodution" would not be guarded as production is`}},
		{"[profile.a]\nenvironment = 1\n", []string{"2: environment takes a word"}},
		{"[profile.a]\npassword-command = \"pass show x\"\n", []string{"2: password-command takes a list, since no shell reads it"}},
		{"[profile.a]\npassword-command = [\"x\"]\nuser = \"me\"\n", []string{"2: password-command says the password of a server, and the profile names none"}},
		{"theme = \"light\"\n[profile.b]\nmouse = true\n\n[profile.a]\nfps = 13\n", []string{"5: 13 goes with nothing"}},
		{"[profile.a]\npassword-command = []\n", []string{"2: password-command takes a program and its arguments"}},
		{"[profile.a]\npassword-command = [1]\n", []string{"2: password-command takes a program and its arguments"}},
		{"password-command = [\"x\"]\n", []string{"1: password-command belongs to a profile"}},
		{"[profile.a.thresholds]\nlong-leese = \"2h\"\nlong-lease = \"2 hours\"\nlost-for = 3\nabout-to-lapse = 2\nsettles = \"-1s\"\n", []string{
			`2: thresholds: there is no limit "long-leese"; did you mean long-lease?`, `3: thresholds: long-lease takes a time that is longer than nothing; "2 hours" is none;`,
			"4: thresholds: lost-for takes a time", "5: thresholds: about-to-lapse is a part of the lease", "6: thresholds: settles takes a time",
		}},
		{"thresholds = 1\nkeys = 1\n", []string{"1: thresholds is a table of limits", "2: keys is a table of names and keys"}},
		{"[keys]\nrelaese = \"r\"\nrelease = 1\nextend = []\n", []string{
			`2: keys: there is no key by the name "relaese"; did you mean release?`, `3: keys: release takes a key such as "ctrl+r"`, "4: keys: extend takes a key",
		}},
		{"[keys]\nrelease = \"ctrl-r\"\n[profile.a]\ntheme = \"light\"\n", []string{`2: keys: "ctrl-r" is no key`}},
		{"[profile.a.keys]\nrelease = \"x\"\n", []string{`2: keys: "x" is expire too`}},
		{"[keys]\nexpire = \"f5\"\nrelease = \"x\"\n[profile.a.keys]\nexpire = \"x\"\n", nil}, // the stub knows no such conflict; tui's does
		{"default-profile = \"prd\"\n[profile.prod]\ntheme = \"light\"\n", []string{`1: default-profile: there is no profile "prd"; did you mean prod?`}},
		{"default-profile = 1\n", []string{"1: default-profile takes a word"}},
		{"profile = \"prod\"\n", []string{"1: profile is the name of tables; write default-profile"}},
		{"fps = 10\nprofile = \"prod\"\n[profile.prod]\nfps = 10\n", []string{"2: profile is a word here and the name of tables below"}},
		{"[profile]\nprod = 1\n", []string{"2: profile.prod is no table"}},
		{"[profile.default]\nfps = 1\n[profile.demo]\nfps = 1\n", []string{"1: a profile cannot be called default", "3: a profile cannot be called demo"}},
		{"[profile.\"\\u001b[2J\"]\nfps = 1\n", []string{"1: a profile needs a name that can be seen"}},
		{"[[profile]]\nfps = 1\n", []string{"1: profile is the name of tables"}},
		{"fps = 1\nfps = 2\n", []string{"2: it cannot be read as TOML: Key 'fps' has already been defined."}},
		{"theme = \"light\nfps = 1\n", []string{"1: it cannot be read as TOML: "}},
		{"[profile.a]\nfps = 1\n[profile.a]\nfps = 2\n", []string{"3: it cannot be read as TOML: "}},
		{"[profile.a]\npassword-command = hush\n", []string{"2: it cannot be read as TOML; write"}},
		{"[profile.a]\nurl = redis://me:hush@a\n", []string{"2: it cannot be read as TOML; write"}},
		{"[profile.a]\npass = 12__34hush\n", []string{"2: it cannot be read as TOML; write"}},
	} {
		_, err := read(t, c.content)
		var wrong *Mistakes
		if !errors.As(err, &wrong) {
			if err != nil || c.want != nil {
				t.Errorf("%q: %v, want %q", c.content, err, c.want)
			}
			continue
		}
		var got []string
		for _, m := range wrong.List {
			got = append(got, fmt.Sprintf("%d: %s", m.Line, m.Text))
			if strings.Contains(m.Text, "hush") {
				t.Errorf("%q: the mistake tells a secret: %s", c.content, m.Text)
			}
		}
		ok := len(got) == len(c.want)
		for i := range got {
			ok = ok && strings.HasPrefix(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%q:\n got %q\nwant %q", c.content, got, c.want)
		}
	}
}

func TestTheFirstMistakeIsSaidWithTheNumberOfOthers(t *testing.T) {
	_, err := read(t, "a1 = 1\nb2 = 1\nc3 = 1\n")
	if err == nil || !strings.Contains(err.Error(), `config.toml:1: there is no setting "a1"`) || !strings.HasSuffix(err.Error(), "(and 2 mistakes more: locktop check --config)") {
		t.Error(err)
	}
}

const whole = `
theme = "light"
fps = 20
default-profile = "prod"
[thresholds]
long-lease = "2h"
settles = "2s"
[keys]
extend = "f4"
[profile.prod]
url = "rediss://cache.example:6380/0"
user = "oncall"
environment = "Production"
read-only = true
pattern = ["job:*", "default"]
fps = 10
password-command = ["pass", "show", "redis/prod"]
[profile.prod.thresholds]
about-to-lapse = 0.2
settles = "3s"
[profile.prod.keys]
release = ["ctrl+r", "f5"]
[profile.dev]
environment = "development"
`

func TestAProfileGoesBeforeTheDefaults(t *testing.T) {
	f, err := read(t, whole)
	if err != nil {
		t.Fatal(err)
	}
	if f.Chosen != "prod" || strings.Join(f.Names(), " ") != "dev prod" || f.Exposed != nil {
		t.Errorf("got %+v", f)
	}
	p, err := f.Use("prod")
	if err != nil {
		t.Fatal(err)
	}
	if !p.Production() || !p.HasPlace() || p.Of("fps").List[0] != "10" || p.Of("theme").List[0] != "light" || p.Of("read-only").List[0] != "true" || len(p.Of("pattern").List) != 2 {
		t.Errorf("got %+v", p)
	}
	if want := (inspector.Thresholds{LongLease: 2 * time.Hour, AboutToLapse: 0.2, Settles: 3 * time.Second}); p.Thresholds != want {
		t.Errorf("thresholds %+v", p.Thresholds)
	}
	if fmt.Sprint(p.Keys) != "map[extend:[f4] release:[ctrl+r f5]]" || strings.Join(p.PasswordCommand, " ") != "pass show redis/prod" {
		t.Errorf("keys %v, command %q", p.Keys, p.PasswordCommand)
	}
	dev, err := f.Use("dev")
	if err != nil || dev.Production() || dev.HasPlace() || dev.Of("fps").List[0] != "20" || dev.PasswordCommand != nil || len(dev.Keys) != 1 {
		t.Errorf("got %+v, %v", dev, err)
	}
	none, err := f.Use("")
	if err != nil || none.Production() || none.Of("url") != nil || none.Thresholds.LongLease != 2*time.Hour {
		t.Errorf("got %+v, %v", none, err)
	}
	if _, err := f.Use("pord"); err == nil || !strings.HasSuffix(err.Error(), `there is no profile "pord"; did you mean prod?`) {
		t.Error(err)
	}
	if (*Profile)(nil).Production() {
		t.Error("no profile is none of production")
	}
}

func TestDottedAndInlineTables(t *testing.T) {
	f, err := read(t, "profile.a.fps = 5\nprofile.b = {fps = 6, thresholds = {settles = \"4s\"}}\nkeys.release = \"f9\"\n")
	if err != nil {
		t.Fatal(err)
	}
	if f.Profiles["a"].Of("fps").List[0] != "5" || f.Profiles["b"].Thresholds.Settles != 4*time.Second || f.Defaults.Keys["release"][0] != "f9" {
		t.Errorf("got %+v", f)
	}
}

func TestNearestName(t *testing.T) {
	names := []string{"pattern", "poll", "read-only", "theme"}
	for name, want := range map[string]string{"patern": "pattern", "patterns": "pattern", "READ_ONLY": "read-only", "teme": "theme", "hteme": "theme", "pol": "poll", "zzz": "", "x": ""} {
		if got := nearest(name, names); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(whole)
	f.Add("[[profile]]\n[profile.a]\n")
	f.Add("\"\" = 1\n[\"\".\"\"]\n")
	v := vocabulary()
	f.Fuzz(func(t *testing.T, content string) {
		file, mistakes := parse("config.toml", content, v)
		for _, m := range mistakes {
			if m.Line < 1 || m.Line > 1+strings.Count(content, "\n") {
				t.Errorf("%q: line %d: %s", content, m.Line, m.Text)
			}
		}
		if len(mistakes) == 0 && file == nil {
			t.Errorf("%q: no file and no mistake", content)
		}
	})
}
