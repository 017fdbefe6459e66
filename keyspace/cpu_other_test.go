//go:build !unix

package keyspace_test

import "time"

// processTime is not known on this system.
func processTime() time.Duration { return 0 }
