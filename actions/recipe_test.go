package actions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// inspectorSchemes reads the schemes out of the inspector's source, so that none can be forgotten here.
func inspectorSchemes(t *testing.T) []inspector.Scheme {
	t.Helper()
	files, err := filepath.Glob("../inspector/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var schemes []inspector.Scheme
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != "Scheme" {
				return true
			}
			for _, value := range spec.Values {
				if literal, ok := value.(*ast.BasicLit); ok {
					schemes = append(schemes, inspector.Scheme(must(strconv.Unquote(literal.Value))(t)))
				}
			}
			return true
		})
	}
	if len(schemes) < 6 {
		t.Fatalf("only found the schemes %v", schemes)
	}
	return schemes
}

func TestEverySchemeHasARecipe(t *testing.T) {
	for _, scheme := range inspectorSchemes(t) {
		recipe, ok := RecipeFor(scheme)
		if !ok {
			t.Errorf("the scheme %q has no recipe; where nothing can be done, a recipe says why in Refused", scheme)
			continue
		}
		if recipe.Guard == "" || recipe.WakeUp == "" {
			t.Errorf("the recipe of %q does not say what it compares, or how it wakes", scheme)
		}
		for _, verb := range Verbs() {
			step, can := recipe.Steps[verb]
			reason := recipe.Refused[verb]
			if can == (reason != "") {
				t.Errorf("%q, %s: supported %v, and refused because %q", scheme, verb, can, reason)
			}
			if can && (step.Refused == "" && (step.Does == "" || step.Then == "") || (step.Milder == "") != (step.MilderThen == "")) {
				t.Errorf("%q, %s: has no words", scheme, verb)
			}
		}
		_, seeded := seeds[scheme]
		seeded = seeded || slices.ContainsFunc(fixtures, func(f fixture) bool { return f.scheme == scheme })
		if !seeded && len(recipe.Steps) > 0 {
			t.Errorf("%q has verbs, and no test", scheme)
		}
	}
}

func TestRefusals(t *testing.T) {
	o := NewOperator(OneServer(embeddedClient(t)), Options{})
	lock := func(scheme inspector.Scheme, kind string) *inspector.Lock {
		l := &inspector.Lock{Scheme: scheme, Holders: []inspector.Holder{{Owner: "A"}}}
		l.Key, l.Observed.Type, l.Observed.ExpiresAt = "lock", "string", time.Now().Add(time.Minute)
		if kind != "" {
			l.Observed.Type = "hash"
		}
		return l
	}
	alone, freed, missing := lock(inspector.SchemeToken, ""), lock(inspector.SchemeToken, ""), &inspector.Lock{State: inspector.StateFreed}
	alone.Holders, freed.State, missing.Key = nil, inspector.StateFreed, "lock"
	for _, test := range []struct {
		name   string
		r      Request
		want   Result
		detail string
	}{
		{"no lock", Request{Verb: VerbRelease}, ResultFailed, "no lock"},
		{"nothing at all", Request{}, ResultFailed, "no lock"},
		{"no verb", Request{Lock: lock(inspector.SchemeToken, ""), Owner: "A"}, ResultUnsupported, `no action ""`},
		{"not a lock", Request{Verb: VerbForceExpire, Lock: lock(inspector.SchemeUnknown, ""), Owner: "A"}, ResultUnsupported, "not a lock"},
		{"a scheme from elsewhere", Request{Verb: VerbRelease, Lock: lock("zookeeper", ""), Owner: "A"}, ResultUnsupported, "no recipe"},
		{"never read", Request{Verb: VerbRelease, Lock: &inspector.Lock{Scheme: inspector.SchemeToken}}, ResultUnsupported, "not read"},
		{"a token in a hash", Request{Verb: VerbRelease, Lock: lock(inspector.SchemeToken, "hash"), Owner: "A"}, ResultUnsupported, "not read"},
		{"nobody", Request{Verb: VerbRelease, Lock: alone}, ResultUnsupported, "nobody was seen"},
		{"freed", Request{Verb: VerbRelease, Lock: freed, Owner: "A"}, ResultGone, ""},
		{"freed, and another owner", Request{Verb: VerbRelease, Lock: freed, Owner: "B"}, ResultGone, ""},
		{"not there when it was read", Request{Verb: VerbExtend, Lock: missing, Owner: "A"}, ResultGone, ""},
		{"another owner", Request{Verb: VerbRelease, Lock: lock(inspector.SchemeToken, ""), Owner: "B"}, ResultNotHolder, ""},
		{"no lease", Request{Verb: VerbExtend, Lock: lock(inspector.SchemeToken, ""), Owner: "A"}, ResultFailed, "at least one millisecond"},
		{"a negative lease", Request{Verb: VerbExtend, TTL: -time.Hour, Lock: lock(inspector.SchemeToken, ""), Owner: "A"}, ResultFailed, "at least one millisecond"},
		{"a negative delay", Request{Verb: VerbForceExpire, TTL: -1, Lock: lock(inspector.SchemeToken, ""), Owner: "A"}, ResultFailed, "the delay"},
		{"a delay that rounds to now", Request{Verb: VerbForceExpire, TTL: 1, Lock: lock(inspector.SchemeToken, ""), Owner: "A"}, ResultFailed, "the delay"},
		{"negative entries", Request{Verb: VerbRelease, Entries: -1, Lock: lock(inspector.SchemeReentrant, "hash"), Owner: "A"}, ResultFailed, "negative"},
		{"an entry of a count that is none", Request{Verb: VerbRelease, Entries: 1, Lock: lock(inspector.SchemeReentrant, "hash"), Owner: "A"}, ResultUnsupported, "no number"},
		{"an entry of a token", Request{Verb: VerbRelease, Entries: 1, Lock: lock(inspector.SchemeToken, ""), Owner: "A"}, ResultUnsupported, "as a whole"},
	} {
		out := o.Do(t.Context(), test.r)
		if out.Result != test.want || !strings.Contains(out.Detail, test.detail) {
			t.Errorf("%s: %+v, want %s and %q", test.name, out, test.want, test.detail)
		}
		if out.Sentence(test.r) == "" || Consequence(test.r) == "" || RedisCLI(test.r) != "" {
			t.Errorf("%s: sentence %q, consequence %q, command %q", test.name, out.Sentence(test.r), Consequence(test.r), RedisCLI(test.r))
		}
	}
}

