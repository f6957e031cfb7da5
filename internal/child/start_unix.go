//go:build unix

package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// straggling limits how long to wait, after the program has ended, for output and answers from
// processes that it has left behind.
const straggling = time.Second

// start starts the program with its two pipes, and a shell that kills the program if this process
// dies.
func (p *Process) start(program Program, requests, answers *os.File) error {
	command := exec.Command(program.Args[0], program.Args[1:]...)
	command.Env = append(os.Environ(), program.Env...)
	command.Stderr = p.said
	if program.Standard {
		command.Stdin, command.Stdout = requests, answers
	} else {
		command.Stdout, command.ExtraFiles = p.said, []*os.File{requests, answers}
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.WaitDelay = straggling
	if err := command.Start(); err != nil {
		var wrong *exec.Error
		if errors.As(err, &wrong) {
			err = wrong.Err
		}
		return fmt.Errorf("%s: %w", program.Args[0], err)
	}
	group := command.Process.Pid
	p.Pid = group
	relieve, err := watch(group)
	if err != nil {
		_ = syscall.Kill(-group, syscall.SIGKILL)
		_ = command.Wait()
		return fmt.Errorf("starting /bin/sh to watch over %s: %w", program.Args[0], err)
	}
	p.kill = func() {
		select {
		case <-p.ended: // the process id may have been reused
		default:
			_ = syscall.Kill(-group, syscall.SIGKILL) // the group may have ended already
		}
	}
	go func() {
		p.state, _ = command.Process.Wait()
		_ = syscall.Kill(-group, syscall.SIGKILL) // kill processes that the program left behind
		_ = command.Wait()                        // wait for the rest of the output
		relieve()
		_ = p.In.Close()
		close(p.ended)
		time.AfterFunc(straggling, func() { _ = p.Out.Close() })
	}()
	return nil
}

// watch starts a shell that reads one line from this process. If this process dies, the shell's
// input ends without a line, and the shell kills the group. Calling relieve sends the line, so that
// the shell exits without killing the group.
func watch(group int) (relieve func(), err error) {
	watched, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer closeAll(watched)
	guard := exec.Command("/bin/sh", "-c", `read line || kill -9 "-$1"`, "modelparity-guard",
		strconv.Itoa(group))
	guard.Stdin = watched
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not end the shell first
	if err := guard.Start(); err != nil {
		closeAll(life)
		return nil, err
	}
	return func() {
		_, _ = life.WriteString("end\n") // the shell may have been killed
		closeAll(life)
		_ = guard.Wait()
	}, nil
}
