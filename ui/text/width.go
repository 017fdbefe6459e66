package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis is what [Truncate] puts in the place of what it cut off.
const Ellipsis = "…"

// Width is the number of terminal cells that s takes; escape sequences take none.
func Width(s string) int {
	if ascii(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Truncate cuts s to at most width cells; the last of them is an ellipsis where something was cut off.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if ascii(s) {
		if len(s) <= width {
			return s
		}
		return s[:width-1] + Ellipsis
	}
	return ansi.Truncate(s, width, Ellipsis)
}

// PadRight fits s into exactly width cells: cut with an ellipsis, or filled with spaces on its right.
func PadRight(s string, width int) string {
	s = Truncate(s, width)
	return s + Spaces(width-Width(s))
}

// PadLeft fits s into exactly width cells: cut with an ellipsis, or filled with spaces on its left.
func PadLeft(s string, width int) string {
	s = Truncate(s, width)
	return Spaces(width-Width(s)) + s
}

const blanks = "                                                                                                    "

// Spaces is n spaces; none where n is negative.
func Spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	default:
		return strings.Repeat(" ", n)
	}
}
