//go:build unix

package child

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// straggling is how long to wait for output from the rest of the group.
const straggling = time.Second

// start starts the program with its two pipes, and the shell that watches over it.
func (p *Process) start(program Program, requests, answers *os.File) error {
	command := exec.Command(program.Args[0], program.Args[1:]...)
	command.Dir, command.Env = program.Dir, append(os.Environ(), program.Env...)
	command.Stdout, command.Stderr = p.said, p.said
	command.ExtraFiles = []*os.File{requests, answers}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.WaitDelay = straggling
	if err := command.Start(); err != nil {
		var wrong *exec.Error
		if errors.As(err, &wrong) {
			err = wrong.Err
		}
		return named(program.Args[0], err)
	}
	group := command.Process.Pid
	relieve, err := watch(group)
	if err != nil {
		_ = syscall.Kill(-group, syscall.SIGKILL)
		_ = command.Wait()
		return named("/bin/sh, which watches over "+program.Args[0], err)
	}
	p.kill = func() {
		select {
		case <-p.ended: // the process id may have been reused
		default:
			_ = syscall.Kill(-group, syscall.SIGKILL) // it may have ended already
		}
	}
	go func() {
		state, _ := command.Process.Wait()
		_ = syscall.Kill(-group, syscall.SIGKILL) // processes that it left behind
		_ = command.Wait()                        // wait for its output
		relieve()
		p.how = "unknown status"
		if state != nil {
			p.how = state.String()
		}
		close(p.ended)
	}()
	return nil
}

// watch starts a shell that kills the group if this process dies, because its input then ends
// without a line. relieve sends the line.
func watch(group int) (relieve func(), err error) {
	watched, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer closeAll(watched)
	guard := exec.Command("/bin/sh", "-c", `read line || kill -9 "-$1"`, "modelparity-guard",
		strconv.Itoa(group))
	guard.Stdin = watched
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not end it first
	if err := guard.Start(); err != nil {
		closeAll(life)
		return nil, err
	}
	return func() {
		_, _ = life.WriteString("end\n") // it may have been killed
		closeAll(life)
		_ = guard.Wait()
	}, nil
}
