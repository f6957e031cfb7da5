//go:build linux || darwin

package rig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Took describes the resources that a process used, and how it ended.
type Took struct {
	Wall, Processors time.Duration
	Peak             int64 // peak memory, in bytes
	Status           int   // exit status, or [Signalled] if a signal ended the process
	Stdout, Stderr   string
}

// Signalled is the [Took.Status] of a process that was ended by a signal.
const Signalled = 128

// measurer is the first argument of a copy of this program. The copy starts a command and measures
// the command's memory. If one process starts another process, the system counts the memory of the
// first process in the peak of the second process. This program may use much memory, so this
// program does not start the command itself. The copy uses little memory.
const measurer = "rig-measure"

// Measure runs a command and measures it, including all processes that it starts. Any exit status
// is allowed. If the command's context ends, Measure stops the command and returns the context's
// error.
func Measure(c *exec.Cmd) (Took, error) {
	peak, says, err := os.Pipe()
	if err != nil {
		return Took{}, err
	}
	defer peak.Close()
	c.Args = append([]string{Self(), measurer, c.Path}, c.Args[1:]...)
	c.Path, c.ExtraFiles = c.Args[0], []*os.File{says}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c.Cancel != nil {
		c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	start := time.Now()
	err = c.Run()
	took := Took{Wall: time.Since(start), Stdout: stdout.String(), Stderr: stderr.String()}
	_ = says.Close() // closing a pipe loses no data
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return took, err
	}
	took.Status = c.ProcessState.ExitCode()
	took.Processors = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	if took.Status < 0 {
		return took, err
	}
	if _, err := fmt.Fscan(peak, &took.Peak); err != nil {
		return took, fmt.Errorf("%s: %s%w", c.Args[2], took.Stderr, err)
	}
	return took, nil
}

// Succeed is like [Measure], for a command that must succeed.
func Succeed(c *exec.Cmd) (Took, error) {
	took, err := Measure(c)
	if err == nil && took.Status != 0 {
		said := took.Stdout + took.Stderr
		err = fmt.Errorf("%q ends with exit status %d: %s", c.Args[2:], took.Status,
			said[:min(len(said), 2000)])
	}
	return took, err
}

// MeasureIfAsked checks whether [Measure] started this process. If so, it runs the command in the
// arguments and then ends this process.
func MeasureIfAsked() {
	if len(os.Args) < 3 || os.Args[1] != measurer {
		return
	}
	syscall.CloseOnExec(3)
	c := exec.Command(os.Args[2], os.Args[3:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); c.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.NewFile(3, "peak"), rss(c.ProcessState.SysUsage().(*syscall.Rusage)))
	if status := c.ProcessState.ExitCode(); status >= 0 {
		os.Exit(status)
	}
	os.Exit(Signalled)
}

// rss returns the peak resident memory in bytes; Linux reports it in KiB.
func rss(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss) //nolint:unconvert // 32 bits on some systems
	}
	return int64(u.Maxrss) << 10 //nolint:unconvert // 32 bits on some systems
}
