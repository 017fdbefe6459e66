package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// directive is one of string.format: %-5.2f.
type directive struct {
	flags            string
	width, precision int // -1 is none
	verb             byte
}

// format is string.format.
func (m *machine) format(L *lua.LState) int {
	template := stringArgument(L, 1, "format")
	result := builder{m: m, L: L}
	for n := 1; template != ""; {
		m.tick(L)
		at := strings.IndexByte(template, '%')
		if at < 0 {
			at = len(template)
		}
		result.add(template[:at])
		template = template[at:]
		if template == "" {
			break
		}
		if strings.HasPrefix(template, "%%") {
			result.add("%")
			template = template[2:]
			continue
		}
		n++
		if n > L.GetTop() {
			argumentError(L, n, "format", "no value")
		}
		var d directive
		d, template = parseDirective(L, template[1:])
		result.add(m.formatOne(L, d, n))
	}
	result.push()
	return 1
}

// parseDirective reads what follows the "%". As in C, neither width nor precision has more than two
// digits.
func parseDirective(L *lua.LState, template string) (d directive, rest string) {
	const flags = "-+ #0"
	rest = strings.TrimLeft(template, flags)
	d.flags = template[:len(template)-len(rest)]
	if len(d.flags) > len(flags) {
		L.RaiseError("invalid format (repeated flags)")
	}
	d.width, rest = leadingDigits(rest)
	d.precision = -1
	if after, has := strings.CutPrefix(rest, "."); has {
		d.precision, rest = leadingDigits(after)
		d.precision = max(d.precision, 0)
	}
	if rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		L.RaiseError("invalid format (width or precision too long)")
	}
	if rest == "" {
		L.RaiseError("%s", "invalid option '%' to 'format'")
	}
	d.verb = rest[0]
	return d, rest[1:]
}

func leadingDigits(s string) (n int, rest string) {
	digits := 0
	for digits < min(len(s), 2) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	n, err := strconv.Atoi(s[:digits])
	if err != nil {
		n = -1 // there is none
	}
	return n, s[digits:]
}

func (m *machine) formatOne(L *lua.LState, d directive, n int) string {
	switch d.verb {
	case 'c':
		return d.pad(string([]byte{byte(intArgument(L, n, "format"))}))
	case 'd', 'i':
		return fmt.Sprintf(d.layout("d"), wholeNumber(numberArgument(L, n, "format")))
	case 'u':
		return fmt.Sprintf(d.layout("d"), uint64(wholeNumber(numberArgument(L, n, "format"))))
	case 'o', 'x', 'X':
		return fmt.Sprintf(d.layout(string(d.verb)), uint64(wholeNumber(numberArgument(L, n, "format"))))
	case 'e', 'E', 'f', 'g', 'G':
		return d.float(numberArgument(L, n, "format"))
	case 'q':
		return m.quote(L, stringArgument(L, n, "format"))
	case 's':
		s := stringArgument(L, n, "format")
		if d.precision >= 0 {
			s = s[:min(len(s), d.precision)]
		}
		return d.pad(s)
	}
	L.RaiseError("%s", "invalid option '%"+string(d.verb)+"' to 'format'")
	return ""
}

// layout is the directive for Go, which reads flags, width and precision of numbers as C does.
func (d directive) layout(verb string) string {
	layout := "%" + d.flags
	if d.width >= 0 {
		layout += strconv.Itoa(d.width)
	}
	if d.precision >= 0 {
		layout += "." + strconv.Itoa(d.precision)
	}
	return layout + verb
}

func (d directive) float(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		s := formatNumber(f, shownDigits)
		if strings.Contains(d.flags, "+") && s[0] != '-' {
			s = "+" + s
		}
		return d.pad(s)
	}
	if d.precision < 0 {
		d.precision = 6 // Go's %g would take as many as it needs
	}
	return fmt.Sprintf(d.layout(string(d.verb)), f)
}

// pad counts bytes, where Go counts letters.
func (d directive) pad(s string) string {
	blanks := strings.Repeat(" ", max(d.width-len(s), 0))
	if strings.Contains(d.flags, "-") {
		return s + blanks
	}
	return blanks + s
}

// quote is %q: a text that Lua reads as this string.
func (m *machine) quote(L *lua.LState, s string) string {
	b := builder{m: m, L: L}
	b.add(`"`)
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			b.add(`\` + string(rune(c)))
		case '\r':
			b.add(`\r`)
		case 0:
			b.add(`\000`)
		default:
			b.add(s[i : i+1])
		}
	}
	b.add(`"`)
	return string(b.data)
}
