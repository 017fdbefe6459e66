package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"

	"locktop/ui/settings"
	"locktop/ui/tui"
)

// ownConfiguration gives the test a configuration with this content; without any it has none.
func ownConfiguration(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_CONFIG_DIRS", dir)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	path := filepath.Join(dir, "locktop", "config.toml")
	// The umask may give the temporary directory to a group, whose members count as others.
	if err := errors.Join(os.Chmod(dir, 0o700), os.MkdirAll(filepath.Dir(path), 0o700)); err != nil {
		t.Fatal(err)
	}
	if content != "" {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestPlaceOfAProfile(t *testing.T) {
	type env = map[string]string
	ownConfiguration(t, `
[profile.prod]
url = "redis://cache:7/4"
user = "oncall"
password-command = ["echo", "told"]
[profile.bare]
host = "bare"
[profile.none]
theme = "light"
[profile.lock]
url = ["redis://a:1", "redis://b:2"]
[profile.watched]
url = ["redis://s1", "redis://s2:7"]
sentinel = "m"
user = "u"
password-command = ["echo", "told"]
`)
	for _, c := range []struct {
		environment env
		args        []string
		want        string
		said        bool // that the profile's server is not used
	}{
		{nil, []string{"--profile", "prod"}, "tcp cache:7/4 oncall:told", false},
		{env{"LOCKTOP_PROFILE": "prod"}, nil, "tcp cache:7/4 oncall:told", false},
		{env{"LOCKTOP_PROFILE": "prod"}, []string{"--profile="}, "tcp 127.0.0.1:6379/0 :", false},
		{env{"LOCKTOP_PROFILE": "prod"}, []string{"--profile", "bare"}, "tcp bare:6379/0 :", false},
		// What else the line and the environment say goes before the profile.
		{nil, []string{"--profile", "prod", "-n", "1", "--user", "me", "--pass", "x"}, "tcp cache:7/1 me:x", false},
		{env{"LOCKTOP_DB": "2"}, []string{"--profile", "prod"}, "tcp cache:7/2 oncall:told", false},
		{env{"REDISCLI_AUTH": "q"}, []string{"--profile", "prod"}, "tcp cache:7/4 oncall:q", false},
		{env{"LOCKTOP_PASS": "q", "REDISCLI_AUTH": "r"}, []string{"--profile", "prod"}, "tcp cache:7/4 oncall:q", false},
		{env{"stdin": "typed\n"}, []string{"--profile", "prod", "--askpass"}, "tcp cache:7/4 oncall:typed", false},
		// Another server hides all of it.
		{nil, []string{"--profile", "prod", "-h", "other"}, "tcp other:6379/0 :", true},
		{nil, []string{"--profile", "prod", "-u", "redis://other:1"}, "tcp other:1/0 :", true},
		{nil, []string{"--profile", "prod", "-s", "/run/r.sock"}, "unix /run/r.sock/0 :", true},
		{env{"REDIS_URL": "redis://other:1", "LOCKTOP_PROFILE": "prod"}, nil, "tcp other:1/0 :", true},
		{env{"LOCKTOP_HOST": "other", "LOCKTOP_PROFILE": "prod"}, nil, "tcp other:6379/0 :", true},
		{env{"LOCKTOP_URL": "redis://other:1", "LOCKTOP_PROFILE": "prod"}, nil, "tcp other:1/0 :", true},
		// But who names the profile on the line names its server, and none of the environment's passwords goes there.
		{env{"REDIS_URL": "redis://u:p@other:1/9", "LOCKTOP_PASS": "p"}, []string{"--profile", "prod"}, "tcp cache:7/4 oncall:told", false},
		{env{"LOCKTOP_URL": "redis://u:p@other:1/9", "LOCKTOP_DB": "8"}, []string{"--profile", "bare"}, "tcp bare:6379/0 :", false},
		{env{"LOCKTOP_HOST": "other", "LOCKTOP_PORT": "5"}, []string{"--profile", "bare"}, "tcp bare:6379/0 :", false},
		{env{"LOCKTOP_SOCKET": "/s"}, []string{"--profile", "prod"}, "tcp cache:7/4 oncall:told", false},
		// One without a server leaves the environment as it is.
		{env{"REDIS_URL": "redis://u:p@other:1/9"}, []string{"--profile", "none"}, "tcp other:1/9 u:p", false},
		{env{"LOCKTOP_HOST": "other"}, []string{"--profile", "none"}, "tcp other:6379/0 :", false},
		{nil, []string{"--profile", "lock"}, "tcp a:1/0 :; tcp b:2/0 :", false},
		{nil, []string{"--profile", "watched"}, "tcp s1:26379/0 :; tcp s2:7/0 :; m u:told", false},
		{nil, []string{"--profile", "watched", "--sentinel", "other"}, "tcp 127.0.0.1:26379/0 :; other :", true},
	} {
		place, said, err := resolve(t, c.environment, c.args...)
		if err != nil {
			t.Errorf("%v %q: %v", c.environment, c.args, err)
			continue
		}
		got := placed(place.Servers...)
		if place.Sentinel != "" {
			got += "; " + place.Sentinel + " " + place.Master.Username + ":" + place.Master.Password
		}
		if got != c.want {
			t.Errorf("%v %q: got %s, want %s", c.environment, c.args, got, c.want)
		}
		if strings.Contains(said, "is not used") != c.said || strings.Count(said, "is not used") > 1 {
			t.Errorf("%v %q: said %q", c.environment, c.args, said)
		}
	}
}

// TestEveryFlagOfTheGroupsMayBeSet: flags that come later need no word here.
func TestEveryFlagOfTheGroupsMayBeSet(t *testing.T) {
	v := vocabulary()
	new(app).newRoot().Flags().VisitAll(func(f *pflag.Flag) {
		group := groupOf(f)
		_, may := v.Flags[f.Name]
		should := group == groupConnection || group == groupObserving || group == groupDashboard
		if slices.Contains([]string{"pass", "sentinel-pass"}, f.Name) {
			should = false
		}
		if may != should {
			t.Errorf("--%s of the group %s: may be set is %v", f.Name, group, may)
		}
	})
	for name, flag := range v.Flags { // what a flag is by default is a value for it
		if value := new(app).newRoot().Flags().Lookup(name); value != nil && !flag.List && !flag.Place {
			if err := flag.Check([]string{value.DefValue}); err != nil && value.DefValue != "" {
				t.Errorf("%s = %q: %v", name, value.DefValue, err)
			}
		}
	}
}

// TestMistakesOfRealSettings looks at values that only the flags themselves can judge.
func TestMistakesOfRealSettings(t *testing.T) {
	for content, want := range map[string]string{
		"fps = 99":                                           `config.toml:1: fps: "99" is no value for it: give 1 to 60`,
		"poll = \"1ns\"":                                     `config.toml:1: poll: "1ns" is no value for it: 10ms is the least, 1s the default`,
		"poll = \"soon\"":                                    `config.toml:1: poll: "soon" is no value for it: not a time, such as 30s`,
		"theme = \"dark\"":                                   `config.toml:1: theme: "dark" is no value for it: choose one of default, `,
		"notify = \"on\"":                                    `config.toml:1: notify: "on" is no value for it: choose one of auto, `,
		"read-only = \"yes please\"":                         `config.toml:1: read-only: "yes please" is no value for it: choose one of on, strict, off`,
		"pattern = [\"a\", \"\"]":                            `config.toml:1: pattern: "" is no value for it: an empty pattern matches no key`,
		"\n[keys]\nrelease = \"x\"":                          `config.toml:3: keys: "x" is release and expire at once`,
		"[profile.a.keys]\ninterrupt = \"q\"":                `config.toml:2: keys: interrupt counts while text is typed`,
		"[profile.a]\ninsecure = true":                       `config.toml:2: insecure is about TLS, which is off`,
		"[profile.a]\nsentinel-pass = \"hush\"":              `config.toml:2: sentinel-pass: a file is no place for a secret`,
		"read-only = true\n[profile.a]\nnotify = \"enable\"": `config.toml:2: --notify enable changes the server's configuration, which --read-only forbids`,
		"no-sink = true":                                     `config.toml:1: there is no setting "no-sink"; did you mean no-sync?`,
	} {
		ownConfiguration(t, content+"\n")
		code, stdout, stderr := run(t, "list", "-p", "1")
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "hush") {
			t.Errorf("%q: code %d, %q, want %s", content, code, stderr, want)
		}
		code, stdout, stderr = run(t, "check", "--config")
		if code != exitUsage || stderr != "" || !strings.Contains(stdout, want) || strings.Count(stdout, "\n") != 1 {
			t.Errorf("check of %q: code %d, %q%q", content, code, stdout, stderr)
		}
		if code, _, stderr := run(t, "version"); code != exitDone || stderr != "" {
			t.Errorf("version needs no configuration: %d, %s", code, stderr)
		}
	}
}

func TestProfilesAreCompleted(t *testing.T) {
	ownConfiguration(t, "[profile.prod]\n[profile.staging]\n")
	if _, stdout, _ := run(t, "__complete", "list", "--profile", ""); !strings.HasPrefix(stdout, "prod\nstaging\n") {
		t.Errorf("got %q", stdout)
	}
	other := filepath.Join(t.TempDir(), "other.toml")
	if err := os.WriteFile(other, []byte("[profile.night]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stdout, _ := run(t, "__complete", "--config", other, "--profile", "n"); !strings.HasPrefix(stdout, "night\n") {
		t.Errorf("got %q", stdout)
	}
	ownConfiguration(t, "broken")
	if code, stdout, _ := run(t, "__complete", "list", "--profile", ""); code != exitDone || !strings.HasPrefix(stdout, ":") {
		t.Errorf("code %d, %q", code, stdout)
	}
}

// TestHowTheDashboardBegins: what is said for this run, else what was kept, else the profile, else the defaults of all.
func TestHowTheDashboardBegins(t *testing.T) {
	for _, c := range []struct {
		args, config, environment, kept string
		demo                            bool
		want                            string
	}{
		{want: "default"},
		{config: "theme = \"light\"", want: "light"},
		{config: "theme = \"light\"\ndefault-profile = \"a\"\n[profile.a]\ntheme = \"mono\"", want: "mono"},
		{config: "theme = \"light\"", kept: "mono", want: "mono"},
		{environment: "light", kept: "mono", want: "light"},
		{args: "--theme=default", environment: "light", kept: "mono", config: "theme = \"light\"", want: "default"},
		{args: "--theme=default", kept: "mono", want: "default"},
		{kept: "nosuch", config: "theme = \"light\"", want: "light"},
		{kept: "mono", demo: true, want: "default"}, // a demo keeps its own
	} {
		ownState(t)
		ownConfiguration(t, c.config)
		t.Setenv("LOCKTOP_THEME", c.environment)
		name := settings.DefaultView
		if strings.Contains(c.config, "profile") {
			name = "a"
		}
		if _, err := settings.SaveView(name, settings.View{Theme: c.kept, Sort: "key"}); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &said, lookup: os.LookupEnv, fromEnv: map[string]string{}}
		root := a.newRoot()
		if err := root.ParseFlags(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		if err := root.PreRunE(root, nil); err != nil {
			t.Fatal(err)
		}
		draw := screen{theme: root.Flags().Lookup("theme").Value.String()}
		begin, save := a.views(&draw, c.demo)
		if begin.Theme != c.want || (begin.Sort == "key") != (!c.demo && c.kept != "nosuch") {
			t.Errorf("%+v: got %+v", c, begin)
		}
		if told := c.kept == "nosuch"; strings.Contains(said.String(), "is not of this version") != told {
			t.Errorf("%+v: said %q", c, said.String())
		}
		if where, err := save(tui.Settings{Theme: "light", Filter: "x"}); err != nil || where != settings.ViewsPath() {
			t.Errorf("kept in %q, %v", where, err)
		}
		if c.demo {
			name = settings.DemoView
		}
		if again, err := settings.LoadView(name); err != nil || again.Filter != "x" {
			t.Errorf("%+v: %+v was kept for %s, %v", c, again, name, err)
		}
	}
}

func TestCheckConfigSaysWhatProfilesSet(t *testing.T) {
	path := ownConfiguration(t, "")
	if code, stdout, stderr := run(t, "check", "--config"); code != exitDone || stdout != "there is no configuration; it would be "+path+"\n" || stderr != "" {
		t.Errorf("code %d, %q%q", code, stdout, stderr)
	}
	content := `
theme = "light"
default-profile = "prod"
[profile.prod]
url = ["redis://a:1", "redis://b:2"]
environment = "production"
read-only = true
password-command = ["pass", "hush"]
[profile.prod.thresholds]
long-lease = "2h"
[profile.prod.keys]
release = "ctrl+r"
[profile.dev]
`
	path = ownConfiguration(t, content)
	code, stdout, stderr := run(t, "check", "--config")
	want := path + `: 2 profiles, no mistake

all profiles
  theme = "light"

profile dev
  nothing of its own

profile prod  (used where no other is named)  PRODUCTION
  environment = "production"
  url = ["redis://a:1", "redis://b:2"]
  read-only = true
  password-command = "pass" …
  thresholds.long-lease = "2h"
  keys.release = "ctrl+r"
`
	if code != exitDone || stdout != want || stderr != "" {
		t.Errorf("code %d, %q, got\n%s", code, stderr, stdout)
	}
	for _, args := range [][]string{{"check", "--config=" + path}, {"check", "--config", path}} {
		ownConfiguration(t, "broken")
		if code, got, _ := run(t, args...); code != exitDone || got != want {
			t.Errorf("%q: code %d, got\n%s", args, code, got)
		}
	}
	t.Setenv("LOCKTOP_CONFIG", path)
	if code, got, _ := run(t, "check", "--config"); code != exitDone || got != want {
		t.Errorf("LOCKTOP_CONFIG: code %d, got\n%s", code, got)
	}
	code, stdout, _ = run(t, "check", "--config", "-o", "json")
	if code != exitDone || !strings.Contains(stdout, `"schema":"locktop.config/1"`) || !strings.Contains(stdout, `"production":true`) || strings.Contains(stdout, "hush") {
		t.Errorf("code %d, %s", code, stdout)
	}
	if code, _, stderr := run(t, "check", "--config", "nowhere.toml"); code != exitUsage || !strings.Contains(stderr, "there is no configuration nowhere.toml") {
		t.Errorf("code %d, %s", code, stderr)
	}
}
