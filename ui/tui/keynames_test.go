package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestOtherKeys(t *testing.T) {
	for _, c := range []struct {
		keys  map[string][]string
		wrong string // the name of the binding and what is said of it; empty: nothing is wrong
	}{
		{map[string][]string{"release": {"ctrl+r"}, "extend": {"f5", "alt+e"}, "freeze": {"space"}}, ""},
		{map[string][]string{"release": {"x"}, "expire": {"r"}}, ""}, // they change places
		{map[string][]string{"back": {"esc", "ctrl+g"}}, ""},
		{map[string][]string{"interrupt": {"ctrl+q"}}, ""},
		{map[string][]string{"relaese": {"r"}}, `relaese: there is no key by the name "relaese"`},
		{map[string][]string{"release": {}}, "release: release has no key"},
		{map[string][]string{"release": {"ctrl-r"}}, `release: "ctrl-r" is no key`},
		{map[string][]string{"release": {"ab"}}, `release: "ab" is no key`},
		{map[string][]string{"release": {""}}, `release: "" is no key`},
		{map[string][]string{"release": {"\x1b"}}, `release: "\x1b" is no key`},
		{map[string][]string{"release": {"ctrl+i"}}, "release: a terminal cannot tell ctrl+i from tab"},
		{map[string][]string{"release": {"x"}}, `release: "x" is release and expire at once`},
		{map[string][]string{"release": {"f5"}, "extend": {"f5"}}, `release: "f5" is release and extend at once`},
		{map[string][]string{"freeze": {"ctrl+c"}}, `freeze: "ctrl+c" is freeze and interrupt at once`},
		{map[string][]string{"interrupt": {"q"}}, "interrupt: interrupt counts while text is typed"},
		{map[string][]string{"cancel": {"n"}}, "cancel: cancel counts while text is typed"},
		{map[string][]string{"release": {"enter"}}, `release: "enter" is release and `},
		{map[string][]string{"release": {"tab"}}, `release: "tab" is release and next at once`},
	} {
		wrong := CheckKeys(c.keys)
		if c.wrong == "" {
			if len(wrong) != 0 {
				t.Errorf("%v: %v", c.keys, wrong)
			}
			continue
		}
		name, said, _ := strings.Cut(c.wrong, ": ")
		if len(wrong) != 1 || wrong[name] == nil || !strings.HasPrefix(wrong[name].Error(), said) {
			t.Errorf("%v: %v, want %s", c.keys, wrong, c.wrong)
		}
	}
}

func TestBindingNames(t *testing.T) {
	names := strings.Join(BindingNames(), " ")
	for _, name := range []string{"release", "copy-command", "half-up", "interrupt"} {
		if !strings.Contains(" "+names+" ", " "+name+" ") {
			t.Errorf("%s is not among %s", name, names)
		}
	}
	for _, name := range BindingNames() { // what is there is right, also where somebody writes it down
		k := newKeyMap()
		if wrong := CheckKeys(map[string][]string{name: k.named()[name].Keys()}); len(wrong) != 0 {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}

func TestOtherKeysWorkAndAreShown(t *testing.T) {
	h := withFixture(t, 160, 30, "default")
	if err := h.m.keys.remap(map[string][]string{"release": {"f5", "ctrl+r"}, "help": {"f1"}, "freeze": {"alt+f"}, "interrupt": {"ctrl+q"}}); err != nil {
		t.Fatal(err)
	}
	h.keys("j", "k")
	h.wantSeen("f5 release", "f1 help", "M-f freeze")
	press := func(types ...tea.KeyType) {
		for _, k := range types {
			h.send(tea.KeyMsg{Type: k})
		}
	}
	press(tea.KeyF1)
	h.wantSeen("f5        release", "M-f       freeze the screen", "^z ^q     to the shell, quit at once")
	press(tea.KeyF1)
	h.keys("r", "?")
	if h.m.help || h.m.dialog != nil {
		t.Fatal("the help stays, or an old key does what it did")
	}
	press(tea.KeyCtrlR)
	h.wantSeen("release lock:invoice:7731", "[ Cancel ]")
	press(tea.KeyCtrlR, tea.KeyF5)
	h.run()
	if len(h.operator.requests) != 0 || h.m.dialog == nil {
		t.Fatal("the key that opens the dialog does something in it")
	}
	press(tea.KeyCtrlC)
	if !h.m.interrupted {
		t.Error("ctrl+c was taken away")
	}
	if err := h.m.keys.remap(map[string][]string{"release": {"nope"}}); err == nil {
		t.Error("a key that there is not was taken")
	}
}
