package tui

// Settings is what of the dashboard a user may save for a profile. A zero value stands for the default of each.
type Settings struct {
	// View is the one to begin with: "locks", "holders", "events" or "nodes".
	View string
	// Columns are the names of those that the table of locks may show; nil: all.
	Columns []string
	// Sort is the name of the order; Reverse turns it.
	Sort    string
	Reverse bool
	// Filter is a text or a glob, as "/" takes it; Suspects shows suspects only.
	Filter   string
	Suspects bool
	// Theme is one of those that --theme names.
	Theme string
}
