//go:build unix

package servers

import (
	"io"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

const defaultTransport = overSocket

// guard is a shell that outlives us by a moment. It waits at the end of a pipe that only we hold; when we die in whatever
// way, the pipe ends, and the shell kills the server and removes its directory. On Linux the kernel has killed the server
// by then, and the directory is all that is left to do.
type guard struct {
	shell *exec.Cmd
	pipe  io.WriteCloser
	once  sync.Once
}

// guardScript reads a line when all ended in good order, and the end of the pipe when we died.
const guardScript = `trap '' HUP INT TERM; read -r _ && exit; kill -9 "$1"; rm -rf -- "$2"`

func newGuard(pid int, dir string) (*guard, error) {
	shell := exec.Command("/bin/sh", "-c", guardScript, "locktop-demo-guard", strconv.Itoa(pid), dir)
	shell.Dir, shell.Env = "/", withoutSecrets()
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := shell.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := shell.Start(); err != nil {
		return nil, err
	}
	return &guard{shell: shell, pipe: pipe}, nil
}

// release ends the guard without its doing anything. The guard may be nil.
func (g *guard) release() {
	if g == nil {
		return
	}
	g.once.Do(func() {
		// Neither can fail in a way that matters: a shell that is gone already does no harm.
		_, _ = io.WriteString(g.pipe, "done\n")
		_ = g.pipe.Close()
		_ = g.shell.Wait()
	})
}
