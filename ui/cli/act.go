package cli

import (
	"context"
	"errors"
	"fmt"
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

// acting is what the three verbs share.
type acting struct {
	about     target
	holder    string
	from      string      // of --from; empty: the command line names the lock
	listed    *listedLock // what --from names
	dryRun    bool
	yes       bool
	force     bool
	reason    string
	output    string
	readOnly  readOnly
	confirmed string // of --confirm
	// frees says that this is the dry run of the last holder of several, whose release frees the
	// lock.
	frees bool
}

// add offers the shared flags.
func (c *acting) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.holder, "holder", "", "the `OWNER` who has the lock, exactly as locktop show prints it; unknown, if the lock does not name its holder")
	flags.StringVar(&c.from, "from", "", "act on the lock in this `FILE`: one lock object of locktop list -o json; - reads the standard input")
	flags.BoolVar(&c.dryRun, "dry-run", false, "do nothing; say what would be done")
	flags.BoolVar(&c.yes, "yes", false, "do not ask")
	flags.BoolVar(&c.force, "force", false,
		"act although it is discouraged: the lock's library does not survive it, or its holder could not release the lock any more")
	flags.StringVar(&c.reason, "reason", "", "why; it is kept in the audit file")
	flags.VarP(newChoice(&c.output, "text", "text", "json"), "output", "o", "form of the output")
	chosen(cmd, "output", "text", "json")
	c.about.add(cmd, "KEY and OWNER are written")
	addGroup(cmd, groupObserving, func(set *pflag.FlagSet) {
		c.about.rules.add(set)
		addReadOnly(set, &c.readOnly)
	})
	chosen(cmd, "read-only", "on", "strict", "off")
}

// actionNote ends the help of the three verbs.
const actionNote = `

It acts only if the lock is still what it read, atomically; else nothing changes, and it says what the lock is now. While
it asks, it watches the lock: a renewal does not refuse the action, but another hold with the same value does. Without a TTL
and without events from the server such a hold cannot be told apart; the question then says so.

With --from it reads one lock object, as locktop list -o json and locktop show -o json print it, and acts on the holders in
that object. The lock must still be the listed one: the same node, scheme, entry counts, fencing token, Redlock votes and
end of the lease. The end must be the same to the millisecond if the server tells it (PEXPIRETIME, Redis 7.0), else within
250 ms; a renewal changes it. A lock without a TTL has no end to compare. KEY and --holder can be left out; the database is
taken from the object. With --from - the question is asked on the terminal.

A dry run prints what the question would: what was seen, what would happen, and the warnings. On a terminal it asks first;
elsewhere it needs --yes. In a profile of production a release or a force-expiry has the key's name typed, or needs
--confirm KEY besides --yes. Every action, refused ones too, is kept in the audit file (locktop/audit.jsonl in the XDG state
directory). Exit codes: 0 done; 1 error; 2 usage; 3 refused by a guard.`

