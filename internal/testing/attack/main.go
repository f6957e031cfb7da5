//go:build linux || darwin

// Command attack tries to break modelparity's promises about files and processes. It runs the
// modelparity command with malicious files, and with files that expand in memory, and prints the
// results. `make attack` and `make peaks` run it; .ci/run runs a part of it. It keeps the files
// that caused a failure.
//
// Attacks of other kinds are specs: the fuzz targets give damaged files to every reader, and specs
// of packages golden and internal/filelock write on full disks and kill processes that write.
package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

// kind is one kind of attack on the modelparity command.
type kind struct {
	name string
	run  func(context.Context, *attack, *result) error
}

var kinds = []kind{
	{"scenarios", runScenarios},
	{"bombs", bombs},
}

// attack contains the path of the modelparity command, and the folders that all attacks use.
type attack struct {
	root    string // root of the checkout
	dir     string // folder for all files that are written
	program string // path of the modelparity command
}

// result says what one kind of attack found.
type result struct {
	tries    int
	failures []string

	lock     sync.Mutex
	memory   int64 // the largest memory of a call, less its base
	cpu      time.Duration
	statuses [3]int // number of calls by exit status
}

// each calls try(i) in parallel for every i from 0 to n-1. It stops early if the context ends. try
// describes what went wrong, or returns "".
func (r *result) each(ctx context.Context, n int, try func(i int) (wrong string, err error)) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := 0; i < n && within.Err() == nil; i++ {
		group.Go(func() error {
			wrong, err := try(i)
			r.lock.Lock()
			defer r.lock.Unlock()
			r.tries++
			if wrong != "" {
				r.failures = append(r.failures, wrong)
			}
			return err
		})
	}
	return group.Wait()
}

// note records the memory, processor time and exit status of one call of the command.
func (r *result) note(memory int64, cpu time.Duration, status int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.memory, r.cpu = max(r.memory, memory), max(r.cpu, cpu)
	if status >= 0 && status < len(r.statuses) {
		r.statuses[status]++
	}
}

// costs says how the calls of the command ended, and how much memory and processor
// time they took.
func (r *result) costs() string {
	return fmt.Sprintf("%d calls exit with 0, %d with 1 and %d with 2; each takes at most %d MB and "+
		"%.2f CPU seconds", r.statuses[0], r.statuses[1], r.statuses[2], r.memory>>20, r.cpu.Seconds())
}

var (
	only      = rig.Only("only", "kinds of attacks")
	onlyFiles = rig.Only("files", "bombs")
)

func main() {
	rig.Main("attack", run, roles)
}

// roles maps names to functions that no command of modelparity calls. To run such a function on
// malicious files, this program starts a copy of itself with the name as the first argument.
var roles = map[string]rig.Role{"image": readImage}

// run runs the kinds of attacks that the flag -only selects, and prints what they found.
func run(ctx context.Context, r *rig.Rig) error {
	r.Keep = true // unless everything passes
	program, err := r.Command(ctx)
	if err != nil {
		return err
	}
	a := &attack{root: r.Root, dir: r.Dir, program: program}
	failed := false
	for _, k := range kinds {
		if !only(k.name) {
			continue
		}
		found, began := &result{}, time.Now()
		if err := k.run(ctx, a, found); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		fmt.Printf("%s: %d tries, %d failures, %.1f seconds; %s\n", k.name, found.tries,
			len(found.failures), time.Since(began).Seconds(), found.costs())
		for _, failure := range found.failures {
			fmt.Printf("\n%s: %s\n", k.name, failure)
		}
		failed = failed || found.tries == 0 || len(found.failures) > 0
	}
	if failed {
		return fmt.Errorf("an attack found failures or made 0 tries; the files are in %s", r.Dir)
	}
	r.Keep = false
	return nil
}
