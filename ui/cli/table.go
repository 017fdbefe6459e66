package cli

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/ui/report"
	"locktop/ui/text"
)

// What a cell of the table may take; -o wide shows all of it.
const (
	maxKeyCells    = 60
	maxHolderCells = 36
)

// writeTable writes a line a lock, in aligned columns, all text escaped.
func writeTable(w io.Writer, locks []*inspector.Lock, at time.Time, wide bool) error {
	head := []string{"STATE", "KEY", "SCHEME", "HOLDER", "N", "TTL", "HELD", "WAITERS", "FINDINGS"}
	if wide {
		head = []string{"STATE", "KEY", "SCHEME", "MODE", "OWNER", "LABEL", "N", "TTL", "EXPIRES", "HELD", "WAITERS", "FINDINGS", "NODE", "DB"}
	}
	rows := [][]string{head}
	for _, l := range locks {
		if wide {
			rows = append(rows, wideRow(l, at))
		} else {
			rows = append(rows, row(l, at))
		}
	}
	return writeAligned(w, rows)
}

// row is a lock in the columns of the table.
func row(l *inspector.Lock, at time.Time) []string {
	return []string{
		string(l.State), text.Truncate(text.Escape(l.Key), maxKeyCells), string(l.Scheme),
		text.Truncate(holders(l, labelOf), maxHolderCells), holders(l, countOf), ttl(l, at), held(l, at), waiters(l), codes(l),
	}
}

// wideRow is a lock in the columns of -o wide.
func wideRow(l *inspector.Lock, at time.Time) []string {
	return []string{
		string(l.State), text.Escape(l.Key), string(l.Scheme), orDash(string(l.Mode)),
		holders(l, ownerOf), holders(l, labelOf), holders(l, countOf), ttl(l, at), orDash(report.Instant(leaseEnd(l))), held(l, at),
		waiters(l), codes(l), text.Escape(string(l.Node)), strconv.Itoa(l.DB),
	}
}

