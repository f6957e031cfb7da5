package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
)

// setupRequest is what `modelparity setup` is asked for.
type setupRequest struct {
	enginelock.Setup
	help bool
}

// setupFlags are the command's: one for each engine of the catalogue, and what may be done.
func setupFlags() []arguments.Flag[setupRequest] {
	list := []arguments.Flag[setupRequest]{
		{Name: "--help", Also: []string{"-h"}, Apply: func(r *setupRequest, _ []string) error {
			r.help = true
			return nil
		}},
		{Name: "--all", Help: "Every engine below.",
			Apply: func(r *setupRequest, _ []string) error {
				for _, e := range engines.Catalogue() {
					r.Names = append(r.Names, e.Name)
				}
				return nil
			}},
	}
	for _, e := range engines.Catalogue() {
		list = append(list, arguments.Flag[setupRequest]{Name: "--" + e.Flag,
			Help: fmt.Sprintf("%s %s.", e.Title, e.Version),
			Apply: func(r *setupRequest, _ []string) error {
				r.Names = append(r.Names, e.Name)
				return nil
			}})
	}
	return append(list,
		arguments.Flag[setupRequest]{Name: "--upgrade",
			Help: "Move the engines that " + enginelock.Name + " names to the versions above. Golden " +
				"files may move with them.",
			Apply: func(r *setupRequest, _ []string) error {
				r.Upgrade = true
				return nil
			}},
		arguments.Flag[setupRequest]{Name: "--accept", Arity: arguments.One, Value: "ENGINE=PATH",
			Help: "Let this library be run as well where " + enginelock.Name + " names the engine, such " +
				"as onnxruntime=/opt/onnxruntime-gpu/lib/libonnxruntime.so. Only its sum is written down.",
			Apply: func(r *setupRequest, values []string) error {
				r.Accept = append(r.Accept, values...)
				return nil
			}})
}

const setupUsage = `Usage: modelparity setup [FLAG ...]

Downloads engines with pip, once, checks them against the sums that this release knows, and keeps
their libraries in the user's cache, where specs and modelparity run find them. Without a flag these
are the engines that the module's modelparity.lock names, or ONNX Runtime where there is none.
MODELPARITY_PYTHON names another Python.

In a module it writes modelparity.lock beside go.mod. Commit it: a suite then runs on the engines
that it names or not at all, on every machine, until setup --upgrade moves it. MODELPARITY_LOCK
names another lock, or "off" for none.

`

// setupCommand is `modelparity setup`: it fetches what specs need that the go command does not, and
// locks it.
func setupCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r setupRequest
	rest, err := arguments.Parse(setupFlags(), args, &r)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown argument %q; setup takes flags only", rest[0])
	}
	if err != nil {
		complain(stderr, "setup: %v", err)
		return unusable
	}
	if r.help {
		setupHelp(stdout)
		return equal
	}
	r.Python = os.Getenv("MODELPARITY_PYTHON")
	if err := r.Run(ctx, stdout, stderr); err != nil {
		complain(stderr, "setup: %v", err)
		return unusable
	}
	return equal
}

func setupHelp(to io.Writer) {
	fmt.Fprint(to, setupUsage)
	for _, f := range setupFlags() {
		if f.Help == "" {
			continue
		}
		fmt.Fprintf(to, "  %s\n", f.Usage())
		for _, line := range wrapped(f.Help, helpColumns-8) {
			fmt.Fprintf(to, "        %s\n", line)
		}
	}
}
