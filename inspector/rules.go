package inspector

import (
	"fmt"
	"slices"
	"strings"

	"locktop/keyspace"
)

// NoLock is what a rule says of keys that are no locks, whatever they look like.
const NoLock = Scheme("none")

// AnyScheme is what a rule says of keys that the user names: they are locks if they can be any, of the scheme that fits.
const AnyScheme = Scheme("")

// Rules decide by hand what evidence cannot: which scheme the keys of a pattern have. The first rule that names a key counts.
// Without any rule, nil, evidence alone decides.
type Rules []Rule

// Rule says that the keys of a pattern are locks of a scheme, or, with [NoLock], no locks. Keys whose bytes do not fit the
// scheme are judged as those of [AnyScheme].
type Rule struct {
	Pattern keyspace.Pattern
	Scheme  Scheme
}

// ParseRule reads "GLOB=SCHEME"; the last "=" divides them.
func ParseRule(text string) (Rule, error) {
	i := strings.LastIndexByte(text, '=')
	if i <= 0 || i == len(text)-1 {
		return Rule{}, fmt.Errorf("%q is no rule: write GLOB=SCHEME, such as 'locks:*=spring-integration'", text)
	}
	scheme := Scheme(text[i+1:])
	if known := RuleSchemes(); !slices.Contains(known, scheme) {
		names := make([]string, 0, len(known))
		for _, k := range known {
			names = append(names, string(k))
		}
		return Rule{}, fmt.Errorf("%q is no scheme: choose one of %s", scheme, strings.Join(names, ", "))
	}
	pattern, err := keyspace.NewPattern(text[:i])
	if err != nil {
		return Rule{}, fmt.Errorf("the glob of the rule %q: %w", text, err)
	}
	return Rule{Pattern: pattern, Scheme: scheme}, nil
}

// WithPatterns are the rules, and after them that the keys of these patterns are named by the user. A pattern that names
// nothing, such as "*", or nothing but a word for lock, as the default patterns do, is no claim that its keys are locks.
func (rules Rules) WithPatterns(patterns []keyspace.Pattern) Rules {
	all := slices.Clip(rules)
	for _, p := range patterns {
		if namesKeys(p) {
			all = append(all, Rule{Pattern: p, Scheme: AnyScheme})
		}
	}
	return all
}

// WithKey are the rules, and after them that the user names this key.
func (rules Rules) WithKey(key string) Rules {
	return append(slices.Clip(rules), Rule{Pattern: keyspace.Pattern{Glob: keyspace.Escape(key)}, Scheme: AnyScheme})
}

// namesKeys reports whether a pattern says more of its keys than "*" and the default patterns do.
func namesKeys(p keyspace.Pattern) bool {
	if !strings.ContainsFunc(p.Glob, func(r rune) bool { return r >= 0x80 || isLetter(byte(r)) || isDigit(byte(r)) }) {
		return false
	}
	word, begins := strings.CutPrefix(p.Glob, "*")
	word, ends := strings.CutSuffix(word, "*")
	return !begins || !ends || !slices.Contains(lockLetters[:], strings.ToLower(word))
}

// RuleSchemes are the schemes that a rule may name.
func RuleSchemes() []Scheme {
	var known []Scheme
	for _, s := range schemes {
		if s.info.Name != SchemeUnknown {
			known = append(known, s.info.Name)
		}
	}
	return append(known, NoLock)
}

// schemeOf is what the rules say of a key.
func (rules Rules) schemeOf(key string) (Scheme, bool) {
	for _, r := range rules {
		if r.Pattern.Match(key) {
			return r.Scheme, true
		}
	}
	return "", false
}
