//go:build unix

package settings

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func commanding(words ...string) (*File, *Profile) {
	return &File{}, &Profile{Name: "prod", PasswordCommand: words}
}

func TestPasswordCommand(t *testing.T) {
	t.Setenv("REDISCLI_AUTH", "hush")
	t.Setenv("LOCKTOP_PASS", "hush")
	for script, want := range map[string]string{
		"echo sesame":                                          "sesame",
		"printf sesame":                                        "sesame",
		"printf 'ses ame \\r\\nmore'":                          "ses ame ",
		"echo sesame; yes | head -c 1000000":                   "sesame",
		"echo sesame; sleep 5 2>/dev/null &":                   "sesame", // an agent stays
		"env | grep -q '^REDIS\\|^LOCKTOP' && exit 1; echo ok": "ok",
	} {
		f, p := commanding("sh", "-c", script)
		got, err := f.Password(t.Context(), p, nil, os.Stderr)
		if got != want || err != nil {
			t.Errorf("%s: got %q, %v", script, got, err)
		}
	}
	for script, want := range map[string]string{
		"echo hush; exit 3": "password-command of the profile prod, sh: exit status 3",
		"echo; echo hush":   "the first line that it printed is empty",
		"true":              "the first line that it printed is empty",
		"head -c 100000 /dev/zero | tr '\\0' h; echo hush": "too long",
	} {
		f, p := commanding("sh", "-c", script)
		got, err := f.Password(t.Context(), p, nil, os.Stderr)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") || got != "" {
			t.Errorf("%s: got %q, %v", script, got, err)
		}
	}
	f, p := commanding("/nowhere/pass", "hush")
	if _, err := f.Password(t.Context(), p, nil, os.Stderr); err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "cannot be started") {
		t.Error(err)
	}
}

func TestPasswordCommandEndsWithTheProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(t.TempDir(), "started")
	go func() {
		defer cancel()
		for range 1000 {
			if _, err := os.Stat(started); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	f, p := commanding("sh", "-c", "touch "+started+"; exec sleep 600")
	if _, err := f.Password(ctx, p, nil, os.Stderr); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPasswordCommandOfOthersIsNotRun(t *testing.T) {
	dir := t.TempDir()
	path, ran := filepath.Join(dir, "config.toml"), filepath.Join(dir, "ran")
	if err := os.WriteFile(path, []byte("[profile.prod]\nhost = \"a\"\npassword-command = [\"touch\", \""+ran+"\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, dir os.FileMode
		refused   string
	}{
		{0o600, 0o755, ""},
		{0o644, 0o755, ""},
		{0o666, 0o755, "everybody on this machine can write to " + path},
		{0o666 | os.ModeSticky, 0o755, "everybody on this machine can write to " + path},
		{0o664, 0o755, "a group can write to " + path},
		{0o600, 0o777, "everybody on this machine can write to " + dir},
		{0o600, 0o775, "a group can write to " + dir + "; run: chmod g-w " + dir},
		{0o600, 0o777 | os.ModeSticky, ""},
	} {
		if err := errors.Join(os.Chmod(path, c.file), os.Chmod(dir, c.dir)); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path, vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Password(t.Context(), f.Profiles["prod"], nil, os.Stderr)
		_, missing := os.Stat(ran)
		_ = os.Remove(ran) // where it did not run it is not there
		if refused := missing != nil; refused != (c.refused != "") || err == nil || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%v, %v: refused is %v, %v", c.file, c.dir, refused, err)
		}
	}
}
