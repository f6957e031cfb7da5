//go:build linux || darwin

// Command iterations measures the peak memory of commands that process runs, for 1,000 and for
// 10,000 iterations of a model with 100 kB of outputs. It fails if the additional iterations take
// more than 32 MiB plus 24 KiB each, which is enough to describe an iteration without its data.
// `make iterations` runs it; it takes 5 GB of disk space. Specs of packages backends, runs and
// matchers limit the memory of Go functions in the same way.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

// These constants limit how much more memory the run with the most iterations may take than the run
// with the fewest, in bytes.
const (
	spread       = 32 << 20 // the difference between processes that do the same
	perIteration = 24 << 10 // for each additional iteration
)

var counts = [2]int{1000, 10_000}

var only = rig.Only("only", "commands")

func main() { rig.Main("iterations", table, nil) }

// first names the command that runs before all others in [commands], because it writes a file that
// they read.
const first = "run --save-outputs"

// commands lists the command lines to measure, each with a name. MODEL stands for the model, and N
// for the number of iterations. Two command lines compare and join a.json with itself.
var commands = [][2]string{
	{first, "run " + common + " --save-outputs a.json"},
	{"run, two runners", "run " + common + " --onnxrt --atol 1e-5"},
	{"run --load-outputs", "run " + common + " --load-outputs a.json --atol 1e-5"},
	{"run --load-outputs --report", "run " + common +
		" --load-outputs a.json --atol 1e-5 --report report.json"},
	{"run, two runners, --save-outputs", "run " + common +
		" --onnxrt --atol 1e-5 --save-outputs b.json"},
	{"check accuracy", "check accuracy a.json a.json --atol 1e-5"},
	{"data concat", "data concat a.json a.json -o joined.json"},
	{"data merge", "data merge a.json -o merged.json"},
}

const common = "MODEL --onnxrt --iterations N --seed 3"

func table(ctx context.Context, r *rig.Rig) error {
	command, err := r.Command(ctx)
	if err != nil {
		return err
	}
	model, folders := filepath.Join(r.Dir, "wide.onnx"), [2]string{}
	err = os.WriteFile(model, wide(), 0o600)
	for k, n := range counts {
		folders[k] = filepath.Join(r.Dir, strconv.Itoa(n))
		err = errors.Join(err, os.Mkdir(folders[k], 0o755))
	}
	if err != nil {
		return err
	}
	fmt.Println(rig.Head("command", "1,000 iterations: peak", "time", "10,000 iterations: peak",
		"time"))
	over := 0
	for _, entry := range commands {
		if !only(entry[0]) && entry[0] != first {
			continue
		}
		var peaks [2]int64
		cells := []string{entry[0]}
		for k, n := range counts {
			line := strings.NewReplacer("MODEL", model, " N", fmt.Sprint(" ", n)).Replace(entry[1])
			c := exec.CommandContext(ctx, command, strings.Fields(line)...)
			c.Dir = folders[k]
			took, err := rig.Succeed(c)
			if err != nil {
				return fmt.Errorf("%s, %d iterations: %w", entry[0], n, err)
			}
			peaks[k] = took.Peak
			cells = append(cells, fmt.Sprintf("%d MB", took.Peak>>20),
				fmt.Sprintf("%.1f s", took.Wall.Seconds()))
		}
		if peaks[1] > peaks[0]+spread+perIteration*int64(counts[1]-counts[0]) {
			over++
			cells[len(cells)-1] += " MORE"
		}
		fmt.Println(rig.Row(cells...))
	}
	if over > 0 {
		return fmt.Errorf("%d of %d commands exceed the memory limit; the table marks them "+
			"with MORE", over, len(commands))
	}
	return nil
}

// wide returns the model y = Exp(x + w). x is one random number, so the 25,000 float32 values of y
// differ between iterations.
func wide() []byte {
	const width = 25_000
	values := make([]float32, width)
	for i := range values {
		values[i] = float32(i%101) / 100
	}
	return onnxtest.Model{Graph: onnxtest.Graph{Name: "wide",
		Nodes: []onnxtest.Node{{Op: "Add", In: []string{"x", "w"}, Out: []string{"s"}},
			{Op: "Exp", In: []string{"s"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{width},
			Raw: onnxtest.Float32s(values...)}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{width}}},
	}}.Bytes()
}
