package actions

// Foreseen says of each master of a Redlock whether the request would be sent to it, and why not: what an operator is told
// before an action by whoever shows it in a way of their own. It is nil for a lock that one server has.
func Foreseen(r Request) []NodeOutcome {
	if r.Lock == nil || r.Lock.Quorum == nil {
		return nil
	}
	nodes := make([]NodeOutcome, len(r.Lock.Quorum.Votes))
	for i, vote := range r.Lock.Quorum.Votes {
		if _, asked := askedOf(r, vote); asked {
			nodes[i] = NodeOutcome{Node: vote.Node, Asked: true}
		} else {
			nodes[i] = leftAlone(r, vote)
		}
	}
	return nodes
}
