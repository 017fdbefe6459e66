package tui

// columnSet is some of the columns of the table of locks.
type columnSet uint32

func (s columnSet) has(id columnID) bool { return s&(1<<id) != 0 }

// toggled is the set with a column put in, or taken out where it was in.
func (s columnSet) toggled(id columnID) columnSet { return s ^ 1<<id }

// columnChoice is a column that can be chosen, by the name that settings have.
type columnChoice struct {
	id    columnID
	name  string
	about string // what it shows
	// always says that a row means nothing without it.
	always bool
}

// columnChoices are those of the table of locks, from left to right.
var columnChoices = [...]columnChoice{
	{columnState, "state", "", true},
	{columnKey, "key", "", true},
	{columnScheme, "scheme", "whose layout it is", false},
	{columnHolder, "holder", "who has it now", false},
	{columnCount, "count", "entered how often", false},
	{columnVotes, "votes", "of a Redlock", false},
	{columnTTL, "ttl", "", true},
	{columnHeld, "held", "since when", false},
	{columnWaiters, "waiters", "who waits for it", false},
	{columnSpark, "acquisitions", "of the last minute", false},
	{columnRenewals, "renewals", "how many, how often", false},
	{columnFinding, "finding", "the worst, in words", false},
}

// columnNames are the names of the columns that are not hidden; nil: none is.
func columnNames(hidden columnSet) []string {
	if hidden == 0 {
		return nil
	}
	var names []string
	for _, c := range columnChoices {
		if !hidden.has(c.id) {
			names = append(names, c.name)
		}
	}
	return names
}

// hiddenBeside are the columns that names leave out; nil names leave out none.
func hiddenBeside(names []string) (hidden columnSet, unknown string) {
	if names == nil {
		return 0, ""
	}
	known := make(map[string]columnID, len(columnChoices))
	for _, c := range columnChoices {
		known[c.name] = c.id
		if !c.always {
			hidden |= 1 << c.id
		}
	}
	for _, name := range names {
		id, ok := known[name]
		if !ok {
			return 0, name
		}
		hidden &^= 1 << id
	}
	return hidden, ""
}
