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
	dryRun    bool
	yes       bool
	force     bool
	reason    string
	output    string
	readOnly  readOnly
	confirmed string // of --confirm
}

// add offers the shared flags.
func (c *acting) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.holder, "holder", "", "the `OWNER` who has the lock, exactly as the lock says it (locktop show prints it)")
	flags.BoolVar(&c.dryRun, "dry-run", false, "do nothing; say what would be done")
	flags.BoolVar(&c.yes, "yes", false, "do not ask")
	flags.BoolVar(&c.force, "force", false,
		"do it although it is discouraged: the lock's library does not survive it, or its holder could not release it any more")
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

It acts only if the lock is still what it read, atomically; else nothing changes, and it says what the lock is now. On a
terminal it asks first; elsewhere it needs --yes. In a profile of production a release or a force-expiry has the key's
name typed, or needs --confirm KEY besides --yes. Every action, refused ones too, is kept in the audit file
(locktop/audit.jsonl in the XDG state directory). Exit codes: 0 done; 1 error; 2 usage; 3 refused by a guard.`

// run does one action. The request lacks what is read: the lock.
func (a *app) act(cmd *cobra.Command, c *acting, name string, r actions.Request, choose func(*inspector.Lock, inspector.Holder) error) (err error) {
	ctx := cmd.Context()
	key, err := c.about.unquote("KEY", name)
	if err != nil {
		return err
	}
	if r.Owner, err = c.about.unquote("--holder", c.holder); err != nil {
		return err
	}
	if !cmd.Flags().Changed("holder") {
		return usage("--holder is missing: whose lock is it? (locktop show prints the owner)")
	}
	if !c.yes && !c.dryRun && !isTerminal(a.stdin) {
		return usage("%s asks before it acts, and the standard input is no terminal: add --yes, or --dry-run", cmd.Name())
	}
	mustType, err := a.guardProduction(cmd, c, r.Verb, key)
	if err != nil {
		return err
	}
	place, err := a.place(cmd, &c.about.server)
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
	found, err := s.look(ctx, &c.about, a.limits(), key)
	if err != nil {
		return err
	}
	if r.Lock = found.lock; r.Lock == nil {
		r.Lock = noLockOf(found.record)
	}
	r.DryRun, r.Reason, r.Force = c.dryRun, c.reason, c.force
	holder := slices.IndexFunc(r.Lock.Holders, func(h inspector.Holder) bool { return h.Owner == r.Owner })
	if holder >= 0 && !s.operator.ReadOnly() { // else the operator will refuse, and there is nothing to ask
		if err := choose(r.Lock, r.Lock.Holders[holder]); err != nil {
			return err
		}
		if mustType || !c.yes && !c.dryRun {
			if err := a.ask(ctx, r, mustType); err != nil {
				return err
			}
		}
	}
	out := s.operator.Do(ctx, r)
	if found.record.Exists() && found.lock == nil {
		return errors.Join(noLock(found.record), out.Err)
	}
	if c.output == "json" { // one object, so that it waits for what it tells
		after, known := a.cameBack(ctx, s, &c.about, r, out)
		return errors.Join(a.report(c, r, out, after, known), cameBackError(r, after))
	}
	if err := a.report(c, r, out, 0, false); err != nil {
		return err
	}
	after, known := a.cameBack(ctx, s, &c.about, r, out)
	if known && after == 0 {
		a.say("it has not come back")
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
	out, done := a.screen()
	defer done()
	fmt.Fprintf(out, "on %s, database %d:\n%s\n", mastersOf(r.Lock), r.Lock.DB, actions.Consequence(r))
	for _, f := range r.Lock.Findings {
		fmt.Fprintf(out, "%s: %s\n", f.Code, text.Escape(f.Text))
	}
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
	Error        string `json:"error,omitempty"`
	// CameBack says whether its holder made the lock again after it was freed; absent where that
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
		if known {
			is := back > 0
			out.CameBack = &is
		}
		printed = report.WriteJSON(a.stdout, out)
	}
	switch {
	case o.Result.Done(), o.Result == actions.ResultDryRun, o.Result.Refused():
		if c.output != "json" {
			_, printed = fmt.Fprintln(a.stdout, said)
		}
		if o.Result.Refused() {
			return errors.Join(printed, quietly(exitRefused))
		}
		return printed
	default:
		return errors.Join(printed, failed("%s", said))
	}
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
