//go:build unix

package servers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"locktop/keyspace/redistest"
)

// childVariable makes TestChild run a server until it is killed.
const childVariable = "LOCKTOP_DEMO_TEST_CHILD"

// TestChild is no test but what TestServerDiesWithItsParent runs: it prints the process ids of the server and the guard,
// and the directory.
func TestChild(*testing.T) {
	if os.Getenv(childVariable) == "" {
		return
	}
	s, err := Open(context.Background(), Options{Kind: Redis})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	p := s.(*process)
	fmt.Println(p.cmd.Process.Pid, p.guard.shell.Process.Pid, p.dir)
	select {}
}

// runs says whether a process does; one that has ended but was not collected yet does not.
func runs(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, after, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(after, "Z")
	}
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestServerDiesWithItsParent(t *testing.T) {
	redistest.Require(t, "redis-server")
	files := tempDirs(t)
	child := exec.Command(os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), childVariable+"=1")
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, readErr := bufio.NewReader(out).ReadString('\n')
	words := strings.Fields(line)
	server, guard := 0, 0
	if len(words) == 3 {
		server, err = strconv.Atoi(words[0])
		guard = must(strconv.Atoi(words[1]))(t)
	}
	running := server > 0 && runs(server) && runs(guard)
	made := files()
	if err := errors.Join(child.Process.Kill(), err); err != nil {
		t.Error(err)
	}
	if err := child.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
	if !running || len(made) != 1 || made[0] != words[2] {
		t.Fatalf("the child said %q (%v); files %v", line, readErr, made)
	}
	eventually(t, "the server, the guard and the directory go", func(context.Context) bool {
		return !runs(server) && !runs(guard) && len(files()) == 0
	})
}

// The guard alone must do where no kernel helps.
func TestGuardAlone(t *testing.T) {
	files := tempDirs(t)
	dir := must(os.MkdirTemp("", "locktop-demo-"))(t)
	victim := exec.Command("sleep", "30") // it ends by itself if the guard does not do its work
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	g, err := newGuard(victim.Process.Pid, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !runs(victim.Process.Pid) || len(files()) != 1 {
		t.Fatal("it acts while we live")
	}
	if err := g.pipe.Close(); err != nil { // as our death would
		t.Fatal(err)
	}
	if err := victim.Wait(); err == nil || victim.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("the victim ended with %v", err)
	}
	eventually(t, "the directory goes", func(context.Context) bool { return len(files()) == 0 })
	g.release()

	quiet := must(os.MkdirTemp("", "locktop-demo-"))(t)
	g, err = newGuard(os.Getpid(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	g.release() // in good order: nothing is killed, this test goes on
	if len(files()) != 1 || g.shell.ProcessState == nil {
		t.Error("it removed the directory of one that ended in good order, or still runs")
	}
}
