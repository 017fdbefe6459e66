package cli

import "testing"

func TestASCIILocale(t *testing.T) {
	for _, c := range []struct {
		system string
		env    map[string]string
		want   bool
	}{
		{"linux", map[string]string{"LANG": "de_DE.UTF-8"}, false},
		{"linux", map[string]string{"LANG": "de_DE.utf8@euro"}, false},
		{"darwin", map[string]string{"LC_CTYPE": "UTF-8"}, false},
		{"linux", map[string]string{"LANG": "C.UTF-8", "TERM": "linux"}, false},
		{"linux", map[string]string{"LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"}, true},
		{"linux", map[string]string{"LC_CTYPE": "POSIX", "LANG": "C.UTF-8"}, true},
		{"linux", map[string]string{"LC_ALL": "", "LC_CTYPE": "en_US.UTF-8", "LANG": "C"}, false},
		{"linux", map[string]string{"LANG": "de_DE"}, true},
		{"linux", map[string]string{"LANG": "de_DE.ISO-8859-1"}, true},
		{"linux", map[string]string{"TERM": "xterm-256color"}, false},
		{"linux", map[string]string{"TERM": "linux"}, true},
		{"linux", map[string]string{"TERM": "vt220"}, true},
		{"windows", map[string]string{"LANG": "C"}, false},
	} {
		lookup := func(name string) (string, bool) {
			value, ok := c.env[name]
			return value, ok
		}
		if got := asciiLocale(c.system, lookup); got != c.want {
			t.Errorf("%s, %v: %v, want %v", c.system, c.env, got, c.want)
		}
	}
}
