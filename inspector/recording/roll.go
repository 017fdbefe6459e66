package recording

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// rollLine is what is new of who is connected: of the clients, a recording keeps those that hold something, and counts the others.
type rollLine struct {
	None bool `json:"none,omitempty"` // nobody knows
	// Fresh says that these are other lists than in the frame before; else the clients are some more of those.
	Fresh    bool         `json:"fresh,omitempty"`
	Nodes    int          `json:"nodes,omitempty"`
	Unlisted int          `json:"unlisted,omitempty"`
	Lists    []listLine   `json:"lists,omitempty"`
	Clients  []clientLine `json:"clients,omitempty"`
}

// listLine is the list of one node.
type listLine struct {
	Node    string `json:"node"`
	TakenAt int64  `json:"taken_at"`
	Partial string `json:"partial,omitempty"`
	Denied  bool   `json:"denied,omitempty"`
}

// clientLine is a client on the list of a node, by the place of that. Without Is it is as it was on the list before, but for its times.
type clientLine struct {
	List int              `json:"list"`
	ID   int64            `json:"id"`
	Age  int64            `json:"age,omitempty"`
	Idle int64            `json:"idle,omitempty"`
	Is   *keyspace.Client `json:"is,omitempty"`
}

// clientID names a connection.
type clientID struct {
	node keyspace.Node
	id   int64
}

// attendance is who is connected, as it was told so far.
type attendance struct {
	roll *inspector.Roll // nil: nobody knows
	kept map[clientID]keyspace.Client
	// heavy is what was read of clients takes in memory, since the last list of all.
	heavy int64
}

// timeless is a client without what is another with each list.
func timeless(c keyspace.Client) keyspace.Client {
	c.Age, c.Idle = 0, 0
	return c
}

// follow tells what is new; nil: nothing. Of a new roll, all locks count, else those that are others now.
func (a *attendance) follow(s *inspector.Snapshot, key bool, fresh []*entry) *rollLine {
	before, same := a.kept, a.roll == s.Roll && !key
	if key {
		before = nil
	}
	a.roll = s.Roll
	switch {
	case s.Roll == nil && same && !key:
		return nil
	case s.Roll == nil:
		a.kept = nil
		return &rollLine{None: true}
	}
	rolls, nodes := s.Roll.Rolls()
	places := make(map[keyspace.Node]int, len(rolls))
	line := &rollLine{Nodes: nodes, Fresh: !same}
	for i, one := range rolls {
		places[one.Node] = i
		if !same {
			line.Lists = append(line.Lists, listLine{pack(string(one.Node)), micro(one.TakenAt), pack(one.Partial), one.Denied})
		}
	}
	if !same {
		a.kept = make(map[clientID]keyspace.Client)
	}
	add := func(l *inspector.Lock) {
		for i := range l.Holders {
			if p := l.Holders[i].Presence; p != nil {
				for _, c := range p.Clients {
					id := clientID{c.Node, c.ID}
					if _, known := a.kept[id]; known {
						continue
					}
					if now, _, is := s.Client(c); is {
						line.Clients = append(line.Clients, newClient(now, before[id], places[c.Node]))
						a.kept[id] = now
					}
				}
			}
		}
	}
	if same {
		for _, at := range fresh {
			add(at.lock)
		}
		if len(line.Clients) == 0 {
			return nil
		}
	} else {
		for _, l := range s.Locks {
			add(l)
		}
	}
	line.Unlisted = s.Roll.Clients() - len(a.kept)
	return line
}

func newClient(c, before keyspace.Client, list int) clientLine {
	line := clientLine{List: list, ID: c.ID, Age: c.Age.Milliseconds(), Idle: c.Idle.Milliseconds()}
	if timeless(c) != timeless(before) {
		is := packedClient(pack)(timeless(c))
		line.Is = &is
	}
	return line
}

// take takes what is new of who is connected. What was given out stays as it is.
func (a *attendance) take(line *rollLine) error {
	if line == nil {
		return nil
	}
	if line.None {
		*a = attendance{}
		return nil
	}
	var lists []keyspace.Roll
	kept, heavy := make(map[clientID]keyspace.Client), int64(0)
	if !line.Fresh {
		if a.roll == nil {
			return errApart
		}
		rolls, _ := a.roll.Rolls()
		for _, one := range rolls {
			lists = append(lists, keyspace.Roll{Node: one.Node, TakenAt: one.TakenAt, Partial: one.Partial, Denied: one.Denied})
		}
		kept, heavy = maps.Clone(a.kept), a.heavy
	}
	for _, list := range line.Lists {
		lists = append(lists, keyspace.Roll{
			Node: keyspace.Node(unpack(list.Node)), TakenAt: instant(list.TakenAt), Partial: unpack(list.Partial), Denied: list.Denied,
		})
	}
	if len(lists) > maxNodes {
		return errApart
	}
	for i := range line.Clients {
		one := &line.Clients[i]
		if one.List < 0 || one.List >= len(lists) {
			return errApart
		}
		id := clientID{lists[one.List].Node, one.ID}
		c, known := a.kept[id]
		if one.Is != nil {
			c, known = packedClient(unpack)(*one.Is), true
		}
		if !known {
			return errApart
		}
		c.Node, c.ID, c.Age, c.Idle = id.node, id.id, milliseconds(one.Age), milliseconds(one.Idle)
		kept[id] = c
		if heavy += 2 * weigh(c); heavy > maxMemory { // it is also on the list of its node
			return errMemory
		}
	}
	*a = attendance{rollOf(lists, kept, line), kept, heavy}
	return nil
}

// rollOf puts the lists together.
func rollOf(lists []keyspace.Roll, kept map[clientID]keyspace.Client, line *rollLine) *inspector.Roll {
	of := make(map[keyspace.Node][]keyspace.Client)
	for id, c := range kept {
		of[id.node] = append(of[id.node], c)
	}
	rolls := make([]*keyspace.Roll, 0, len(lists))
	for i := range lists {
		lists[i].Clients = of[lists[i].Node]
		slices.SortFunc(lists[i].Clients, func(x, y keyspace.Client) int { return cmp.Compare(x.ID, y.ID) })
		rolls = append(rolls, &lists[i])
	}
	return inspector.NewRoll(rolls, min(max(line.Nodes, len(rolls)), maxNodes)).WithUnlisted(max(0, line.Unlisted))
}

func milliseconds(ms int64) time.Duration {
	return time.Duration(min(max(ms, 0), longest.Milliseconds())) * time.Millisecond
}
