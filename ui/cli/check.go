package cli

import (
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
	"locktop/ui/report"
	"locktop/ui/text"
)

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
and can be stopped with ctrl-c; then it says what it has found until then.

With --config it asks no server: it reads the configuration, says every mistake in it with its line, or else what each
profile sets.`,
		Example: `  locktop check
  locktop check --user watcher --askpass --pattern 'lock:*'
  locktop check --discover
  locktop check --config                   the configuration: every mistake with its line
  locktop check -o json | jq '.checks[] | select(.ok | not)'`,
		Args: checkArguments,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if validates(cmd) {
				return a.checkConfig(cmd, args, output)
			}
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
			found, err := a.check(cmd.Context(), s, &look)
			if err != nil {
				return err
			}
			if output == "json" {
				return report.WriteJSON(a.stdout, found)
			}
			return a.writeCheck(found)
		},
	}
	cmd.Flags().VarP(newChoice(&output, "text", "text", "json"), "output", "o", "form of the output")
	chosen(cmd, "output", "text", "json")
	cmd.Flags().BoolVar(&all.on, "discover", false, "judge every key, and propose patterns for the locks among them")
	cmd.Flags().IntVar(&all.keysPerSecond, "keys-per-second", 5000, "most `KEYS` that --discover reads in a second")
	server.add(cmd)
	a.addValidation(cmd)
	addGroup(cmd, groupObserving, func(set *pflag.FlagSet) {
		look.addPattern(set)
		look.rules.add(set)
	})
	return cmd
}

// check tries everything on each of the servers.
func (a *app) check(ctx context.Context, s *session, look *observing) (checkJSON, error) {
	nodes := s.servers.Nodes()
	found := checkJSON{
		Schema: checkSchema, Node: report.Shown(string(s.connection.Node())), DB: s.connection.DB(), Topology: string(s.servers.Topology()),
	}
	add := func(node keyspace.Node, items ...itemJSON) {
		for _, item := range items {
			if len(nodes) > 1 || s.servers.Topology() == keyspace.Sentinel {
				item.Node = report.Shown(string(node))
			}
			found.Checks = append(found.Checks, item)
		}
	}
	seen, blind, err := a.checkSight(ctx, s, look)
	if err != nil {
		return found, err
	}
	for _, node := range nodes {
		connection, err := s.servers.Connection(ctx, node)
		if err != nil {
			add(node, itemJSON{Name: "server", Detail: err.Error()})
			continue
		}
		sight := []itemJSON{blind}
		if seen != nil {
			sight = seenIn(seen, node)
		}
		items, scripts, err := a.checkNode(ctx, connection, look, s.servers.Topology())
		if err != nil {
			return found, err
		}
		if found.Look == "" { // the others are to have the same
			found.Look, found.Act = leastRights(connection, need(connection, look.globs(), s.servers.Topology(), scripts), look.ruling())
		}
		add(node, items[0])
		add(node, sight...)
		add(node, items[1:]...)
	}
	for _, sentinel := range s.servers.Sentinels(ctx) {
		item := itemJSON{Name: "sentinel", OK: true, Detail: "names " + sentinel.Master}
		if sentinel.Err != nil {
			item.OK, item.Detail = false, sentinel.Err.Error()
		}
		add(sentinel.Node, item)
		found.Sentinel = "ACL SETUSER locktop reset on >PASSWORD " + keyspace.SentinelACL
	}
	found.Checks = append(found.Checks, checkAudit())
	return found, nil
}

// checkNode tries everything on one server, which is a part of such a topology. What the server is comes first;
// scripts says whether it has any.
func (a *app) checkNode(ctx context.Context, connection *keyspace.Connection, look *observing, in keyspace.Topology) (items []itemJSON, scripts bool, err error) {
	items = []itemJSON{checkServer(connection)}
	flags, err := connection.Notifications(ctx)
	if err != nil {
		return nil, false, failed("%w", err)
	}
	patterns := look.globs()
	rights, err := connection.Capabilities(ctx, patterns, inspector.BesidePatterns(patterns), look.ruling().Announcements(), in)
	if err != nil {
		return nil, false, failed("%w", err)
	}
	config, _ := rights.Of("config get")
	items = append(items, checkNotifications(connection, flags, config.Verdict), checkDatabases(ctx, connection))
	items = append(items, checkRights(rights)...)
	eval, _ := rights.Of("eval")
	transactions, _ := rights.Of("transactions")
	mayScript := eval.Verdict == keyspace.Allowed || eval.Verdict == keyspace.Denied && transactions.Verdict != keyspace.Allowed
	acting, err := checkActing(ctx, connection, need(connection, patterns, in, mayScript), rights)
	if err != nil {
		return nil, false, err
	}
	probe, err := checkProbe(ctx, connection)
	return append(items, acting, probe), eval.Verdict != keyspace.Absent, err
}

// checkProbe says whether this user may be shown who waits for a lock (MONITOR), which locktop does only when it is asked to: P in the
// dashboard, and show --probe. It is no part of the least rights, for it shows every command of everybody.
func checkProbe(ctx context.Context, connection *keyspace.Connection) (itemJSON, error) {
	verdict, _, err := connection.DryRun(ctx, [][]any{{"MONITOR"}})
	if err != nil {
		return itemJSON{}, failed("%w", err)
	}
	item := itemJSON{Name: "probe", OK: true}
	switch verdict {
	case keyspace.Allowed:
		item.Detail = "this user may MONITOR; locktop does so only when it is asked to (P, show --probe)"
	case keyspace.Denied:
		item.Detail = "denied, and optional: P and show --probe cannot tell who asks for a lock"
		item.Mend = connection.Mend("+monitor")
	case keyspace.Absent:
		item.Detail = "the server has no MONITOR, so that P and show --probe cannot tell who asks for a lock"
	case keyspace.Untried:
		item.Detail = "not tried; it takes +monitor, and is optional"
	}
	return item, nil
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
	detail := strings.Join(someOf(denied), "; ")
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

// someOf shortens a list for a line: a user without channels is denied two hundred of them.
func someOf(words []string) []string {
	const most = 3
	if len(words) <= most+1 {
		return words
	}
	return append(slices.Clone(words[:most]), fmt.Sprintf("and %d more", len(words)-most))
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
