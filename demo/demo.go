// Package demo runs real workers that contend for real locks, on a server of its own or on one that is given.
package demo

import (
	"context"
	"errors"
	"time"

	"locktop/keyspace"
)

// Server says where a demo runs.
type Server string

// The choices of --server.
const (
	ServerAuto     Server = "auto"     // redis-server or valkey-server on PATH, else embedded
	ServerRedis    Server = "redis"    // a process of our own
	ServerEmbedded Server = "embedded" // inside this process
)

// Options configure a demo.
type Options struct {
	Scenario string // empty: contention
	Server   Server
	// Target is a running server to use instead, under the reserved prefix [Prefix]; nil: none.
	Target *keyspace.Options
	Seed   uint64  // 0: from the clock
	Speed  float64 // 1 is real time; 2 is twice as fast
}

// Prefix is put before every key of a demo that runs on somebody's server.
const Prefix = "locktop:demo:"

// Scenario describes one scenario for --list and for the header.
type Scenario struct {
	Name    string
	Shows   string // what it shows, one sentence
	LookFor string // what to look for, one sentence
}

// Scenarios lists them, the default first.
func Scenarios() []Scenario { return nil }

// Narration is one sentence about what just happened.
type Narration struct {
	At   time.Time
	Text string
}

// Demo is a running scenario.
type Demo struct{}

// Start starts the server and the workers. They stop when ctx ends or Close is called.
func Start(ctx context.Context, o Options) (*Demo, error) { return nil, errors.New("not built yet") }

// Connection says how to reach the server, for keyspace.Connect.
func (d *Demo) Connection() keyspace.Options { return keyspace.Options{} }

// URL is the same as a redis-cli URL, without a secret, or "" where none can say it.
func (d *Demo) URL() string { return "" }

// ServerName is what the header says: "redis-server 7.0.15 (private)", "embedded demo server".
func (d *Demo) ServerName() string { return "" }

// Scenario is the one that runs; its Name is set even where Options left it to the default.
func (d *Demo) Scenario() Scenario { return Scenario{} }

// Narration is the latest sentence.
func (d *Demo) Narration() Narration { return Narration{} }

// Close stops the workers, removes the keys, stops the server and waits for all of it. It may be called twice.
func (d *Demo) Close() error { return nil }
