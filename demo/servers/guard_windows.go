package servers

import (
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// No build of Redis for Windows can be counted on to listen on a unix socket.
const defaultTransport = overLoopback

// attributes put the server out of reach of the console's Ctrl-C, which we must see first.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// guard is a job object that the system closes when we die, and with it the server. The directory is then left behind.
type guard struct {
	job  windows.Handle
	once sync.Once
}

func newGuard(pid int, _ string) (*guard, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	g := &guard{job: job}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		g.release()
		return nil, err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		g.release()
		return nil, err
	}
	err = windows.AssignProcessToJobObject(job, process)
	_ = windows.CloseHandle(process) // the job keeps what it needs
	if err != nil {
		g.release()
		return nil, err
	}
	return g, nil
}

// release closes the job, which ends the server if it still runs. The guard may be nil.
func (g *guard) release() {
	if g == nil {
		return
	}
	g.once.Do(func() { _ = windows.CloseHandle(g.job) }) // nothing can be done about a handle that does not close
}
