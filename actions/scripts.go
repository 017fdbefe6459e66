package actions

import (
	"context"
	"crypto/sha1" //nolint:gosec // Redis names a script by its SHA-1; nothing relies on it being hard to forge.
	"embed"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// script is one of the Lua scripts, with the name that EVALSHA knows it by.
type script struct {
	name string
	text string
	sha  string
}

// The scripts: what an operator does is one, and the holders of locks have some of their own.
var (
	act = loadScript("act")

	acquireToken     = loadScript("acquire_token")
	acquireTimestamp = loadScript("acquire_timestamp")
	acquireHash      = loadScript("recount", "acquire_hash")

	extendTimestamp = loadScript("extend_timestamp")
	extendHash      = loadScript("extend_hash")
	releaseHash     = loadScript("recount", "release_hash")

	acquireFair = loadScript("recount", "fair_queue", "acquire_fair")
	releaseFair = loadScript("recount", "fair_queue", "release_fair")
	leaveFair   = loadScript("fair_queue", "leave_fair")
)

// loadScript puts embedded files together into one chunk. A missing file is a fault of the build, which every test finds.
func loadScript(parts ...string) *script {
	var text strings.Builder
	for _, part := range parts {
		source, err := luaFiles.ReadFile("lua/" + part + ".lua")
		if err != nil {
			panic(err)
		}
		text.WriteString(strip(string(source)))
	}
	sum := sha1.Sum([]byte(text.String())) //nolint:gosec // see the import
	return &script{name: parts[len(parts)-1], text: text.String(), sha: hex.EncodeToString(sum[:])}
}

// strip removes the lines that are only a comment, which the server need not keep. The scripts have no other comments,
// and no text of several lines, in which such a line would mean something else.
func strip(source string) string {
	lines := slices.DeleteFunc(strings.SplitAfter(source, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "--")
	})
	return strings.Join(lines, "")
}

// scripter is what a script needs of a client.
type scripter interface {
	EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd
	Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd
}

// run runs the script, by name if the server knows it. NOSCRIPT says that nothing was run, so that sending the text after
// it sends nothing twice.
func (s *script) run(ctx context.Context, client scripter, keys []string, args ...string) (any, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg
	}
	reply, err := client.EvalSha(ctx, s.sha, keys, values...).Result()
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		reply, err = client.Eval(ctx, s.text, keys, values...).Result()
	}
	return reply, err
}
