package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/enginelock"
)

// doctorCommand is `modelparity doctor`: what is found on this machine. Its status is that of what
// modelparity run needs, ONNX Runtime.
//
// A library that is broken, or made for another machine, can take the process along that opens it.
// So each engine is looked for by a process of its own, and one that dies is a line like any other.
func doctorCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "--probe" {
		return probe(args[1], stdout)
	}
	if len(args) > 0 {
		fmt.Fprint(stdout, `Usage: modelparity doctor

Says which engines are found on this machine, where, and what to do about those that are not; then,
for every engine, how to get it, which version was tested, and what it does unless told otherwise.
`)
		return usage(args)
	}
	versionCommand(ctx, nil, stdout, stderr)
	fmt.Fprintln(stdout, locked())
	status := equal
	for _, d := range diagnoses {
		text, found := d.examine(ctx)
		fmt.Fprint(stdout, text)
		if !found && d.name == "ort" {
			status = unusable
		}
	}
	fmt.Fprintf(stdout, "Polygraphy: %s\n\n", polygraphy(ctx))
	for _, d := range diagnoses {
		d.describe(stdout)
	}
	return status
}

// locked says what decides which engines run.
func locked() string {
	lock, path, err := enginelock.Here()
	switch {
	case err != nil:
		return "lock: " + err.Error()
	case path == "":
		return "lock: none, outside a module or by " + enginelock.Variable
	case len(lock.Engines) == 0:
		return "lock: none at " + path + "; modelparity setup writes it"
	}
	var names []string
	for _, e := range lock.Engines {
		names = append(names, e.Name+" "+e.Version)
	}
	return "lock: " + path + " names " + strings.Join(names, ", ")
}

// probing is how long an engine may take to be found.
const probing = time.Minute

// examine looks for the engine in a process of its own, and gives the lines to print.
func (d diagnosis) examine(ctx context.Context) (text string, found bool) {
	program, err := os.Executable()
	if err != nil {
		return fmt.Sprintf("%s: %v\n", d.title, err), false
	}
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	child := exec.CommandContext(ctx, program, "doctor", "--probe", d.name)
	child.Args[0] = os.Args[0]
	child.Env = append(os.Environ(), "GOTRACEBACK=none")
	var stdout, stderr bytes.Buffer
	child.Stdout, child.Stderr = &stdout, &stderr
	err = child.Run()
	if stdout.Len() > 0 && (err == nil || child.ProcessState.ExitCode() == unusable) {
		return stdout.String(), err == nil
	}
	reason := fmt.Sprint(err)
	if ctx.Err() != nil {
		reason = "it took longer than " + probing.String()
	} else if signal := fatalSignal.Find(stderr.Bytes()); signal != nil {
		reason = string(signal)
	}
	return fmt.Sprintf("%s: the process that opened it died (%s): the library is damaged, or made "+
		"for another machine; %s\n", d.title, reason, d.reinstall()), false
}

// fatalSignal finds the signal in what Go, or a C++ library, says when a process dies.
var fatalSignal = regexp.MustCompile(`SIG[A-Z]+: [a-z -]+|terminate called .*`)

// reinstall says what to do about a library that cannot be opened.
func (d diagnosis) reinstall() string {
	if path := os.Getenv(d.variable); path != "" {
		return d.variable + " names " + path
	}
	return d.obtain
}

// probe looks for one engine in this process. What it finds is printed when it is known, for the
// process may not live to say it.
func probe(name string, stdout io.Writer) int {
	for _, d := range diagnoses {
		if d.name != name {
			continue
		}
		text, err := d.find()
		if err != nil {
			fmt.Fprintf(stdout, "%s: %v\n", d.title, err)
			return unusable
		}
		fmt.Fprint(stdout, text)
		return equal
	}
	return unusable
}

// describe prints what is true of the engine on every machine.
func (d diagnosis) describe(to io.Writer) {
	fmt.Fprintln(to, d.title)
	for _, row := range []struct{ word, text string }{
		{"get it", d.obtain}, {"tested", d.tested}, {"unless told otherwise", d.habits},
	} {
		for i, line := range wrapped(row.text, helpColumns-25) {
			if i > 0 {
				row.word = ""
			}
			fmt.Fprintf(to, "  %-22s %s\n", row.word, line)
		}
	}
}

// usage is the status of a command whose usage was printed: asked for, or got wrong.
func usage(args []string) int {
	if args[0] == "--help" || args[0] == "-h" {
		return equal
	}
	return unusable
}

// polygraphy says which Polygraphy the side-by-side specs would find in the Python at hand.
func polygraphy(ctx context.Context) string {
	python := os.Getenv("MODELPARITY_PYTHON")
	if python == "" {
		python = "python3"
	}
	out, err := exec.CommandContext(ctx, python, "-c",
		"import polygraphy; print(polygraphy.__version__)").Output()
	if err != nil {
		return "not in " + python + "; make setup-polygraphy puts it into .venv, and " +
			"MODELPARITY_PYTHON names another Python"
	}
	return strings.TrimSpace(string(out)) + " in " + python
}
