package tui

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// named are the bindings of a key map by the names that a configuration has for them: CopyCommand is "copy-command".
func (k *keyMap) named() map[string]*key.Binding {
	all := reflect.ValueOf(k).Elem()
	out := make(map[string]*key.Binding, all.NumField())
	for i := range all.NumField() {
		if b, is := all.Field(i).Addr().Interface().(*key.Binding); is {
			out[hyphened(all.Type().Field(i).Name)] = b
		}
	}
	return out
}

// hyphened is a name of Go's in lower case, with hyphens.
func hyphened(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// BindingNames are the names of all keys, as [Config.Keys] has them.
func BindingNames() []string {
	k := newKeyMap()
	return slices.Sorted(maps.Keys(k.named()))
}

// neverText are the bindings that count while text is typed, or go before everything else: a letter for one of them would be a
// letter that cannot be typed.
var neverText = []string{"back", "choose", "cancel", "next", "previous", "suspend", "interrupt"}

// lastResort always interrupts, whatever the configuration says.
const lastResort = "ctrl+c"

// CheckKeys says what is wrong with other keys for some bindings, by the names of those: a name or a key that there is not, or a
// key that two bindings would have. Those that share a key from the beginning, in places that exclude each other, may.
func CheckKeys(keys map[string][]string) map[string]error {
	wrong := map[string]error{}
	k := newKeyMap()
	before := make(map[string][]string)
	for name, b := range k.named() {
		before[name] = b.Keys()
	}
	after := maps.Clone(before)
	for name, presses := range keys {
		if before[name] == nil {
			wrong[name] = fmt.Errorf("there is no key by the name %q", name)
			continue
		}
		meant, err := readKeys(name, presses)
		if err != nil {
			wrong[name] = err
			continue
		}
		after[name] = meant
	}
	names := slices.Sorted(maps.Keys(after))
	for i, a := range names {
		for _, b := range names[:i] {
			for _, press := range after[a] {
				if !slices.Contains(after[b], press) || slices.Contains(before[a], press) && slices.Contains(before[b], press) {
					continue
				}
				told, other := a, b
				if keys[a] == nil {
					told, other = b, a
				}
				if wrong[told] == nil {
					wrong[told] = fmt.Errorf("%q is %s and %s at once; give one of them another key", spelled(press), told, other)
				}
			}
		}
	}
	return wrong
}

// readKeys reads the keys that a configuration has for a binding.
func readKeys(name string, presses []string) ([]string, error) {
	if len(presses) == 0 {
		return nil, fmt.Errorf("%s has no key; give it one", name)
	}
	var out []string
	for _, press := range presses {
		meant, err := parseKey(press)
		if err != nil {
			return nil, err
		}
		if slices.Contains(neverText, name) && printable(meant) {
			return nil, fmt.Errorf("%s counts while text is typed, so that %q could not be typed any more; give it a key such as ctrl+g or f2", name, spelled(meant))
		}
		if !slices.Contains(out, meant) {
			out = append(out, meant)
		}
	}
	if name == "interrupt" && !slices.Contains(out, lastResort) {
		out = append(out, lastResort)
	}
	return out, nil
}

// keySpellings are other words for keys.
var keySpellings = map[string]string{"space": " ", "escape": "esc", "return": "enter", "pageup": "pgup", "pagedown": "pgdown", "del": "delete"}

// sameKey are keys that a terminal cannot tell from others.
var sameKey = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+?": "backspace"}

// specialKeys are the keys that have names, by what Bubble Tea calls them.
var specialKeys = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for k := tea.KeyType(-200); k <= 127; k++ {
		if name := k.String(); name != "" && k != tea.KeyRunes {
			all[name] = true
		}
	}
	return all
})

// parseKey is what Bubble Tea calls a key that a configuration names.
func parseKey(s string) (string, error) {
	rest, alt := strings.CutPrefix(s, "alt+")
	if other, is := keySpellings[rest]; is {
		rest = other
	}
	if twin := sameKey[rest]; twin != "" {
		return "", fmt.Errorf("a terminal cannot tell %s from %s; write %s, or another key", rest, twin, twin)
	}
	if runes := []rune(rest); !specialKeys()[rest] && (len(runes) != 1 || !unicode.IsPrint(runes[0])) {
		return "", fmt.Errorf(`%q is no key; write a letter or a sign, or such as "ctrl+r", "alt+r", "f5", "space", "enter", "tab", "home", "pgup", "up"`, s)
	}
	if alt {
		return "alt+" + rest, nil
	}
	return rest, nil
}

// printable says whether a key is text where text is typed.
func printable(press string) bool { return len([]rune(press)) == 1 }

// spelled is a key as a configuration has it.
func spelled(press string) string {
	if press == " " {
		return "space"
	}
	return press
}

// keySigns are what the hints and the help show in the place of a key's name.
var keySigns = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "⏎", " ": "␣", "tab": "⇥", "shift+tab": "⇤", "pgup": "PgUp", "pgdown": "PgDn",
	"home": "Home", "end": "End", "delete": "Del", "insert": "Ins",
}

// sign is what the hints and the help show for a key.
func sign(press string) string {
	rest, alt := strings.CutPrefix(press, "alt+")
	if shown, is := keySigns[rest]; is {
		rest = shown
	} else if letter, ctrl := strings.CutPrefix(rest, "ctrl+"); ctrl {
		rest = "^" + letter
	}
	if alt {
		return "M-" + rest
	}
	return rest
}

// remap gives bindings the keys of a configuration; the hints and the help show the first of each.
func (k *keyMap) remap(keys map[string][]string) error {
	var errs []error
	wrong := CheckKeys(keys)
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		errs = append(errs, fmt.Errorf("keys: %w", wrong[name]))
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	all := k.named()
	for name, presses := range keys {
		meant, err := readKeys(name, presses)
		if err != nil {
			return err
		}
		all[name].SetKeys(meant...)
		all[name].SetHelp(sign(meant[0]), all[name].Help().Desc)
	}
	return nil
}
