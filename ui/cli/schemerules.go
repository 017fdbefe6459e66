package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"locktop/inspector"
)

// schemeRules are --scheme-rule: what the user knows of his locks, and the bytes do not say.
type schemeRules struct {
	texts []string
	rules inspector.Rules
}

// add offers the flag.
func (r *schemeRules) add(set *pflag.FlagSet) {
	set.Var(r, "scheme-rule", "`'GLOB=SCHEME'`: the keys that the glob names are locks of this scheme, or, with none, no locks; repeatable, the first that fits counts")
}

func (r *schemeRules) String() string { return strings.Join(r.texts, ",") }
func (r *schemeRules) Type() string   { return "GLOB=SCHEME" }

// Set adds one.
func (r *schemeRules) Set(text string) error { return r.Append(text) }

// Append adds one; with the next two it is a pflag.SliceValue.
func (r *schemeRules) Append(text string) error {
	rule, err := inspector.ParseRule(text)
	if err != nil {
		return err
	}
	r.texts, r.rules = append(r.texts, text), append(r.rules, rule)
	return nil
}

// Replace takes these in the place of all.
func (r *schemeRules) Replace(texts []string) error {
	r.texts, r.rules = nil, nil
	for _, text := range texts {
		if err := r.Append(text); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice is them all.
func (r *schemeRules) GetSlice() []string { return r.texts }
