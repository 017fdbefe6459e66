package tui

import "locktop/ui/text"

// part is a run of text in one style.
type part struct {
	style style
	text  string
}

// segment is a piece of a line that is shown whole or not at all.
type segment struct {
	// tight puts it close to the segment before it.
	tight bool
	// rank is its importance: the greatest rank is dropped first, and rank 0 never.
	rank  int
	parts []part
}

func piece(rank int, s style, t string) segment {
	return segment{rank: rank, parts: []part{{s, t}}}
}

// before is the gap before the segment where the line has the given one.
func (s segment) before(gap int) int {
	if s.tight {
		return 1
	}
	return gap
}

func (s segment) width() int {
	w := 0
	for _, p := range s.parts {
		w += text.Cells(p.text)
	}
	return w
}

// spread paints one line: some segments from the left edge, some up to the right edge, with gap cells between
// neighbours. On a narrow window the segments of the greatest rank give way.
func (p *painter) spread(left, right []segment, gap int) {
	left, right = fitSegments(left, right, gap, p.width-p.used-2)
	p.gap(1)
	p.segments(left, gap)
	if len(right) > 0 {
		p.to(max(p.used, p.width-1-segmentsWidth(right, gap)))
		p.segments(right, gap)
	}
	p.end()
}

// air is the gap between the parts of a line; a narrow window has less of it.
func (p *painter) air() int {
	if p.width < 100 {
		return 2
	}
	return 3
}

func (p *painter) segments(list []segment, gap int) {
	for i, s := range list {
		if i > 0 {
			p.gap(s.before(gap))
		}
		for _, part := range s.parts {
			p.put(part.style, part.text)
		}
	}
}

func segmentsWidth(list []segment, gap int) int {
	w := 0
	for i, s := range list {
		if i > 0 {
			w += s.before(gap)
		}
		w += s.width()
	}
	return w
}

// fitSegments drops segments, the least important and the last first, until both sides fit into width.
func fitSegments(left, right []segment, gap, width int) (keptLeft, keptRight []segment) {
	for {
		total := segmentsWidth(left, gap) + segmentsWidth(right, gap)
		if len(left) > 0 && len(right) > 0 {
			total += gap
		}
		if total <= width {
			return left, right
		}
		l, r := leastImportant(left), leastImportant(right)
		switch {
		case l < 0 && r < 0:
			return left, right
		case r < 0 || l >= 0 && left[l].rank > right[r].rank:
			left = without(left, l)
		default:
			right = without(right, r)
		}
	}
}

// leastImportant is the index of the last segment with the greatest rank; -1: none may be dropped.
func leastImportant(list []segment) int {
	found, rank := -1, 0
	for i, s := range list {
		if s.rank > 0 && s.rank >= rank {
			found, rank = i, s.rank
		}
	}
	return found
}

func without(list []segment, i int) []segment {
	kept := make([]segment, 0, len(list)-1)
	kept = append(kept, list[:i]...)
	return append(kept, list[i+1:]...)
}
