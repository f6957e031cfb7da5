package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// setupCommand is `modelparity setup`: it fetches what specs need that the go command does not.
func setupCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprint(stdout, `Usage: modelparity setup

Downloads ONNX Runtime `+engines.ONNXRuntime.Version+` with pip, once, and keeps its library in
the user's cache, where specs and modelparity run find it. MODELPARITY_PYTHON names another Python.
`)
		return usage(args)
	}
	path, err := engines.ONNXRuntime.Fetch(ctx, os.Getenv("MODELPARITY_PYTHON"), stderr)
	if err != nil {
		complain(stderr, "setup: %v", err)
		return unusable
	}
	fmt.Fprintf(stdout, "ONNX Runtime %s: %s\n", engines.ONNXRuntime.Version, path)
	return equal
}

// doctorCommand is `modelparity doctor`: what is found on this machine. Its status is that of what
// modelparity run needs, ONNX Runtime.
func doctorCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprint(stdout, `Usage: modelparity doctor

Says which engines are found on this machine, where, and what to do about those that are not.
`)
		return usage(args)
	}
	versionCommand(ctx, nil, stdout, stderr)
	status := equal
	if err := ort.Available(); err == nil {
		path, version, _ := onnxruntime.Running()
		fmt.Fprintf(stdout, "ONNX Runtime %s: %s\n", version, path)
		for _, provider := range []string{"cuda", "tensorrt"} {
			found := "found, with a GPU"
			if err := ort.Available(ort.Providers(provider)); err != nil {
				found = err.Error()
			}
			fmt.Fprintf(stdout, "ONNX Runtime by %s: %s\n", provider, found)
		}
	} else {
		fmt.Fprintf(stdout, "ONNX Runtime: %v\n", err)
		status = unusable
	}
	if err := trt.Available(); err == nil {
		fmt.Fprintln(stdout, "TensorRT: found, with a GPU")
	} else {
		fmt.Fprintf(stdout, "TensorRT: %v\n", err)
	}
	fmt.Fprintf(stdout, "Polygraphy: %s\n", polygraphy(ctx))
	return status
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
