package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/modelparity/modelparity/internal/cli/doctor"
)

// doctorCommand runs `modelparity doctor`. Its exit status is 0 if ONNX Runtime, the default
// engine, was found.
//
// Opening a broken library, or a library for a different machine, may crash the process. Each
// engine is therefore probed in a subprocess, and a crash is reported like any other error.
func doctorCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "--probe" {
		return doctor.Probe(args[1], stdout)
	}
	if len(args) > 0 {
		fmt.Fprint(stdout, `Usage: modelparity doctor

Lists the engines found on this machine, their locations, and how to get missing ones.
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
	return status
}

// usage returns the exit status of a command that only printed its usage: success if the user asked
// for the usage, and failure if the arguments were wrong.
func usage(args []string) int {
	if args[0] == "--help" || args[0] == "-h" {
		return equal
	}
	return unusable
}