// writeAligned pads all columns but the last.
func writeAligned(w io.Writer, rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], text.Width(cell))
		}
	}
	out := bufio.NewWriter(w)
	var line strings.Builder
	for _, r := range rows {
		line.Reset()
		for i, cell := range r {
			if i > 0 {
				line.WriteString("  ")
			}
			line.WriteString(text.PadRight(cell, widths[i]))
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
	return out.Flush() // it keeps the first error of all writes
}

// holders joins one property of all holders.
func holders(l *inspector.Lock, property func(inspector.Holder) string) string {
	parts := make([]string, 0, len(l.Holders))
	for _, h := range l.Holders {
		parts = append(parts, property(h))
	}
	return orDash(strings.Join(parts, "; "))
}

func ownerOf(h inspector.Holder) string { return text.Escape(h.Owner) }

func labelOf(h inspector.Holder) string { return text.Escape(cmp.Or(h.Label, h.Owner)) + goneNote(h) }

func countOf(h inspector.Holder) string {
	if !h.Count.Known {
		return "?"
	}
	return strconv.FormatInt(h.Count.N, 10)
}

// ttl is what the lease has left, by the key's TTL or by the end that the value states.
func ttl(l *inspector.Lock, at time.Time) string {
	ends := leaseEnd(l)
	switch {
	case l.State == inspector.StateFreed, l.State == inspector.StateWrong && ends.IsZero():
		return "-"
	case l.EndUnknown():
		return "?"
	case ends.IsZero():
		return "never"
	case !ends.After(at):
		return "over for " + text.Duration(at.Sub(ends))
	default:
		return text.Duration(ends.Sub(at))
	}
}

// leaseEnd is when the key's TTL ends, or without one the lease by the value; zero: never.
func leaseEnd(l *inspector.Lock) time.Time {
	if l.ExpiresAt.IsZero() {
		return l.LeaseEnds
	}
	return l.ExpiresAt
}

// held is for how long the holder has had it; "≥" where the acquisition was not seen.
func held(l *inspector.Lock, at time.Time) string {
	switch {
	case l.HeldSince.IsZero():
		return "-"
	case l.HeldExact:
		return text.Duration(max(0, at.Sub(l.HeldSince)))
	default:
		return "≥" + text.Duration(max(0, at.Sub(l.HeldSince)))
	}
}

func waiters(l *inspector.Lock) string {
	switch {
	case l.Waiters.By == "" || l.Waiters.By == inspector.WaitersNone:
		return "-"
	case l.Waiters.Exact, l.Waiters.Count == 0:
		return strconv.Itoa(l.Waiters.Count)
	case l.Waiters.AtMost():
		return "≤" + strconv.Itoa(l.Waiters.Count)
	default:
		return "≥" + strconv.Itoa(l.Waiters.Count)
	}
}

func codes(l *inspector.Lock) string {
	parts := make([]string, 0, len(l.Findings))
	for _, f := range l.Findings {
		parts = append(parts, string(f.Code))
	}
	return orDash(strings.Join(parts, ","))
}

func orDash(s string) string { return cmp.Or(s, "-") }

// csvHead names the columns of -o csv; they have the names of the JSON fields.
var csvHead = []string{
	"key", "node", "db", "scheme", "mode", "state", "owner", "count", "ttl_ms", "expires_at", "held_ms", "held_is_exact",
	"waiters", "findings",
}

// writeCSV writes a line a holder, and one for a lock without any. Text is escaped; what is unknown is empty.
func writeCSV(w io.Writer, locks []*inspector.Lock, at time.Time) error {
	out := csv.NewWriter(w)
	err := out.Write(csvHead)
	for _, l := range locks {
		all := l.Holders
		if len(all) == 0 {
			all = []inspector.Holder{{}}
		}
		for _, h := range all {
			if err == nil {
				err = out.Write(csvRow(l, h, at))
			}
		}
	}
	out.Flush()
	return cmp.Or(err, out.Error())
}

func csvRow(l *inspector.Lock, h inspector.Holder, at time.Time) []string {
	count, since, exact, waiting, found := "", "", "", "", ""
	if h.Count.Known {
		count = strconv.FormatInt(h.Count.N, 10)
	}
	if !l.HeldSince.IsZero() {
		since = strconv.FormatInt(max(0, at.Sub(l.HeldSince).Milliseconds()), 10)
		exact = strconv.FormatBool(l.HeldExact)
	}
	if w := waiters(l); w != "-" {
		waiting = strings.TrimPrefix(w, "≥")
	}
	if len(l.Findings) > 0 {
		found = codes(l)
	}
	return []string{
		text.Escape(l.Key), text.Escape(string(l.Node)), strconv.Itoa(l.DB), string(l.Scheme), string(l.Mode), string(l.State),
		text.Escape(h.Owner), count, ttlCell(l, at), report.Instant(leaseEnd(l)), since, exact, waiting, found,
	}
}

// ttlCell is ttl_ms, empty if it is unknown.
func ttlCell(l *inspector.Lock, at time.Time) string {
	left, known := report.Milliseconds(l, at)
	if !known {
		return ""
	}
	return strconv.FormatInt(left, 10)
}

// severities orders findings, the worst last.
var severities = []inspector.Severity{inspector.SeverityInfo, inspector.SeverityWarning, inspector.SeverityCritical}

// worst is the rank of a lock's gravest finding, -1 without any.
func worst(l *inspector.Lock) int {
	rank := -1
	for _, f := range l.Findings {
		rank = max(rank, slices.Index(severities, f.Severity))
	}
	return rank
}

// sorted orders locks for print: the gravest first, then by key.
func sorted(locks []*inspector.Lock) []*inspector.Lock {
	out := slices.Clone(locks)
	slices.SortStableFunc(out, func(a, b *inspector.Lock) int {
		return cmp.Or(cmp.Compare(worst(b), worst(a)), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Node, b.Node), cmp.Compare(a.DB, b.DB))
	})
	return out
}
