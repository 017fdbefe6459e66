package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktop/ui/text"
)

// Mistake is one thing that is wrong in a file: what, why, and the mend.
type Mistake struct {
	Line int
	Text string
}

// Mistakes are all that is wrong in a file, in the order of its lines.
type Mistakes struct {
	Path string
	List []Mistake
}

// Error is the first of them, in one line.
func (m *Mistakes) Error() string {
	said := m.Line(m.List[0])
	switch n := len(m.List) - 1; n {
	case 0:
		return said
	case 1:
		return said + " (and one mistake more: locktop check --config)"
	default:
		return fmt.Sprintf("%s (and %d mistakes more: locktop check --config)", said, n)
	}
}

// Line is one of them as compilers print it, so that editors jump to it.
func (m *Mistakes) Line(one Mistake) string {
	return fmt.Sprintf("%s:%d: %s", m.Path, one.Line, one.Text)
}

// mistakes are gathered while a file is read.
type mistakes []Mistake

func (m *mistakes) add(line int, format string, args ...any) {
	*m = append(*m, Mistake{line, fmt.Sprintf(format, args...)})
}

// inOrder are the mistakes by their lines.
func (m mistakes) inOrder() []Mistake {
	slices.SortStableFunc(m, func(a, b Mistake) int { return cmp.Compare(a.Line, b.Line) })
	return m
}

// offered is a name that is none, with the one that was meant, or with all that there are.
func offered(name string, names []string) string {
	said := `"` + text.Escape(name) + `"`
	switch near := nearest(name, names); {
	case near != "":
		return fmt.Sprintf("%s; did you mean %s?", said, near)
	case len(names) == 0:
		return said + "; there are none"
	default:
		return fmt.Sprintf("%s; there are %s", said, strings.Join(names, ", "))
	}
}

// nearest is the name that was probably meant; empty: none is near.
func nearest(name string, names []string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	best, least := "", 1+max(1, min(len(name)/3, 3))
	for _, candidate := range names {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	if best != "" || len(name) < 3 {
		return best
	}
	for _, candidate := range names {
		if strings.HasPrefix(candidate, name) || strings.HasPrefix(name, candidate+"s") {
			return candidate
		}
	}
	return ""
}

// distance is how many characters have to be changed, put in, taken out or swapped with their neighbour to get from a to b.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j-1]+change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = last, row, before
	}
	return rows[1][len(b)]
}
