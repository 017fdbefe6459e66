package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// checkSchema is the schema of "check -o json".
const checkSchema = "locktop.check/1"

// settleTimeout is how long the feed may take to find out what it can have.
const settleTimeout = 5 * time.Second

// checkJSON is what "check" found.
type checkJSON struct {
	Schema string     `json:"schema"`
	Node   string     `json:"node"`
	DB     int        `json:"db"`
	Checks []itemJSON `json:"checks"`
	// Look and Act are the ACL lines for a user with the least rights that looking, and besides it acting, takes.
	Look string `json:"acl_look"`
	Act  string `json:"acl_act"`
}

// itemJSON is one thing that was tried.
type itemJSON struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Untried says that nobody knows: this user may not ask.
	Untried bool   `json:"untried,omitempty"`
	Detail  string `json:"detail"`
	// Mend is the exact command or ACL line, where there is one.
	Mend string `json:"mend,omitempty"`
}

// newCheck says what locktop can and cannot see and do on this server.
func (a *app) newCheck() *cobra.Command {
	var (
		server connecting
		output string
		all    discovering
	)
	look := observing{notify: string(keyspace.NotifyAuto), poll: time.Second}
	cmd := &cobra.Command{
		Use:   "check [flags]",
		Short: "say what locktop can and cannot see and do on this server, and what mends it",
		Long: `Check tries what locktop needs, and says what it can and cannot see and do on this server, with the exact command or ACL
line that mends it, and the least rights that a user needs. It changes nothing on the server; here it makes the audit
file, if there is none yet. Of several lines that mend one thing the server refuses those that this user has no need of.

With --discover it judges every key of the database by its bytes instead, for locks whose names say nothing (a Redisson
lock is called as its owner likes), and proposes the --pattern lines to use. It reads slowly, --keys-per-second at most,
and can be stopped with ctrl-c; then it says what it has found until then.`,
		Example: `  locktop check
  locktop check --user watcher --askpass --pattern 'lock:*'
  locktop check --discover
  locktop check -o json | jq '.checks[] | select(.ok | not)'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := look.check(); err != nil {
				return err
			}
			if all.keysPerSecond < 1 {
				return usage("--keys-per-second %d: give 1 or more", all.keysPerSecond)
			}
			place, err := a.place(cmd, &server)
			if err != nil {
				return err
			}
			s, err := connect(cmd.Context(), place)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.close()) }()
			if all.on {
				return a.discovered(cmd.Context(), s, &all, &look, output)
			}
			report, err := a.check(cmd.Context(), s, &look, s.servers.Topology())
			if err != nil {
				return err
			}
			if output == "json" {
				return writeJSON(a.stdout, report)
			}
			return a.writeCheck(report)
		},
	}
	cmd.Flags().VarP(newChoice(&output, "text", "text", "json"), "output", "o", "form of the output")
	chosen(cmd, "output", "text", "json")
	cmd.Flags().BoolVar(&all.on, "discover", false, "judge every key, and propose patterns for the locks among them")
	cmd.Flags().IntVar(&all.keysPerSecond, "keys-per-second", 5000, "most `KEYS` that --discover reads in a second")
	server.add(cmd)
	addGroup(cmd, groupObserving, func(set *pflag.FlagSet) {
		look.addPattern(set)
		look.rules.add(set)
	})
	return cmd
}

// writeCheck prints the report for people.
func (a *app) writeCheck(report checkJSON) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, database %d\n", text.Escape(report.Node), report.DB)
	width := 0
	for _, item := range report.Checks {
		width = max(width, len(item.Name)+2)
	}
	for _, item := range report.Checks {
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
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// check tries everything on one server, which is a part of such a topology.
func (a *app) check(ctx context.Context, s *session, look *observing, in keyspace.Topology) (checkJSON, error) {
	report := checkJSON{Schema: checkSchema, Node: shownOf(string(s.connection.Node())), DB: s.connection.DB()}
	add := func(items ...itemJSON) { report.Checks = append(report.Checks, items...) }
	add(checkServer(s.connection))
	sight, err := a.checkSight(ctx, s, look)
	if err != nil {
		return report, err
	}
	add(sight...)
	flags, err := s.connection.Notifications(ctx)
	if err != nil {
		return report, failed("%w", err)
	}
	patterns := look.globs()
	rights, err := s.connection.Capabilities(ctx, patterns, inspector.BesidePatterns(patterns), in)
	if err != nil {
		return report, failed("%w", err)
	}
	config, _ := rights.Of("config get")
	add(checkNotifications(s.connection, flags, config.Verdict), checkDatabases(ctx, s.connection))
	add(checkRights(rights)...)
	eval, _ := rights.Of("eval")
	transactions, _ := rights.Of("transactions")
	scripts := eval.Verdict == keyspace.Allowed || eval.Verdict == keyspace.Denied && transactions.Verdict != keyspace.Allowed
	acting, err := checkActing(ctx, s.connection, need(s.connection, patterns, in, scripts), rights)
	if err != nil {
		return report, err
	}
	add(acting, checkAudit())
	report.Look, report.Act = leastRights(s.connection, need(s.connection, patterns, in, eval.Verdict != keyspace.Absent))
	return report, nil
}

// checkSight looks as the dashboard does, and says what is seen. Where this user may not, the rights say more.
func (a *app) checkSight(ctx context.Context, s *session, look *observing) ([]itemJSON, error) {
	err := a.observe(ctx, s, look, false)
	if errors.Is(err, keyspace.ErrPermission) || errors.Is(err, keyspace.ErrAbsent) {
		return []itemJSON{{Name: "keys", Detail: err.Error()}}, nil
	}
	if err != nil {
		return nil, err
	}
	seen, err := settled(ctx, s.locks)
	if err != nil {
		return nil, err
	}
	return seenIn(seen), nil
}

// checkRights says what this user may not do, or the server does not offer, and what locktop is without it.
func checkRights(rights keyspace.Capabilities) []itemJSON {
	var items []itemJSON
	for _, right := range rights {
		if right.Verdict == keyspace.Allowed || right.Name == "notifications" || right.Name == "transactions" {
			continue // of those checkNotifications, and what is said of "eval", say more
		}
		items = append(items, itemJSON{
			Name:   right.Name,
			Detail: string(right.Verdict) + ", so that " + right.Without + " (" + right.Detail + ")",
			Mend:   right.Mend,
		})
	}
	if len(items) == 0 {
		return []itemJSON{{Name: "rights", OK: true, Detail: "this user may do all that looking takes, and run scripts that write to these keys"}}
	}
	return items
}

// checkActing says whether this user may act: begin with a script that writes to the keys, or with a transaction, and send
// what the actions consist of. A script may be run by who may not run a single command that is in it.
func checkActing(ctx context.Context, connection *keyspace.Connection, what actions.Need, rights keyspace.Capabilities) (itemJSON, error) {
	write, _ := rights.Of("write")
	transactions, _ := rights.Of("transactions")
	verdict, denied, err := connection.DryRun(ctx, actions.Sent(what))
	if err != nil {
		return itemJSON{}, failed("%w", err)
	}
	item := itemJSON{Name: "actions"}
	detail := strings.Join(denied, "; ")
	mayBegin := write.Verdict == keyspace.Allowed || transactions.Verdict == keyspace.Allowed
	switch {
	case verdict == keyspace.Denied:
		item.Detail = "denied (" + detail + ")"
		item.Mend = actMend(connection, what, denied)
	case !mayBegin && write.Verdict != keyspace.Denied && transactions.Verdict != keyspace.Denied:
		item.Detail = "the server runs neither scripts nor transactions; some can be done to locks that are strings, where it has DELEX, DELIFEQ or SET IFEQ"
	case !mayBegin:
		item.Detail = "denied: this user may neither run scripts that write to these keys, nor transactions"
		item.Mend = actMend(connection, what, nil)
	case verdict == keyspace.Absent:
		item.Detail = "some cannot be done: " + detail
	case verdict == keyspace.Untried:
		item.Untried = true
		item.Detail = "whether this user may send all that they take was not tried (" + detail + ")"
		item.Mend = connection.Mend("+acl|dryrun")
	default:
		item.OK, item.Detail = true, "this user may send all that they take"
	}
	return item, nil
}

// checkServer is what the server says of itself.
func checkServer(connection *keyspace.Connection) itemJSON {
	server := connection.Server()
	item := itemJSON{Name: "server", OK: true, Detail: strings.TrimSpace(server.Software+" "+server.Version) + ", " + server.Role}
	if server.Limited != "" {
		item.OK, item.Detail = false, item.Detail+", as far as it says without INFO: "+server.Limited
		item.Mend = mendDenied(connection, server.Limited, "+info")
	}
	if server.Role == "replica" {
		item.OK, item.Detail = false, item.Detail+": a replica takes no actions, and tells expiries late; connect to its master"
	}
	return item
}

// settled is the first complete snapshot whose feeds know what they can have, or the last one before the time is over.
func settled(ctx context.Context, locks *inspector.Inspector) (*inspector.Snapshot, error) {
	waiting, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	latest, err := locks.Next(waiting, 0)
	for err == nil {
		if latest.Complete && len(latest.Nodes) > 0 && !slices.ContainsFunc(latest.Nodes, unsettled) {
			return latest, nil
		}
		if latest.Done {
			return nil, failed("the feed ended: %w", cmp.Or(latest.Err, errors.New("nobody said why")))
		}
		var next *inspector.Snapshot
		if next, err = locks.Next(waiting, latest.Seq); err == nil {
			latest = next
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if latest == nil {
		return nil, failed("nothing was seen in %v: %w", settleTimeout, err)
	}
	return latest, nil
}

// seenIn says which keys are seen, and how.
func seenIn(s *inspector.Snapshot) []itemJSON {
	var items []itemJSON
	for _, n := range s.Nodes {
		keys := itemJSON{Name: "keys", OK: s.Complete && n.Err == "", Detail: fmt.Sprintf("%s keys, %s of them match %s, %s are locks",
			text.Count(n.LastPass.Scanned), text.Count(n.LastPass.Matched), strings.Join(n.Patterns, " "), text.Count(int64(len(present(s.Locks)))))}
		switch {
		case n.Err != "":
			keys.Detail += ": " + n.Err
		case !s.Complete:
			keys.Detail = "the first pass over " + text.Count(keysOf(n)) + " keys is not over yet"
		}
		live := itemJSON{Name: "changes", OK: n.Feed != keyspace.FeedPoll, Detail: "seen by " + string(n.Feed)}
		if n.FeedReason != "" {
			live.Detail += ": " + n.FeedReason
		}
		items = append(items, keys, live)
	}
	return items
}

// keysOf is the size of the database under the running pass.
func keysOf(n keyspace.Status) int64 {
	if n.Scanning == nil {
		return 0
	}
	return n.Scanning.KeysInDB
}

// checkNotifications says whether the server tells what happens to keys.
func checkNotifications(connection *keyspace.Connection, n keyspace.Notifications, reading keyspace.Verdict) itemJSON {
	item := itemJSON{Name: "notifications", OK: n.Enough()}
	switch {
	case n.Enough():
		item.Detail = fmt.Sprintf("notify-keyspace-events is %q", n.Old)
	case n.Known:
		item.Detail = fmt.Sprintf("notify-keyspace-events is %q, without %q", n.Old, n.Missing)
		item.Mend = n.Line() + "\nor let locktop do it until it ends: --notify enable"
	case reading == keyspace.Denied:
		item.Detail = "notify-keyspace-events cannot be read by this user"
		item.Mend = connection.Mend("+config|get") + "\n" + switchedOn(connection, n, nil)
	default:
		item.Detail = "notify-keyspace-events cannot be read, because the server has no CONFIG GET"
		item.Mend = switchedOn(connection, n, keyspace.Services())
	}
	return item
}

// switchedOn is how notifications are switched on where CONFIG may not be had: at the service that runs the server, or, where that
// does not say its name, by CONFIG as an administrator, or at one of these.
func switchedOn(connection *keyspace.Connection, n keyspace.Notifications, may []keyspace.Service) string {
	var lines []string
	if service := connection.Service(); service.Name != "" {
		may = []keyspace.Service{service}
	} else {
		lines = append(lines, n.Line())
	}
	for _, service := range may {
		lines = append(lines, "on "+service.Name+": "+service.Notifications)
	}
	return strings.Join(lines, "\n")
}

// mendDenied is the ACL line that gives our user a rule, where these words of the server's say that it is denied; a command that the
// server hides nothing gives back.
func mendDenied(connection *keyspace.Connection, words, rule string) string {
	if !strings.Contains(words, "NOPERM") {
		return ""
	}
	return connection.Mend(rule)
}

// checkDatabases names those with keys that are not looked at.
func checkDatabases(ctx context.Context, connection *keyspace.Connection) itemJSON {
	keys, err := connection.Databases(ctx)
	if err != nil {
		return itemJSON{Name: "databases", Detail: "others cannot be counted: " + err.Error(), Mend: mendDenied(connection, err.Error(), "+info")}
	}
	looked := connection.DB()
	var others []string
	for _, db := range slices.Sorted(maps.Keys(keys)) {
		if db != looked && keys[db] > 0 {
			others = append(others, fmt.Sprintf("%d (%s keys)", db, text.Count(keys[db])))
		}
	}
	if len(others) == 0 {
		return itemJSON{Name: "databases", OK: true, Detail: "all keys are in this one"}
	}
	return itemJSON{Name: "databases", OK: true, Detail: "there are keys in others too, which -n shows: " + strings.Join(others, ", ")}
}

// checkAudit says whether actions can be put on record.
func checkAudit() itemJSON {
	audit, err := actions.OpenAudit("")
	if err != nil {
		return itemJSON{Name: "audit", Detail: err.Error() + "; without it no action is done", Mend: "export XDG_STATE_HOME=<a directory that can be written>"}
	}
	item := itemJSON{Name: "audit", OK: true, Detail: audit.Path()}
	if err := audit.Close(); err != nil {
		item.OK, item.Detail = false, err.Error()
	}
	return item
}
