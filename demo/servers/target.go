package servers

import (
	"context"

	"locktop/keyspace"
)

// target is somebody's running server.
type target struct{ options keyspace.Options }

func (t target) Connections() []keyspace.Options { return []keyspace.Options{t.options} }
func (t target) Name() string                    { return string(t.options.Node()) }
func (t target) Reset(context.Context) error     { return nil } // whoever writes keys there removes them
func (t target) Close() error                    { return nil }
