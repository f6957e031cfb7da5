//go:build linux || darwin

package isolated

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// supported returns an error if engines cannot run in their own processes on this system.
func supported() error { return nil }

// pair holds the two channels of one process: one to read from and one to write to.
type pair struct {
	io.Reader
	io.Writer
	files []*os.File
}

// Close closes both channels.
func (p pair) Close() error {
	var wrong []error
	for _, f := range p.files {
		wrong = append(wrong, f.Close())
	}
	return errors.Join(wrong...)
}

// The numbers of the file descriptors that an engine's process inherits.
const (
	orders = 3 + iota
	answers
	sharedMemory
)

// connection creates a connection. It returns the files that the engine's process inherits, the
// channels of this process, and the shared memory.
func connection() (theirs []*os.File, ours pair, shared *os.File, err error) {
	var orderEnd, order, answer, answerEnd *os.File
	if orderEnd, order, err = os.Pipe(); err != nil {
		return nil, ours, nil, err
	}
	if answer, answerEnd, err = os.Pipe(); err != nil {
		return nil, ours, nil, errors.Join(err, orderEnd.Close(), order.Close())
	}
	ours = pair{answer, order, []*os.File{answer, order}}
	theirs = []*os.File{orderEnd, answerEnd}
	if shared, err = memoryFile(); err != nil {
		err = errors.Join(err, ours.Close(), orderEnd.Close(), answerEnd.Close())
	}
	return theirs, ours, shared, err
}

// inherited returns the connection that this process has inherited from its parent. It keeps
// children of this process from inheriting the connection too.
func inherited() (conn pair, shared *os.File) {
	for _, n := range []int{orders, answers, sharedMemory} {
		syscall.CloseOnExec(n)
	}
	_ = syscall.SetNonblock(orders, true) // otherwise reading blocks a thread
	order, answer := os.NewFile(orders, "orders"), os.NewFile(answers, "answers")
	return pair{order, answer, nil}, os.NewFile(sharedMemory, "shared memory")
}

// own makes the process the leader of a process group, so that it and its children can be killed
// together.
func own(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killAll ends a process and its children.
func killAll(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// sweep ends the children of a process that has ended.
func sweep(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// askWhere makes a Go process print its goroutines' stacks.
func askWhere(pid int) { _ = syscall.Kill(pid, syscall.SIGQUIT) }

// killGroup ends this process, which leads a group, and its children.
func killGroup() {
	_ = syscall.Kill(-os.Getpid(), syscall.SIGKILL)
	os.Exit(1)
}

// status describes how a process ended.
func status(state *os.ProcessState) string {
	if state == nil {
		return "its process does not end"
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		name := fmt.Sprintf("%v (%v)", signalName(ws.Signal()), ws.Signal())
		if ws.Signal() == syscall.SIGKILL {
			name += "; the system does this if memory is short"
		}
		return name
	}
	return fmt.Sprintf("its process exited with status %d", state.ExitCode())
}

// signalName returns the name of a signal by which engines commonly end, or its number.
func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS",
		syscall.SIGFPE: "SIGFPE", syscall.SIGILL: "SIGILL", syscall.SIGKILL: "SIGKILL",
		syscall.SIGSEGV: "SIGSEGV", syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP"}
	if name, ok := names[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
