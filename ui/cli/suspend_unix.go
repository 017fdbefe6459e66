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
// once it has hung up.
func untilSuspended(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	asked := make(chan os.Signal, 1)
	if signal.Ignored(syscall.SIGTSTP) {
		return ctx, cancel
	}
	signal.Notify(asked, syscall.SIGTSTP)
	done, suspend := make(chan struct{}), false
	go func() {
		defer close(done)
		select {
		case <-asked:
			suspend = true
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		<-done
		signal.Stop(asked)
		signal.Reset(syscall.SIGTSTP)
		if suspend {
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGTSTP) // to ourselves, which cannot fail
		}
	}
}
