package redistest

import "net"

// Link puts a link before a node, and returns when the whole cluster names the link's address as the node's: clients and
// replicas come by the link from then on. The nodes watch over each other by another port, so that a node whose link fails
// stays what it is.
func (c *Cluster) Link(node *Server) *Link {
	c.tb.Helper()
	link := NewLink(c.tb, node)
	_, port, err := net.SplitHostPort(link.Addr)
	if err != nil {
		c.tb.Fatal(err)
	}
	node.Do("CONFIG", "SET", "cluster-announce-port", port)
	node.args, node.link = append(node.args, "--cluster-announce-port", port), link // also after a Revive
	c.Settle()
	return link
}

// known is the address by which a cluster knows the server.
func (s *Server) known() string {
	if s.link != nil {
		return s.link.Addr
	}
	return s.Addr
}
