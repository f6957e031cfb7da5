//go:build unix

package apart

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// The numbers of the file descriptors that an engine's process inherits.
const (
	commands = 3 + iota
	answers
)

// inherited returns the connection that this process has inherited from its parent, and ensures
// that this process's own children do not inherit it too. If remote is true, a different machine
// started this process. This process then leads a process group, so that its children end with it.
func inherited(remote bool) pair {
	syscall.CloseOnExec(commands)
	syscall.CloseOnExec(answers)
	_ = syscall.SetNonblock(commands, true) // otherwise reading blocks a thread
	in, out := os.NewFile(commands, "commands"), os.NewFile(answers, "answers")
	if remote {
		_ = syscall.Setpgid(0, 0) // fails if it is a leader already
	}
	return pair{in, out}
}

// killGroup kills this process and its children, which are in its process group.
func killGroup() {
	_ = syscall.Kill(-os.Getpid(), syscall.SIGKILL)
	os.Exit(1)
}

// status describes how a process ended.
func status(state *os.ProcessState) string {
	if state == nil {
		return "its process did not exit"
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return exited(128 + int(ws.Signal()))
	}
	return fmt.Sprintf("its process exited with status %d", state.ExitCode())
}

// exited describes how a process ended. It takes the exit status as a shell reports it: a number
// above 128 means that a signal ended the process.
func exited(status int) string {
	if status <= 128 {
		return fmt.Sprintf("its process exited with status %d", status)
	}
	signal := syscall.Signal(status - 128)
	name := fmt.Sprintf("%s (%v)", cmp.Or(unix.SignalName(signal), strconv.Itoa(int(signal))), signal)
	if signal == syscall.SIGKILL {
		name += "; the system sends it if memory runs out"
	}
	return name
}
