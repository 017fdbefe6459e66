//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// notify announces the signals that end the dashboard: those that are sent from outside, and the terminal's hang-up.
func notify(c chan<- os.Signal) {
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
}
