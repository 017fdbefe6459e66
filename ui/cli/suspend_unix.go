//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilSuspended is a context that ends also when the process is to be suspended (ctrl-z): what listens to a server must hang up before,
// or the server keeps for it what it does not read. The function lets the suspension happen, where one was asked for, and is called
// once it has hung up. From then on the signal suspends as it did before.
func untilSuspended(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	if signal.Ignored(syscall.SIGTSTP) {
		return ctx, cancel
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTSTP)
	hungUp := make(chan struct{})
	go func() {
		<-asked
		cancel()
		<-hungUp
		// The runtime keeps its handler, and would swallow the signal; SIGSTOP cannot be swallowed.
		for ; ; <-asked {
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP) // to ourselves, which cannot fail
		}
	}()
	return ctx, func() {
		cancel()
		close(hungUp)
	}
}
