package actions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/inspector"
)

// fused is the outcome of an action on several masters.
func fused(r Request, attempts []attempt, nodes []NodeOutcome, now time.Time) Outcome {
	out := Outcome{Woken: -1, Result: resultOf(nodes), Nodes: nodes}
	var said []string
	seen := false
	for i, n := range nodes {
		one := attempts[i].out
		switch {
		case n.done() && !seen:
			seen = true
			out.Count, out.Holder, out.TTL = one.Count, one.Holder, one.TTL
			if buried(r) && one.Result.Done() {
				said = append(said, one.Detail) // the same on all masters
			}
		case n.Asked && !seen && n.Result == out.Result:
			out.Count, out.Holder, out.TTL, out.Err = one.Count, one.Holder, one.TTL, one.Err
		}
		if n.Asked && one.Woken >= 0 {
			out.Woken = max(out.Woken, 0) + one.Woken
		}
	}
	for _, n := range nodes {
		if words := n.words(); words != "" {
			said = append(said, words)
		}
	}
	if out.Result != ResultDryRun {
		var words string
		words, out.ValidUntil = quorumLeft(r, nodes, now)
		said = append(said, words)
	}
	out.Detail = strings.Join(said, "; ")
	if out.Result == ResultDryRun {
		out.Detail = foretoldOn(nodes, attempts) + strings.TrimSuffix("; "+out.Detail, "; ")
	}
	return out
}

// resultOf is one result for those of the masters that were asked.
func resultOf(nodes []NodeOutcome) Result {
	var results []Result
	done := 0
	for _, n := range nodes {
		if n.Asked {
			results = append(results, n.Result)
		}
		if n.done() {
			done++
		}
	}
	switch {
	case slices.Contains(results, ResultDryRun):
		return ResultDryRun
	case done == len(results):
		return results[0]
	case done > 0:
		return ResultPartly
	}
	// Nothing was done, as far as is known: what counts is what tells the operator most.
	for _, result := range []Result{ResultUnknown, ResultNotHolder, ResultChanged, ResultDiscouraged, ResultDenied, ResultReplica, ResultGone, ResultUnsupported} {
		if slices.Contains(results, result) {
			return result
		}
	}
	return ResultFailed
}

// words say of a master what is not as on the others; empty where the action was done, or would be.
func (n NodeOutcome) words() string {
	node := printable(string(n.Node))
	detail := strings.TrimSuffix(": "+n.Detail, ": ")
	switch {
	case n.done():
		return ""
	case !n.Asked && n.Result == ResultFailed:
		return node + " could not be asked: " + n.Detail
	case n.Result == ResultUnknown:
		return node + ": unknown, look again" + detail
	case n.Result == ResultNotHolder:
		return node + " has another holder, " + shortOwner(n.Holder)
	case n.Result == ResultGone:
		return node + " does not have it"
	case n.Result == ResultUnsupported && !n.Asked:
		return node + " has another key there" + detail
	case n.Result == ResultDenied && !n.Asked:
		return node + " could not be read" + detail
	case n.Result == ResultChanged:
		return node + detail
	default:
		return node + ": " + string(n.Result) + detail
	}
}

// mastersWords say on how many of the masters an action was done; empty for a lock that one server has.
func mastersWords(nodes []NodeOutcome) string {
	if len(nodes) == 0 {
		return ""
	}
	done := 0
	for _, n := range nodes {
		if n.done() {
			done++
		}
	}
	return fmt.Sprintf(" on %d of %d masters", done, len(nodes))
}

// foretoldOn is what a dry run foretells of the masters on which the action would be done.
func foretoldOn(nodes []NodeOutcome, attempts []attempt) string {
	would := ""
	for i, n := range nodes {
		if n.Result == ResultDryRun {
			would = attempts[i].out.Detail
			break
		}
	}
	return "on " + strings.TrimPrefix(mastersWords(nodes), " on ") + " it " + would
}

// quorumLeft says whether the owner has the quorum after an action, and until when.
func quorumLeft(r Request, nodes []NodeOutcome, now time.Time) (words string, validUntil time.Time) {
	var ends []time.Time // of the votes that the owner surely has; a zero time for one without an end
	maybe := 0
	for i, n := range nodes {
		vote := r.Lock.Quorum.Votes[i]
		switch {
		case !n.Asked && n.Result == ResultFailed, !n.Asked && n.Result == ResultDenied, n.Result == ResultUnknown && frees(r):
			maybe++
		case !n.Asked, n.Result == ResultReleased, n.Result == ResultGone, n.Result == ResultNotHolder, n.Result == ResultExpired && r.TTL == 0:
		case n.Result == ResultExtended, n.Result == ResultExpired:
			ends = append(ends, now.Add(r.TTL))
		default:
			ends = append(ends, vote.ExpiresAt)
		}
	}
	owner, needed := ownerWords(r, r.Owner), r.Lock.Quorum.Needed
	switch {
	case len(ends)+maybe < needed:
		return owner + " has no quorum", time.Time{}
	case len(ends) < needed:
		return owner + " may have the quorum still: look again", time.Time{}
	case frees(r):
		return owner + " has the quorum still", time.Time{}
	}
	slices.SortFunc(ends, func(a, b time.Time) int {
		switch {
		case a.IsZero() && !b.IsZero():
			return -1
		case b.IsZero() && !a.IsZero():
			return 1
		}
		return b.Compare(a)
	})
	end := ends[needed-1]
	if end.IsZero() {
		return owner + " has the quorum, without an end", time.Time{}
	}
	validUntil = end.Add(-inspector.Drift(r.TTL))
	return owner + " has the quorum for " + span(time.Until(validUntil)), validUntil
}

// votesWords say before an action which of the masters it is done on, and why not on the others.
func votesWords(r Request) string {
	var on, not []string
	for _, vote := range r.Lock.Quorum.Votes {
		if _, asked := askedOf(r, vote); asked {
			on = append(on, printable(string(vote.Node)))
		} else {
			not = append(not, leftAlone(r, vote).words())
		}
	}
	said := "None of the masters is known to have it for this holder."
	if len(on) > 0 {
		said = fmt.Sprintf("%d of %d masters have it for this holder (%d make the quorum), and it is done on each of them by itself: %s.",
			len(on), len(r.Lock.Quorum.Votes), r.Lock.Quorum.Needed, strings.Join(on, ", "))
	}
	if len(not) > 0 {
		said += " " + strings.Join(not, "; ") + "."
	}
	return said
}

// redisCLIOfVotes are the command lines for all masters that have the lock for the owner, one after the other.
func redisCLIOfVotes(r Request) string {
	if refuseVotes(r, time.Now()) != nil {
		return ""
	}
	var lines []string
	for _, vote := range r.Lock.Quorum.Votes {
		if request, asked := askedOf(r, vote); asked {
			if line := RedisCLI(request); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "; ")
}
