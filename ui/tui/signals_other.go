//go:build !unix

package tui

import (
	"os"
	"os/signal"
)

// notify announces the signals that end the dashboard.
func notify(c chan<- os.Signal) { signal.Notify(c, os.Interrupt) }
