package cli

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"locktop/keyspace"
)

// client connects a client that calls itself so, until the end of the script.
func (s *scripted) client(ts *testscript.TestScript, _ bool, args []string) {
	c, err := keyspace.Connect(context.Background(), keyspace.Options{Network: "unix", Addr: s.running.Socket, ClientName: args[0]})
	ts.Check(err)
	ts.Defer(func() { ts.Check(c.Close()) })
}
