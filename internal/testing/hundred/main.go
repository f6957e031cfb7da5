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
	var ours, specs, loop []cost
	for range *turns {
		c, err := run(ctx, dir, "go", "test", "-count=1", "./...")
		if err != nil {
			return err
		}
		ours = append(ours, c)
		if c, err = run(ctx, dir, "sh", "-c", alone); err != nil {
			return err
		}
		specs = append(specs, c)
		if c, err = run(ctx, dir, "sh", "-c", script, "loop", program); err != nil {
			return err
		}
		loop = append(loop, c)
	}
	kept, err := run(ctx, dir, "go", "test", "./...")
	if err == nil {
		kept, err = run(ctx, dir, "go", "test", "./...")
	}
	if err != nil {
		return err
	}
	b := median(loop)
	fmt.Printf("%d models in %d packages, %d cores, median of %d turns:\n", *count, *packages,
		runtime.NumCPU(), *turns)
	fmt.Printf("  %-28s %8s %11s\n", "", "seconds", "processors")
	fmt.Printf("  %-28s %8.2f %11.2f\n", "a loop of polygraphy run", b.wall, b.processors)
	for _, row := range []struct {
		name string
		cost
	}{{"go test -count=1 ./...", median(ours)}, {"the test binaries alone", median(specs)}} {
		fmt.Printf("  %-28s %8.2f %11.2f   %.0f× as fast, 1/%.0f of the processors\n", row.name, row.wall,
			row.processors, b.wall/row.wall, b.processors/row.processors)
	}
	fmt.Printf("  go test ./... once more, where nothing changed: %.2f s\n", kept.wall)
	return nil
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