// act does one action, or one for each of the holders that --from lists. The request lacks what is read: the lock.
func (a *app) act(cmd *cobra.Command, c *acting, args []string, r actions.Request, choose func(*inspector.Lock, inspector.Holder) error) (err error) {
	ctx := cmd.Context()
	key, err := a.meant(cmd, c, args, &r)
	if err != nil {
		return err
	}
	mustType, err := a.guardProduction(cmd, c, r.Verb, key)
	if err != nil {
		return err
	}
	place, err := a.place(cmd, &c.about.server)
	if err == nil && c.listed != nil {
		err = c.listed.at(a.onLine(cmd, "db"), &place)
	}
	if err != nil {
		return err
	}
	s, err := connect(ctx, place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.mayAct(place, c.readOnly != readOnlyOff, 0); err != nil {
		return err
	}
	r.DryRun, r.Reason, r.Force = c.dryRun, c.reason, c.force
	found, err := a.find(ctx, s, c, key)
	if err != nil {
		return err
	}
	r.Unheard = c.listed != nil
	if r.Siblings, err = s.siblings(ctx, found.lock); err != nil {
		return err
	}
	requests := c.requests(found, r)
	if err := a.allow(ctx, s, c, requests, mustType, choose); err != nil {
		return err
	}
	for i, r := range requests {
		if i > 0 {
			if found, err = a.find(ctx, s, c, key); err != nil {
				return err
			}
			r = c.listed.next(found, r)
		}
		c.frees = c.dryRun && i > 0 && i == len(requests)-1 && found.lock != nil && len(requests) == len(found.lock.Holders)
		out := s.operator.Do(ctx, r)
		if found.record.Exists() && found.lock == nil && c.listed == nil {
			return errors.Join(c.about.noLock(found.record), out.Err)
		}
		err = errors.Join(err, a.conclude(ctx, s, c, r, out))
	}
	return err
}

// meant is the key of the lock that the command line means; the holder is put into the request. It refuses what would need a
// person to ask, where there is none.
func (a *app) meant(cmd *cobra.Command, c *acting, args []string, r *actions.Request) (key string, err error) {
	if c.from != "" {
		if c.listed, err = a.readFrom(cmd, c, args, *r); err != nil {
			return "", err
		}
		key = c.listed.key
	} else {
		if key, err = c.about.unquote("KEY", args[0]); err != nil {
			return "", err
		}
		if r.Owner, err = c.about.unquote("--holder", c.holder); err != nil {
			return "", err
		}
		if !cmd.Flags().Changed("holder") {
			return "", usage("--holder is missing: whose lock is it? (locktop show prints the owner)")
		}
	}
	switch {
	case c.yes, c.dryRun, isTerminal(a.stdin):
		return key, nil
	case c.from == "-":
		return "", usage("%s asks before it acts, but the standard input is the lock of --from and there is no terminal: add --yes, or --dry-run", cmd.Name())
	default:
		return "", usage("%s asks before it acts, and the standard input is no terminal: add --yes, or --dry-run", cmd.Name())
	}
}

// find looks at the key.
func (a *app) find(ctx context.Context, s *session, c *acting, key string) (sight, error) {
	look := func(rules inspector.Rules) (sight, error) {
		about := c.about
		about.rules.rules = rules
		return s.look(ctx, &about, a.limits(), key)
	}
	if c.listed != nil {
		return c.listed.find(look, c.about.rules.rules)
	}
	return look(c.about.rules.rules)
}

// requests are what is to be done to the lock that was found.
func (c *acting) requests(found sight, r actions.Request) []actions.Request {
	if r.Lock = found.lock; r.Lock == nil {
		r.Lock = noLockOf(found.record)
	}
	if c.listed != nil {
		return c.listed.requests(found, r)
	}
	if owner, found := r.Lock.HolderNamed(r.Owner); found {
		r.Owner = owner
	}
	return []actions.Request{r}
}

// allow asks the person, if there is anything to ask. What the operator will refuse is not asked. A
// single request follows its hold from the question on.
func (a *app) allow(ctx context.Context, s *session, c *acting, all []actions.Request, mustType bool, choose func(*inspector.Lock, inspector.Holder) error) error {
	if s.operator.ReadOnly() || all[0].Changed != "" {
		return nil
	}
	var asked []actions.Request
	for _, r := range all {
		holder := slices.IndexFunc(r.Lock.Holders, func(h inspector.Holder) bool { return h.Owner == r.Owner })
		if holder < 0 {
			continue
		}
		if err := choose(r.Lock, r.Lock.Holders[holder]); err != nil {
			return err
		}
		asked = append(asked, r)
	}
	if len(asked) == 0 || !mustType && (c.yes || c.dryRun) {
		return nil
	}
	for _, r := range asked[:len(asked)-1] {
		a.tell(r)
	}
	last := asked[len(asked)-1]
	if len(all) == 1 {
		followed, err := a.follow(ctx, s, c, last)
		if err != nil {
			return err
		}
		all[0] = followed
		last.Unheard = last.Unheard || !s.hears(followed)
	}
	return a.ask(ctx, last, mustType)
}

// conclude reports an outcome, and whether the lock came back.
func (a *app) conclude(ctx context.Context, s *session, c *acting, r actions.Request, out actions.Outcome) error {
	if c.output == "json" { // one object, so that it waits for what it tells
		after, known := a.cameBack(ctx, s, &c.about, r, out)
		return errors.Join(a.report(c, r, out, after, known), cameBackError(r, after))
	}
	if err := a.report(c, r, out, 0, false); err != nil {
		return err
	}
	after, known := a.cameBack(ctx, s, &c.about, r, out)
	if known && after == 0 {
		a.say("the lock has not come back")
	}
	return cameBackError(r, after)
}

// noLockOf stands for a lock where there is none, so that the operator is asked all the same: it refuses, and puts the
// refusal on record.
func noLockOf(r keyspace.Record) *inspector.Lock {
	if !r.Exists() {
		return &inspector.Lock{Ref: r.Ref, State: inspector.StateFreed, Observed: r}
	}
	return &inspector.Lock{Ref: r.Ref, Scheme: inspector.SchemeUnknown, Observed: r}
}

// ask shows what was read and what would come of it, and goes on at a yes only.
func (a *app) ask(ctx context.Context, r actions.Request, mustType bool) error {
	a.tell(r)
	if mustType {
		return a.askForName(ctx, r)
	}
	yes, err := a.confirm(ctx, strings.ToUpper(string(r.Verb[:1]))+string(r.Verb[1:])+"?")
	if err != nil {
		return failed("%s: %w; nothing was done", r.Verb, err)
	}
	if !yes {
		return failed("nothing was done: the answer was no")
	}
	return nil
}

// tell shows what an action will do, and to what.
func (a *app) tell(r actions.Request) {
	out, done := a.screen()
	defer done()
	fmt.Fprintf(out, "on %s, database %d:\n%s\n", mastersOf(r.Lock), r.Lock.DB, actions.Consequence(r))
	for _, f := range r.Lock.Findings {
		fmt.Fprintf(out, "%s: %s\n", f.Code, text.Escape(f.Text))
	}
}

// mastersOf names the servers that an action on the lock concerns.
func mastersOf(l *inspector.Lock) string {
	if l.Quorum == nil {
		return text.Escape(string(l.Node))
	}
	names := make([]string, len(l.Quorum.Votes))
	for i := range l.Quorum.Votes {
		names[i] = text.Escape(string(l.Quorum.Votes[i].Node))
	}
	return strings.Join(names, ", ")
}

// outcomeJSON is how an action ended.
type outcomeJSON struct {
	Schema       string `json:"schema"`
	At           string `json:"at"`
	Node         string `json:"node"`
	DB           int    `json:"db"`
	Key          string `json:"key"`
	KeyBase64    string `json:"key_base64,omitempty"`
	Verb         string `json:"verb"`
	Owner        string `json:"owner"`
	OwnerBase64  string `json:"owner_base64,omitempty"`
	Result       string `json:"result"`
	Done         bool   `json:"done"`
	Count        *int64 `json:"count,omitempty"`
	Holder       string `json:"holder,omitempty"`
	HolderBase64 string `json:"holder_base64,omitempty"`
	TTL          *int64 `json:"ttl_ms,omitempty"`
	Woken        *int64 `json:"woken,omitempty"`
	Text         string `json:"text"`
	// Consequences are of a dry run: what was observed, what the action would do, and what to beware of.
	Consequences []string `json:"consequences,omitempty"`
	Error        string   `json:"error,omitempty"`
	// CameBack reports whether its holder made the lock again after it was freed; absent where that
	// was not looked for to the end.
	CameBack *bool `json:"came_back,omitempty"`
	// ValidUntil and Nodes are of a Redlock: until when its holder has the quorum, and what became of the action on each master.
	ValidUntil string            `json:"valid_until,omitempty"`
	Nodes      []nodeOutcomeJSON `json:"nodes,omitempty"`
}

// nodeOutcomeJSON is how an action ended on one of several independent masters; asked is false where nothing was sent.
type nodeOutcomeJSON struct {
	Node   string `json:"node"`
	Asked  bool   `json:"asked"`
	Result string `json:"result,omitempty"`
	Done   bool   `json:"done"`
	Holder string `json:"holder,omitempty"`
	Text   string `json:"text,omitempty"`
	Error  string `json:"error,omitempty"`
}

// report prints an outcome and finds the exit code. known says whether it is known that the lock
// came back afterwards, or did not.
func (a *app) report(c *acting, r actions.Request, o actions.Outcome, back time.Duration, known bool) error {
	said := sentence(r, o)
	var printed error // the outcome is what it is, whether anybody reads it or not
	if c.output == "json" {
		out := newOutcomeJSON(r, o, said)
		out.Consequences = c.consequences(r, o)
		if known {
			is := back > 0
			out.CameBack = &is
		}
		printed = report.WriteJSON(a.stdout, out)
	}
	switch {
	case o.Result.Done(), o.Result == actions.ResultDryRun, o.Result.Refused():
		if c.output != "json" {
			_, printed = fmt.Fprintln(a.stdout, strings.Join(append([]string{said}, c.consequences(r, o)...), "\n  "))
		}
		if o.Result.Refused() {
			return errors.Join(printed, quietly(exitRefused))
		}
		return printed
	default:
		return errors.Join(printed, failed("%s", said))
	}
}

// consequences are what a dry run tells besides, as the question before an action does.
func (c *acting) consequences(r actions.Request, o actions.Outcome) []string {
	if !r.DryRun || o.Result != actions.ResultDryRun && o.Result != actions.ResultDiscouraged {
		return nil
	}
	said := actions.Consequences(r)
	if c.frees && r.Verb == actions.VerbRelease {
		said = append(said, "The other holders are released first: this release then frees the lock and wakes the clients that wait for it.")
	}
	return said
}

// sentence is the outcome in words.
func sentence(r actions.Request, o actions.Outcome) string {
	if o.Result != actions.ResultGone || r.Lock.Observed.Exists() {
		return o.Sentence(r)
	}
	said := fmt.Sprintf("%s is gone: there is no such key in database %d of %s", text.Escape(r.Lock.Key), r.Lock.DB, text.Escape(string(r.Lock.Node)))
	if o.Detail != "" {
		said += "; " + o.Detail
	}
	return said
}

func newOutcomeJSON(r actions.Request, o actions.Outcome, said string) outcomeJSON {
	out := outcomeJSON{
		Schema: report.OutcomeSchema, At: report.Instant(time.Now()), Node: report.Shown(string(r.Lock.Node)), DB: r.Lock.DB,
		Verb: string(r.Verb), Result: string(o.Result), Done: o.Result.Done(), Text: said,
	}
	out.Key, out.KeyBase64 = report.Plain(r.Lock.Key)
	out.Owner, out.OwnerBase64 = report.Plain(r.Owner)
	out.Holder, out.HolderBase64 = report.Plain(o.Holder)
	if o.Result == actions.ResultEntryReleased || o.Result == actions.ResultChanged && o.Count > 0 {
		out.Count = &o.Count
	}
	if o.Result == actions.ResultExtended || o.Result == actions.ResultEntryReleased || o.Result == actions.ResultExpired {
		left := max(-1, o.TTL.Milliseconds())
		out.TTL = &left
	}
	if o.Result.Done() && o.Woken >= 0 {
		out.Woken = &o.Woken
	}
	if o.Err != nil {
		out.Error = report.Shown(oneLine(o.Err.Error()))
	}
	out.ValidUntil = report.Instant(o.ValidUntil)
	for _, n := range o.Nodes {
		node := nodeOutcomeJSON{
			Node: report.Shown(string(n.Node)), Asked: n.Asked, Result: string(n.Result), Done: n.Asked && n.Result.Done(), Holder: report.Shown(n.Holder), Text: n.Detail,
		}
		if n.Err != nil {
			node.Error = report.Shown(oneLine(n.Err.Error()))
		}
		out.Nodes = append(out.Nodes, node)
	}
	return out
}
