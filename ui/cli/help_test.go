package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// run runs a command line that needs no server.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	for name, value := range map[string]string{"REDIS_URL": "", "REDISCLI_AUTH": "", "LC_ALL": "C.UTF-8"} {
		t.Setenv(name, value)
	}
	var out, errs bytes.Buffer
	code = Main(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// The flags that section 5 of the design names and that this version has.
var (
	connectionFlags = []string{"host", "port", "db", "url", "user", "pass", "tls", "cacert", "cert", "key", "sni", "insecure", "socket", "sentinel", "sentinel-user", "sentinel-pass", "profile", "config"}
	observingFlags  = []string{"pattern", "notify", "poll", "read-only"}
	actionFlags     = []string{"holder", "dry-run", "yes", "output", "read-only", "quoted-input"}
)

func TestEveryPromisedFlagExists(t *testing.T) {
	promised := map[string][]string{
		"":        slices.Concat(connectionFlags, observingFlags, []string{"fps", "theme", "ascii", "mouse", "no-sync", "for", "write-for"}),
		"list":    slices.Concat(connectionFlags, observingFlags, []string{"output", "state", "fail-on"}),
		"watch":   slices.Concat(connectionFlags, observingFlags, []string{"output", "for"}),
		"show":    slices.Concat(connectionFlags, []string{"output", "quoted-input"}),
		"release": slices.Concat(connectionFlags, actionFlags, []string{"count", "all", "no-tombstone", "confirm"}),
		"extend":  slices.Concat(connectionFlags, actionFlags, []string{"ttl"}),
		"expire":  slices.Concat(connectionFlags, actionFlags, []string{"in", "confirm"}),
		"check":   slices.Concat(connectionFlags, []string{"pattern", "output"}),
		"demo":    {"list", "serve", "output", "variant", "workers", "locks", "for", "seed", "speed", "server", "url", "config", "theme", "ascii", "mouse", "fps", "read-only", "pattern", "notify"},
	}
	root := (&app{}).newRoot()
	for verb, flags := range promised {
		cmd, _, err := root.Find(strings.Fields(verb))
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range flags {
			if cmd.Flags().Lookup(flag) == nil {
				t.Errorf("locktop %s: there is no --%s", verb, flag)
			}
		}
	}
	for short, long := range map[string]string{"h": "host", "p": "port", "n": "db", "u": "url", "s": "socket"} {
		if f := root.Flags().ShorthandLookup(short); f == nil || f.Name != long {
			t.Errorf("-%s is %v, want --%s", short, f, long)
		}
	}
}

func TestHelpOfEveryVerb(t *testing.T) {
	verbs := []string{""}
	for _, cmd := range (&app{}).newRoot().Commands() {
		verbs = append(verbs, cmd.Name())
	}
	for _, verb := range verbs {
		code, stdout, stderr := run(t, append(strings.Fields(verb), "--help")...)
		if code != exitDone || stderr != "" {
			t.Errorf("locktop %s --help: code %d, %q", verb, code, stderr)
		}
		if !strings.Contains(stdout, "\nExamples:\n  ") || !strings.Contains(stdout, "\nUsage:\n") {
			t.Errorf("locktop %s --help has no example:\n%s", verb, stdout)
		}
		for line := range strings.Lines(stdout) {
			if len(line) > 125 {
				t.Errorf("locktop %s --help: a line of %d characters: %s", verb, len(line), line)
			}
		}
	}
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"foo", `there is no verb "foo"`},
		{"lits", `did you mean list?`},
		{"help foo", `there is no verb "foo"`},
		{"-h", "it is the host"},
		{"demo -h", `-h is not a flag of "locktop demo"`},
		{"list -x", "unknown shorthand flag: 'x'"},
		{"list extra", "it takes flags only"},
		{"list --sentinels m", "unknown flag: --sentinels"},
		{"list -p abc", "not a number in range"},
		{"list -o xml", "choose one of table, wide, json, csv"},
		{"list --state up", `--state "up" is none: there are held`},
		{"list --fail-on zombie", `--fail-on "zombie" is no finding of this version: there are no-ttl`},
		{"list --fail-on=", "--fail-on names nothing"},
		{"--report-dir /dev/null/x", "--report-dir /dev/null/x: there is no such directory"},
		{"list --for -1s", "--for -1s is in the past"},
		{"watch --poll 1", "not a duration"},
		{"watch --poll 1ns", "--poll 1ns is too short"},
		{"watch --pattern=", "--pattern: an empty pattern"},
		{"--read-only=maybe", "choose one of on, strict, off"},
		{"--read-only --notify enable", "which --read-only forbids"},
		{"--fps 0", "--fps 0: give 1 to 60"},
		{"--write-for 10ms", "--write-for 10ms: give 1s or more, or 0 for always"},
		{"--write-for=-1m", "--write-for -1m0s: give 1s or more"},
		{"show", "which key? It is missing"},
		{"show a b", "one key at a time, not 2"},
		{`show --quoted-input \q`, `KEY: unknown escape`},
		{"release k", "--holder is missing"},
		{"release k --holder x", "add --yes, or --dry-run"},
		{"release k --holder x --yes --count 0", "--count 0: give 1 or more"},
		{"release k --holder x --yes --count 1 --all", "--count and --all contradict"},
		{`release k --holder \q --quoted-input --yes`, `--holder: unknown escape`},
		{"extend k --holder x --yes", "--ttl is missing"},
		{"extend k --holder x --yes --ttl 0s", "--ttl 0s: give 1ms or more"},
		{"expire k --holder x --yes --in -1s", "--in -1s: give 1ms or more"},
		{"expire k --holder x", "add --yes, or --dry-run"},
		{"completion tcsh", `no completion for "tcsh"`},
		{"demo nowhere", `there is no scenario "nowhere"`},
		{"demo --speed 0", "--speed 0: give more than 0"},
		{"demo --speed NaN", "--speed NaN: give more than 0"},
		{"demo --url=", "--url is empty: name a server"},
		{"demo --tls", "--tls belongs to a server of yours: add --url"},
		{"demo --url redis://a:1 --server redis", "--url and --server both name the server"},
	} {
		code, stdout, stderr := run(t, strings.Fields(c.line)...)
		if code != exitUsage || stdout != "" {
			t.Errorf("locktop %s: code %d, stdout %q", c.line, code, stdout)
		}
		if !strings.HasPrefix(stderr, "locktop: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("locktop %s: got %q, want one line with %q", c.line, stderr, c.want)
		}
	}
}

func TestVersionAndCompletion(t *testing.T) {
	if code, stdout, _ := run(t, "version"); code != exitDone || !strings.HasPrefix(stdout, "locktop ") {
		t.Errorf("code %d, %q", code, stdout)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, stdout, stderr := run(t, "completion", shell); code != exitDone || !strings.Contains(stdout, "locktop") || stderr != "" {
			t.Errorf("%s: code %d, %d bytes, %q", shell, code, len(stdout), stderr)
		}
	}
	if _, stdout, _ := run(t, "__complete", "list", "--output", ""); !strings.Contains(stdout, "csv") {
		t.Errorf("the values of --output are not completed: %q", stdout)
	}
}
