package keyspace

// Pattern is a Redis glob that names keys.
type Pattern struct {
	// Glob is what is sent to the server, in the syntax of SCAN MATCH.
	Glob string
	// Shown is what the user reads, where it differs: a pattern in any letter case is sent as "*[lL][oO]...*" and shown as
	// "*lo...*".
	Shown string
}
