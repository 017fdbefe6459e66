package servers

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// binary is a server program that can be run.
type binary struct {
	name, path, version string
}

// private is what a server of that program is called that is our own.
func (b binary) private() string { return b.name + " " + b.version + " (private)" }

// binaries are the programs to look for, the best first.
var binaries = []string{"redis-server", "valkey-server"}

// The oldest version that the demo is tested against.
const (
	oldestMajor = 6
	oldestMinor = 2
)

// versionTimeout is how long a program may take to say its version.
const versionTimeout = 5 * time.Second

// versionPattern finds the version in "Redis server v=7.0.15 sha=..." and "Valkey server v=8.1.1 sha=...".
var versionPattern = regexp.MustCompile(`\bv=((\d+)\.(\d+)\.\d+)`)

// findBinary looks on PATH for a server that is new enough, for a demo that could as well run on the embedded one.
func findBinary(ctx context.Context) (binary, error) {
	b, err := mustFindBinary(ctx)
	if err != nil {
		return binary{}, fmt.Errorf("%w, or use --server embedded", err)
	}
	return b, nil
}

// mustFindBinary does so where no other server will do. The error says of each program why it will not.
func mustFindBinary(ctx context.Context) (binary, error) {
	var why []error
	for _, name := range binaries {
		path, err := exec.LookPath(name)
		if err != nil {
			why = append(why, err)
			continue
		}
		b, err := askVersion(ctx, name, path)
		if err == nil {
			return b, nil
		}
		why = append(why, err)
	}
	return binary{}, fmt.Errorf("%w (%w): install Redis %d.%d or later", ErrNoServer, oneLine(why), oldestMajor, oldestMinor)
}

// oneLine joins errors by semicolons, for errors.Join would break the line.
func oneLine(errs []error) error {
	var all error
	for _, err := range errs {
		if all == nil {
			all = err
		} else {
			all = fmt.Errorf("%w; %w", all, err)
		}
	}
	return all
}

// askVersion runs a program with --version, and refuses one that is too old.
func askVersion(ctx context.Context, name, path string) (binary, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	ask := exec.CommandContext(ctx, path, "--version")
	ask.Env, ask.SysProcAttr = withoutSecrets(), attributes()
	said, err := ask.Output()
	if err != nil {
		return binary{}, fmt.Errorf("%s --version: %w", path, err)
	}
	version, err := parseVersion(string(said))
	if err != nil {
		return binary{}, fmt.Errorf("%s: %w", path, err)
	}
	return binary{name: name, path: path, version: version}, nil
}

// parseVersion reads what --version prints, and refuses what is too old.
func parseVersion(said string) (string, error) {
	found := versionPattern.FindStringSubmatch(said)
	if found == nil {
		return "", errors.New("its --version names no version")
	}
	major, errMajor := strconv.Atoi(found[2])
	minor, errMinor := strconv.Atoi(found[3])
	if err := errors.Join(errMajor, errMinor); err != nil {
		return "", fmt.Errorf("version %s: %w", found[1], err)
	}
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return "", fmt.Errorf("version %s is too old", found[1])
	}
	return found[1], nil
}
