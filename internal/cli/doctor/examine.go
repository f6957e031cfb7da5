package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"time"
)

// The exit statuses of [Probe].
const (
	Found    = 0
	NotFound = 2
)

// probing is the time limit for probing one engine.
const probing = time.Minute

// Examine looks for the engine in a separate process and returns the lines to print. program and
// args are the command line of that process. The process must call [Probe] and exit with the status
// that Probe returns.
func (e Engine) Examine(ctx context.Context, program string, args ...string) (
	text string, found bool) {
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	child := exec.CommandContext(ctx, program, args...)
	child.Args[0] = os.Args[0] // keep the name under which this process was started
	child.Env = append(os.Environ(), "GOTRACEBACK=none")
	var stdout, stderr bytes.Buffer
	child.Stdout, child.Stderr = &stdout, &stderr
	err := child.Run()
	if stdout.Len() > 0 && (err == nil || child.ProcessState.ExitCode() == NotFound) {
		return stdout.String(), err == nil
	}
	reason := fmt.Sprint(err)
	if ctx.Err() != nil {
		reason = "it took longer than " + probing.String()
	} else if signal := fatalSignal.Find(stderr.Bytes()); signal != nil {
		reason = string(signal)
	}
	return fmt.Sprintf("%s: opening it crashed the process (%s): the library is damaged, or built "+
		"for another machine; %s\n", e.Title, reason, e.reinstall()), false
}

// fatalSignal matches the part of a crashed Go or C++ process's output that says why the process
// crashed.
var fatalSignal = regexp.MustCompile(`SIG[A-Z]+: [a-z -]+|terminate called .*`)

// reinstall returns the advice for replacing a library that cannot be opened.
func (e Engine) reinstall() string {
	if path := os.Getenv(e.Variable); path != "" {
		return e.Variable + " is set to " + path
	}
	return e.Obtain
}

// Probe looks for one engine, given by name, in this process. It prints the result and returns the
// exit status.
func Probe(name string, stdout io.Writer) int {
	for _, e := range all {
		if e.Name != name {
			continue
		}
		text, err := e.find()
		if err != nil {
			fmt.Fprintf(stdout, "%s: %v\n", e.Title, err)
			return NotFound
		}
		fmt.Fprint(stdout, text)
		return Found
	}
	return NotFound
}
