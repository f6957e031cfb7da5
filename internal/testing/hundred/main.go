//go:build linux || darwin

// Command hundred measures `go test ./...` in a module with a hundred small models, each with a
// spec and a golden file. It also measures a shell loop over Polygraphy's `polygraphy run`, which
// makes the same comparisons with the same files. `make hundred` runs it.
//
// The two programs run in turn. `go test` runs with -count=1, so it links the test binary and runs
// every spec again. Unchanged packages are already compiled, and so is Polygraphy's Python code.
// Running only the test binary, from `go test -c`, shows how long the specs themselves take.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/rig"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

var (
	python = flag.String("python", ".venv/bin/python", "Python interpreter with Polygraphy")
	count  = flag.Int("models", 100, "number of models")
	turns  = flag.Int("turns", 3, "number of times that each side runs")
)

func main() { rig.Main("hundred", measure, nil) }

func measure(ctx context.Context, r *rig.Rig) error {
	program, err := filepath.Abs(filepath.Join(filepath.Dir(*python), "polygraphy"))
	if err != nil {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("%w; make setup-polygraphy fetches Polygraphy", err)
	}
	if err := usermodule.Make(r.Root, r.Dir); err != nil {
		return err
	}
	if err := write(r.Dir); err != nil {
		return err
	}
	// This writes the golden files, and compiles everything.
	if _, err := run(ctx, r.Dir, "go", "test", "-count=1", "./...", "-golden.update"); err != nil {
		return err
	}
	if _, err := run(ctx, r.Dir, "go", "test", "-c", "-o", "bin/", "./..."); err != nil {
		return err
	}
	rows := []row{
		{name: "a loop of polygraphy run", line: []string{"sh", "-c", script, "loop", program}},
		{name: "go test -count=1 ./...", line: []string{"go", "test", "-count=1", "./..."}},
		{name: "the same with " + strings.Join(quick, " "),
			line: slices.Concat([]string{"go", "test", "-count=1"}, quick, []string{"./..."})},
		{name: "the test binary alone", line: []string{"sh", "-c", "cd nets && ../bin/nets.test"}},
		{name: "go test ./..., where nothing changed", line: []string{"go", "test", "./..."}},
	}
	for turn := range *turns + 1 {
		for i, row := range rows {
			if turn == 0 && i == 0 { // compile before measuring
				continue
			}
			took, err := run(ctx, r.Dir, row.line...)
			if err != nil {
				return err
			}
			if turn > 0 {
				rows[i].wall = append(row.wall, took.Wall.Seconds())
				rows[i].processors = append(row.processors, took.Processors.Seconds())
			}
		}
	}
	fmt.Printf("%d models, %d cores, median of %d turns:\n", *count, runtime.NumCPU(), *turns)
	fmt.Printf("  %-56s %8s %11s\n", "", "seconds", "processors")
	loop, loops := rig.Median(rows[0].wall), rig.Median(rows[0].processors)
	for _, r := range rows {
		wall, processors := rig.Median(r.wall), rig.Median(r.processors)
		fmt.Printf("  %-56s %8.2f %11.2f   %.0f× as fast, 1/%.0f of the processors\n", r.name, wall,
			processors, loop/wall, loops/processors)
	}
	return nil
}

// quick lists the flags that docs/ci.md recommends for suites that run often.
var quick = []string{"-vet=off", "-ldflags=-linkmode=internal"}

// row is one way to compare the models with their golden files, and its measurements.
type row struct {
	name             string
	line             []string
	wall, processors []float64
}

// script is the shell loop. It stops at the first difference.
const script = `set -e
for golden in nets/testdata/golden/*.json; do
	name=${golden##*/}
	"$1" run "${golden%/golden/*}/${name%.json}.onnx" --onnxrt --load-outputs "$golden" \
		--atol 1e-5 --rtol 1e-5
done`

func run(ctx context.Context, dir string, line ...string) (rig.Took, error) {
	command := exec.CommandContext(ctx, line[0], line[1:]...)
	command.Dir = dir
	command.Env = append(command.Environ(), "GOWORK=off", "CI=", "GOLDEN_UPDATE=",
		"GITHUB_STEP_SUMMARY=", "MODELPARITY_REQUIRE=ort")
	return rig.Succeed(command)
}
