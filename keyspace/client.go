package keyspace

import "time"

// Client is one connection to a node, as CLIENT LIST tells of it. Its texts are what clients say of themselves, and hostile.
type Client struct {
	Node Node
	// ID is the server's number for the connection; it is never used again while the server runs.
	ID int64
	// Name is what the client called itself with CLIENT SETNAME; empty: nothing.
	Name string
	// Addr is its own end of the connection, as the server sees it.
	Addr string
	User string
	// Age and Idle are as of the moment of the list, in whole seconds.
	Age, Idle time.Duration
	// Subscriptions is the number of its channels, patterns and sharded channels.
	Subscriptions int
	// Library and LibraryVersion are what its library says of itself (CLIENT SETINFO, from Redis 7.2 on).
	Library, LibraryVersion string
	// Command is the last one that it sent, in lower case.
	Command string
	// Flags are CLIENT LIST's: b is blocked, P subscribes, O monitors.
	Flags string
}
