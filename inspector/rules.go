package inspector

import (
	"fmt"
	"slices"
	"strings"

	"locktop/keyspace"
)

// NoLock is what a rule says of keys that are no locks, whatever they look like.
const NoLock = Scheme("none")

// Rules decide by hand what evidence cannot: which scheme the keys of a pattern have. The first rule that names a key counts.
// Without any rule, nil, evidence alone decides.
type Rules []Rule

// Rule says that the keys of a pattern are locks of a scheme, or, with [NoLock], no locks. Keys whose bytes do not fit the
// scheme are judged by evidence all the same.
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
