//go:build linux || darwin

// Command hundred measures `go test ./...` of a module with a hundred small models, a spec and a
// golden file each, beside a shell loop over the real `polygraphy run` that asks the same of the
// same files. `make hundred` runs it.
//
// The two run by turns. `go test` runs with -count=1, which links the test binaries and runs every
// spec again; what did not change is compiled already, as Polygraphy's Python is. The test binaries
// alone, as `go test -c` leaves them, show what the specs take.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

var (
	python   = flag.String("python", ".venv/bin/python", "the Python that has Polygraphy")
	count    = flag.Int("models", 100, "how many models there are")
	packages = flag.Int("packages", 1, "how many packages the specs lie in")
	turns    = flag.Int("turns", 3, "how often each side runs")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hundred:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context) error {
	root, err := usermodule.Root(ctx)
	if err != nil {
		return err
	}
	program, err := filepath.Abs(filepath.Join(filepath.Dir(*python), "polygraphy"))
	if err != nil {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("%w; make setup-polygraphy fetches Polygraphy", err)
	}
	dir, err := os.MkdirTemp("", "modelparity-hundred-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder left in the temporary one harms nobody
	if err := usermodule.Make(root, dir); err != nil {
		return err
	}
	if err := write(dir); err != nil {
		return err
	}
	// The golden files are written, so that everything is compiled as well.
	if _, err := run(ctx, dir, "go", "test", "-count=1", "./...", "-golden.update"); err != nil {
		return err
	}
	if _, err := run(ctx, dir, "go", "test", "-c", "-o", "bin/", "./..."); err != nil {
		return err
	}
	bare, err := writeBare(root, dir)
	if err != nil {
		return err
	}
	rows := []row{
		{name: "a loop of polygraphy run", line: []string{"sh", "-c", script, "loop", program}},
		{name: "go test -count=1 ./...", line: []string{"go", "test", "-count=1", "./..."}},
		{name: "the same with " + strings.Join(quick, " "),
			line: slices.Concat([]string{"go", "test", "-count=1"}, quick, []string{"./..."})},
		{name: "the test binaries alone", line: []string{"sh", "-c", alone}},
		{name: "go test of one spec without ours", dir: bare,
			line: []string{"go", "test", "-count=1", "./..."}},
	}
	for _, r := range rows[1:] { // what a way compiles, it compiles before it is measured
		if _, err := run(ctx, cmp.Or(r.dir, dir), r.line[0], r.line[1:]...); err != nil {
			return err
		}
	}
	for range *turns {
		for i, r := range rows {
			c, err := run(ctx, cmp.Or(r.dir, dir), r.line[0], r.line[1:]...)
			if err != nil {
				return err
			}
			rows[i].costs = append(rows[i].costs, c)
		}
	}
	kept, err := run(ctx, dir, "go", "test", "./...")
	if err == nil {
		kept, err = run(ctx, dir, "go", "test", "./...")
	}
	if err != nil {
		return err
	}
	loop := median(rows[0].costs)
	fmt.Printf("%d models in %d packages, %d cores, median of %d turns:\n", *count, *packages,
		runtime.NumCPU(), *turns)
	fmt.Printf("  %-56s %8s %11s\n", "", "seconds", "processors")
	for _, r := range rows {
		c := median(r.costs)
		fmt.Printf("  %-56s %8.2f %11.2f   %.0f× as fast, 1/%.0f of the processors\n", r.name, c.wall,
			c.processors, loop.wall/c.wall, loop.processors/c.processors)
	}
	fmt.Printf("  %-56s %8.2f %11.2f   %.0f× as fast\n",
		"go test ./... once more, where nothing changed", kept.wall, kept.processors, loop.wall/kept.wall)
	return nil
}

// quick are the flags that docs/ci.md names for a suite that is run often.
var quick = []string{"-vet=off", "-ldflags=-linkmode=internal"}

// row is a way to hold the models to their golden files, with what its runs took.
type row struct {
	name  string
	line  []string
	dir   string // "" is the module's
	costs []cost
}

// alone runs the test binaries where go test would.
const alone = `set -e
for folder in p*; do
	(cd "$folder" && "../bin/$folder.test")
done`

// script is the loop. A difference ends it.
const script = `set -e
for golden in p*/testdata/golden/*.json; do
	name=${golden##*/}
	"$1" run "${golden%/golden/*}/${name%.json}.onnx" --onnxrt --load-outputs "$golden" \
		--atol 1e-5 --rtol 1e-5
done`

// cost is what a command took.
type cost struct{ wall, processors float64 }

// run runs a command, and shows its output where it fails.
func run(ctx context.Context, dir, name string, args ...string) (cost, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "PWD="+dir, "GOWORK=off", "CI=", "GOLDEN_UPDATE=",
		"GITHUB_STEP_SUMMARY=", "MODELPARITY_REQUIRE=ort")
	before := processors()
	start := time.Now()
	out, err := command.CombinedOutput()
	took := cost{time.Since(start).Seconds(), processors() - before}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		os.Stderr.Write(out)
	}
	return took, err
}

// processors is the processor time of the children that have ended, with theirs.
func processors() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func median(all []cost) cost {
	slices.SortFunc(all, func(a, b cost) int {
		if a.wall < b.wall {
			return -1
		}
		return 1
	})
	return all[len(all)/2]
}
