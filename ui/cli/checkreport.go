package cli

import (
	"fmt"
	"strings"

	"locktop/ui/text"
)

// checkSchema is the schema of "check -o json".
const checkSchema = "locktop.check/1"

// checkJSON is what "check" found.
type checkJSON struct {
	Schema string `json:"schema"`
	Node   string `json:"node"` // the first master that answers
	DB     int    `json:"db"`
	// Topology is how the servers belong together.
	Topology string     `json:"topology"`
	Checks   []itemJSON `json:"checks"`
	// Look and Act are the ACL lines for a user with the least rights that looking, and besides it acting, takes.
	Look string `json:"acl_look"`
	Act  string `json:"acl_act"`
	// Sentinel is the same for the sentinels, where there are some.
	Sentinel string `json:"acl_sentinel,omitempty"`
}

// itemJSON is one thing that was tried.
type itemJSON struct {
	// Node is the server that it is about, where there are several; absent of what is so here.
	Node string `json:"node,omitempty"`
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Untried says that nobody knows: this user may not ask.
	Untried bool   `json:"untried,omitempty"`
	Detail  string `json:"detail"`
	// Mend is the exact command or ACL line, where there is one.
	Mend string `json:"mend,omitempty"`
}

// writeCheck prints the report for people: server by server, and last what is so here.
func (a *app) writeCheck(report checkJSON) error {
	var b strings.Builder
	width := 0
	several := false
	for _, item := range report.Checks {
		width = max(width, len(item.Name)+2)
		several = several || item.Node != ""
	}
	if !several {
		fmt.Fprintf(&b, "%s, database %d\n", text.Escape(report.Node), report.DB)
	}
	node := ""
	for _, item := range report.Checks {
		if several && item.Node != node {
			node = item.Node
			where := "here"
			if node != "" {
				where = text.Escape(node)
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintln(&b, where)
		}
		mark := "ok"
		switch {
		case item.Untried:
			mark = "? "
		case !item.OK:
			mark = "NO"
		}
		fmt.Fprintf(&b, "%s  %-*s%s\n", mark, width, item.Name, text.Escape(item.Detail))
		for line := range strings.Lines(item.Mend) {
			fmt.Fprintf(&b, "    %-*s%s\n", width, "", text.Legible(strings.TrimRight(line, "\n")))
		}
	}
	fmt.Fprintf(&b, "\nthe least that a user needs to look at these keys:\n  %s\nand besides, to act on them:\n  %s\n",
		text.Legible(report.Look), text.Legible(report.Act))
	if report.Sentinel != "" {
		fmt.Fprintf(&b, "and on each sentinel:\n  %s\n", text.Legible(report.Sentinel))
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}
