package cli

import (
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"locktop/ui/text"
)

// chooseAlphabet settles whether anything but ASCII is written: --ascii says it, or else the locale. What machines read
// (JSON, CSV, a script for a shell) is UTF-8 whatever the locale is.
func (a *app) chooseAlphabet(cmd *cobra.Command) {
	only := asciiLocale(runtime.GOOS, a.lookup)
	if f := cmd.Flags().Lookup("ascii"); f != nil && f.Changed {
		only = f.Value.String() == "true"
	}
	if f := cmd.Flags().Lookup("output"); f != nil && (f.Value.String() == "json" || f.Value.String() == "csv") {
		only = false
	}
	if cmd.Name() == "completion" {
		only = false
	}
	text.SetASCII(only)
	if only {
		a.stdout, a.stderr = &text.ASCIIWriter{Writer: a.stdout}, &text.ASCIIWriter{Writer: a.stderr}
	}
}

// asciiLocale says whether the terminal shows nothing but ASCII, by the variables that setlocale goes by, in its order: the
// first that is not empty counts, and it must name UTF-8 ("en_US.UTF-8", "C.utf8", macOS' "UTF-8"). C and POSIX do not, nor
// does a language without a character set.
//
// Where nothing is set the locale is C by the letter, and htop draws ASCII. Nobody has chosen that, though: containers,
// cron and ssh set nothing, while the terminal outside shows UTF-8. So it is taken for UTF-8, but for terminals that are
// known to have few signs: the console of Linux, whose font has some hundred, and those from before Unicode. On Windows the
// console is written to in UTF-16, and knows no such variable.
func asciiLocale(system string, lookup func(string) (string, bool)) bool {
	if system == "windows" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale, _ := lookup(name)
		if locale == "" {
			continue
		}
		locale, _, _ = strings.Cut(locale, "@")
		if _, charset, named := strings.Cut(locale, "."); named {
			locale = charset
		}
		switch strings.ToLower(locale) {
		case "utf-8", "utf8":
			return false
		}
		return true
	}
	terminal, _ := lookup("TERM")
	return terminal == "linux" || strings.HasPrefix(terminal, "vt")
}