var (
	luaCall = regexp.MustCompile(`redis\.p?call\(`)
	// goodCall is a call of a command that is spelt out, on a key that the script was given, or on a channel: the lock's, or that of a
	// waiter in the queue.
	goodCall = regexp.MustCompile(`^redis\.p?call\(("PUBLISH", ARGV\[3\]( \.\. ":" \.\. first)?|"[A-Z]+", KEYS\[[123]\])[,)]`)
	// aFunction is a part of a script that only declares a function for the parts after it.
	aFunction = regexp.MustCompile(`^local function (?s:.*)\nend\n$`)
)

// TestScriptsTouchOnlyTheirKeys checks the text of the scripts: a key that is made up in a script is one that a cluster
// cannot route and an ACL cannot see.
func TestScriptsTouchOnlyTheirKeys(t *testing.T) {
	files, err := luaFiles.ReadDir("lua")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile("lua/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		code := strip(string(source))
		if file.Name() == "act.lua" { // its commands come from a plan: see TestPlansNameTheirKeys
			code = strings.NewReplacer("redis.pcall(unpack(command))", "", "redis.call(unpack(words()))", "", "redis.call(unpack(witness))", "",
				"redis.acl_check_cmd", "", "redis.error_reply(", "").Replace(code)
		}
		if strings.Contains(code, "--") || strings.Contains(code, "[[") {
			t.Errorf("%s: has a comment beside the code, or a long string, which would not survive on one line", file.Name())
		}
		calls := luaCall.FindAllStringIndex(code, -1)
		if strings.Count(code, "redis.") != len(calls) {
			t.Errorf("%s: uses redis in another way than by a call", file.Name())
		}
		for _, at := range calls {
			if !goodCall.MatchString(code[at[0]:]) {
				t.Errorf("%s: %.60s", file.Name(), code[at[0]:])
			}
		}
		header, _, _ := strings.Cut(string(source), "\n\n")
		header = header[:strings.LastIndex(header, "--")]
		for _, word := range []string{"KEYS[1]", "ARGV[1]", "Returns"} {
			if !strings.Contains(header, word) {
				t.Errorf("%s: the header does not say %s", file.Name(), word)
			}
		}
		answers := regexp.MustCompile(`return \{"([a-z]+)", "([a-z-]*)"`).FindAllStringSubmatch(code, -1)
		if len(answers) == 0 && !aFunction.MatchString(code) {
			t.Errorf("%s: answers nothing", file.Name())
		}
		for _, found := range answers {
			for _, word := range found[1:] {
				if word != "" && !strings.Contains(header, `"`+word+`"`) {
					t.Errorf("%s: returns %q, which the header does not explain", file.Name(), word)
				}
			}
		}
	}
}

// TestPlansNameTheirKeys checks the commands of all plans in the same way.
func TestPlansNameTheirKeys(t *testing.T) {
	for _, recipe := range Recipes() {
		anything := keyspace.Pattern{Glob: "*"}
		for _, p := range slices.Concat(recipe.samplePlans(anything, Need{}), recipe.samplePlans(anything, Need{Sharded: true})) {
			for _, command := range p.sends() {
				if !publishes(command) && !slices.Contains(p.keys, command[1]) {
					t.Errorf("%s sends %q, and names the keys %q", p.verb, command, p.keys)
				}
			}
		}
	}
}
