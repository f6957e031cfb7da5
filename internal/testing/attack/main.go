//go:build linux || darwin

// Command attack tries to break what modelparity promises of files and processes: it kills writers
// at random times, fills disks, runs every command on mutated files of every format, and feeds it
// bombs. `make attack` runs it for ten minutes, .ci/run for a moment; a table says what was tried.
//
// It is deterministic but for time: one seed decides every mutation, and a failure is printed with
// what repeats it. Files that broke something are kept.
//
//	go run ./internal/testing/attack -for 40s
//	go run ./internal/testing/attack -only mutated -seed 7 -first 1234
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// class is one kind of attack.
type class struct {
	name  string
	share float64 // of the time; 0 runs once, however long it takes
	run   func(context.Context, *attack, *result) error
}

var classes = []class{
	{"full disk", 0, fullDisks},
	{"bombs", 0, bombs},
	{"specs", 0, specs},
	{"kills", 0.3, kills},
	{"mutated", 0.7, mutated},
}

// attack is what every class needs.
type attack struct {
	seed     int64
	first    int // the first try of a class
	duration time.Duration
	root     string // of the checkout
	dir      string // for everything that is written
	program  string // modelparity
	self     string // this program
}

// result is a row of the table.
type result struct {
	name     string
	tries    int
	failures []string
	notes    string
	took     time.Duration
}

// fail notes a failure.
func (r *result) fail(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// maxFailures is how many failures of a class end it: more say nothing new.
const maxFailures = 20

func main() {
	if len(os.Args) > 2 && os.Args[1] == writerCommand {
		os.Exit(writer(os.Args[2:]))
	}
	if len(os.Args) > 2 && os.Args[1] == measureCommand {
		os.Exit(measure(os.Args[2:]))
	}
	if len(os.Args) == 3 && os.Args[1] == bombCommand {
		if err := writeBomb(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	a := attack{}
	flag.DurationVar(&a.duration, "for", 10*time.Minute, "how long all classes may take")
	flag.Int64Var(&a.seed, "seed", 1, "decides every mutation and every time")
	flag.IntVar(&a.first, "first", 0, "the first try, to repeat one")
	only := flag.String("only", "", "the classes to run, with commas; default: all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := a.run(ctx, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run runs the classes, prints the table, and reports whether nothing failed.
func (a *attack) run(ctx context.Context, only string) (ok bool, err error) {
	if a.root, err = usermodule.Root(ctx); err != nil {
		return false, err
	}
	if a.dir, err = os.MkdirTemp("", "modelparity-attack-"); err != nil {
		return false, err
	}
	if a.self, err = os.Executable(); err != nil {
		return false, err
	}
	a.program = filepath.Join(a.dir, "modelparity")
	build := exec.CommandContext(ctx, "go", "build", "-o", a.program, "./cmd/modelparity")
	build.Dir = a.root
	if output, err := build.CombinedOutput(); err != nil {
		return false, fmt.Errorf("go build: %w\n%s", err, output)
	}
	fmt.Printf("seed %d, %s, %s\n", a.seed, a.duration, a.program)
	wanted := classes
	if only != "" {
		names := strings.Split(only, ",")
		wanted = slices.DeleteFunc(slices.Clone(classes),
			func(c class) bool { return !slices.Contains(names, c.name) })
		if len(wanted) != len(names) {
			return false, fmt.Errorf("-only %s: the classes are full disk, bombs, specs, kills, mutated",
				only)
		}
	}
	results, err := a.classes(ctx, wanted)
	ok = table(results)
	if ok && err == nil {
		err = os.RemoveAll(a.dir)
	}
	return ok, err
}

// classes runs them, those that run once first: what they leave of the time is shared out.
func (a *attack) classes(ctx context.Context, wanted []class) (results []result, err error) {
	deadline := time.Now().Add(a.duration)
	shares := 0.0
	for _, c := range wanted {
		shares += c.share
	}
	for _, c := range wanted {
		within, cancel := context.WithDeadline(ctx, deadline)
		if c.share > 0 {
			cancel()
			left := time.Until(deadline)
			within, cancel = context.WithTimeout(ctx, time.Duration(float64(left)*c.share/shares))
			shares -= c.share
		}
		r := result{name: c.name}
		began := time.Now()
		err := c.run(within, a, &r)
		cancel()
		r.took = time.Since(began)
		if ctx.Err() != nil {
			return append(results, r), ctx.Err()
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return append(results, r), fmt.Errorf("%s: %w", c.name, err)
		}
		if r.tries == 0 {
			r.fail("nothing was tried")
		}
		results = append(results, r)
	}
	return results, nil
}

// table prints the rows and then the failures, and reports whether there is none.
func table(results []result) bool {
	fmt.Printf("\n%-10s %8s %9s %8s  %s\n", "class", "tries", "failures", "seconds", "")
	ok := true
	for _, r := range results {
		fmt.Printf("%-10s %8d %9d %8.1f  %s\n", r.name, r.tries, len(r.failures), r.took.Seconds(),
			r.notes)
		ok = ok && len(r.failures) == 0
	}
	for _, r := range results {
		for _, failure := range r.failures {
			fmt.Printf("\n%s: %s\n", r.name, failure)
		}
	}
	return ok
}
