//go:build !unix

package cli

import "context"

// untilSuspended is a context: here nothing is suspended.
func untilSuspended(parent context.Context) (context.Context, func()) {
	return context.WithCancel(parent)
}
