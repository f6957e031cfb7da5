//go:build linux || darwin

// Package rig is shared by the programs that measure modelparity or try to break it. It creates a
// temporary folder, builds the command, and runs processes and measures their time and memory.
package rig

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// Rig is the environment in which a program that uses this package runs.
type Rig struct {
	Root string // root of the checkout
	Dir  string // a temporary folder
	Keep bool   // whether to keep the temporary folder, to examine a failure
}

// Role is work that a program does in a separate process. On its command line, flags come first,
// then the role's name and its arguments.
type Role func(args []string) error

// Main is a program's main function. It runs the function work, or the role that the first argument
// names.
func Main(name string, work func(context.Context, *Rig) error, roles map[string]Role) {
	MeasureIfAsked()
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		role := roles[os.Args[1]]
		os.Args = slices.Delete(os.Args, 1, 2)
		flag.Parse()
		if err := role(flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	flag.Parse()
	if err := run(work); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func run(work func(context.Context, *Rig) error) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var r Rig
	if r.Root, err = usermodule.Root(); err != nil {
		return err
	}
	if r.Dir, err = os.MkdirTemp("", "modelparity-rig-"); err != nil {
		return err
	}
	defer func() {
		if !r.Keep {
			os.RemoveAll(r.Dir)
		}
	}()
	return work(ctx, &r)
}

// Command builds the modelparity command in the rig's folder and returns its path.
func (r *Rig) Command(ctx context.Context) (string, error) {
	path := filepath.Join(r.Dir, "modelparity")
	_, err := Run(ctx, r.Root, nil, "go", "build", "-o", path, "./cmd/modelparity")
	return path, err
}

// Run runs a program that must succeed, in the folder dir and with additional environment
// variables. It returns the standard output without surrounding white space.
func Run(ctx context.Context, dir string, environment []string, name string, args ...string,
) (string, error) {
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(c.Environ(), environment...)
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s%s", strings.Join(c.Args, " "), err, &stdout, &stderr)
	}
	return strings.TrimSpace(stdout.String()), err
}

// Self returns the path of this program, to start it again with a [Role].
func Self() string {
	self, err := os.Executable()
	if err != nil {
		panic(err) // impossible: the program is running
	}
	return self
}

// Only defines a flag for a regular expression, and returns a function that reports whether the
// expression matches a name. items is a plural noun for the usage text, such as "files".
func Only(name, items string) func(name string) bool {
	pattern := regexp.MustCompile("")
	flag.Func(name, "run only the "+items+" whose names match this regular expression",
		func(text string) (err error) {
			pattern, err = regexp.Compile(text)
			return err
		})
	return func(name string) bool { return pattern.MatchString(name) }
}

// Row returns a row of a Markdown table.
func Row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

// Head returns the first two rows of a Markdown table.
func Head(cells ...string) string {
	return Row(cells...) + "\n|" + strings.Repeat(" --- |", len(cells))
}

// NPYHeader returns the header of an .npy file, whose data follows it.
func NPYHeader(descr, shape string, fortran bool) string {
	order := "False"
	if fortran {
		order = "True"
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	text += strings.Repeat(" ", (64-(10+len(text)+1)%64)%64) + "\n"
	length := binary.LittleEndian.AppendUint16(nil, uint16(len(text)))
	return "\x93NUMPY\x01\x00" + string(length) + text
}
