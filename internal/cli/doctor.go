package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/modelparity/modelparity/internal/cli/doctor"
	"github.com/modelparity/modelparity/internal/terminal"
)

// doctorCommand is `modelparity doctor`: what is found on this machine. Its status is that of what
// modelparity run needs, ONNX Runtime.
//
// A library that is broken, or made for another machine, can take the process along that opens it.
// So each engine is looked for by a process of its own, and one that dies is a line like any other.
func doctorCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "--probe" {
		return doctor.Probe(args[1], stdout)
	}
	verbose := len(args) == 1 && (args[0] == "-v" || args[0] == "--verbose")
	if len(args) > 0 && !verbose {
		fmt.Fprint(stdout, `Usage: modelparity doctor [-v]

Says which engines are found on this machine, where, and what to do about those that are not. With
-v it also says of every engine how to get it, which files it runs, which version was tested, and
what it does unless told otherwise.
`)
		return usage(args)
	}
	versionCommand(ctx, nil, stdout, stderr)
	fmt.Fprintln(stdout, doctor.Locked())
	program, err := os.Executable()
	if err != nil {
		complain(stderr, "doctor: %v", err)
		return unusable
	}
	status := equal
	for _, e := range doctor.Engines() {
		text, found := e.Examine(ctx, program, "doctor", "--probe", e.Name)
		fmt.Fprint(stdout, text)
		if !found && e.Name == "ort" {
			status = unusable
		}
	}
	fmt.Fprintf(stdout, "Polygraphy: %s\n%s\n", doctor.Polygraphy(ctx),
		doctor.GitAdvice("."))
	if !verbose {
		fmt.Fprintln(stdout, "modelparity doctor -v describes every engine")
		return status
	}
	for _, e := range doctor.Engines() {
		describe(e, stdout)
	}
	return status
}

// describe prints what is true of the engine on every machine.
func describe(e doctor.Engine, to io.Writer) {
	fmt.Fprintln(to, e.Title)
	for _, row := range []struct{ word, text string }{
		{"get it", e.Obtain}, {"runs", e.Runs}, {"tested", e.Tested}, {"unless told otherwise", e.Habits},
	} {
		for i, line := range terminal.Wrapped(row.text, helpColumns-25) {
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
