package report

import (
	"locktop/inspector"
)

// Client is what is known of a holder's connections: of the first one, and how many there are. It is absent where nothing is known.
type Client struct {
	Connection    string `json:"connection"` // "alive", "gone" or "unknown"
	Name          string `json:"name,omitempty"`
	Name64        string `json:"name_base64,omitempty"`
	Addr          string `json:"addr,omitempty"`
	Node          string `json:"node,omitempty"`
	Age           *int64 `json:"age_ms,omitempty"`
	Idle          *int64 `json:"idle_ms,omitempty"`
	Subscriptions *int   `json:"subscriptions,omitempty"`
	Library       string `json:"library,omitempty"`
	Connections   int    `json:"connections,omitempty"`
	AtLeast       bool   `json:"connections_at_least,omitempty"` // there may be more of them
	// By says how the holder was joined to them, SeenAt when they were on a list last, and GoneSince since when they are not.
	By        string `json:"by,omitempty"`
	SeenAt    string `json:"seen_at,omitempty"`
	GoneSince string `json:"gone_since,omitempty"`
}

// NewClient shows what is known of a holder's connections; nil: nothing.
func NewClient(s *inspector.Snapshot, p *inspector.Presence) *Client {
	if p == nil {
		return nil
	}
	out := &Client{
		Connection: string(p.Connection), By: Shown(p.By), Connections: len(p.Clients), AtLeast: p.AtLeast() != "",
		SeenAt: Instant(p.Seen), GoneSince: Instant(p.Since),
	}
	out.Name, out.Name64 = Plain(p.Name)
	if len(p.Clients) == 0 {
		return out
	}
	c := p.Clients[0]
	age, idle := c.Age, c.Idle
	if now, at, is := s.Client(c); is {
		c = now
		age, idle = now.Age+max(0, s.TakenAt.Sub(at)), now.Idle
	}
	out.Addr, out.Node, out.Library = Shown(c.Addr), Shown(string(c.Node)), Shown(inspector.LibraryOf(&c))
	if p.Connection == inspector.ConnectionAlive {
		ageMS, idleMS := age.Milliseconds(), idle.Milliseconds()
		out.Age, out.Idle = &ageMS, &idleMS
	}
	out.Subscriptions = &c.Subscriptions
	return out
}

// Roll is how many clients are connected, and why not all of them are known.
type Roll struct {
	Count int    `json:"count"`
	Error string `json:"error,omitempty"`
	// OwnerNames tells how well each rule of --owner-name fits.
	OwnerNames []OwnerName `json:"owner_names,omitempty"`
}

// OwnerName is a rule of --owner-name: of so many holders it has found the connections of so many.
// Where it is not trusted, it looks wrong, and makes no lock orphaned.
type OwnerName struct {
	Rule    string `json:"rule"`
	Holders int    `json:"holders"`
	Matched int    `json:"matched"`
	Trusted bool   `json:"trusted"`
}

func newRoll(s *inspector.Snapshot) *Roll {
	if s.Roll == nil {
		return nil
	}
	out := &Roll{Count: s.Roll.Clients(), Error: Shown(s.Roll.Partial())}
	for _, use := range s.OwnerNames {
		out.OwnerNames = append(out.OwnerNames, OwnerName{Shown(use.Rule), use.Holders, use.Matched, !use.Wrong()})
	}
	return out
}
