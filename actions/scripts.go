package actions

import (
	"context"
	"crypto/sha1" //nolint:gosec // Redis names a script by its SHA-1; nothing relies on it being hard to forge.
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// The scripts. Those of the operator begin with the guard of the type that the lock is kept in.
var (
	acquireToken     = loadScript("acquire_token")
	acquireTimestamp = loadScript("acquire_timestamp")
	acquireHash      = loadScript("recount", "acquire_hash")

	releaseString   = loadScript("guard_string", "release_string")
	extendString    = loadScript("guard_string", "extend")
	extendTimestamp = loadScript("guard_string", "extend_timestamp")
	expireString    = loadScript("guard_string", "wake", "expire")

	releaseHash = loadScript("guard_hash", "recount", "wake", "release_hash")
	extendHash  = loadScript("guard_hash", "extend")
	expireHash  = loadScript("guard_hash", "wake", "expire")
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
func (s *script) run(ctx context.Context, client scripter, keys []string, args ...string) (answer, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg
	}
	reply, err := client.EvalSha(ctx, s.sha, keys, values...).Result()
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		reply, err = client.Eval(ctx, s.text, keys, values...).Result()
	}
	if err != nil {
		return answer{}, err
	}
	return parseAnswer(reply)
}

// The codes that a script answers, and their reasons; the scripts' headers say what they mean.
const (
	codeDone    = "done"
	codeLeft    = "left"
	codeGone    = "gone"
	codeOther   = "other"
	codeChanged = "changed"

	whyType    = "type"
	whyCount   = "count"
	whyFields  = "fields"
	whyTTL     = "ttl"
	whyNoTTL   = "no-ttl"
	whyLonger  = "longer"
	whyShorter = "shorter"
)

// The last argument of extend.lua.
const (
	extendLonger = "longer" // an operator's: it never shortens the lease
	extendSet    = "set"    // a holder's renewal
)

// answer is what a script returns: what it did, and what is in the key now.
type answer struct {
	code, why string
	// owner is the value, the field, or with whyType the type; its first 512 bytes at most.
	owner string
	// count is the owner's entry count as the key has it; empty where there is none.
	count string
	// pttl is in milliseconds; -1: no TTL, -2: no key.
	pttl int64
	// woken is the number of clients that received a wake-up; -1: none was sent.
	woken int64
}

// entries is the count as a number; 0 where it is none.
func (a answer) entries() int64 {
	n, err := strconv.ParseInt(a.count, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

var errAnswer = errors.New("the script answered what it never does")

func parseAnswer(reply any) (answer, error) {
	items, ok := reply.([]any)
	if !ok || len(items) != 6 {
		return answer{}, fmt.Errorf("%w: %v", errAnswer, reply)
	}
	var a answer
	for i, text := range []*string{&a.code, &a.why, &a.owner, &a.count} {
		if *text, ok = items[i].(string); !ok {
			return answer{}, fmt.Errorf("%w: %v", errAnswer, reply)
		}
	}
	for i, number := range []*int64{&a.pttl, &a.woken} {
		if *number, ok = items[4+i].(int64); !ok {
			return answer{}, fmt.Errorf("%w: %v", errAnswer, reply)
		}
	}
	return a, nil
}
