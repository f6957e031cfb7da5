//go:build linux || darwin

// Command iterations measures the peak memory of commands that compare engines with each other and
// with files. They process 1,000 and 10,000 iterations of a model with 100 kB of outputs. It fails
// if the additional iterations take more than 32 MiB plus 24 KiB per iteration, which is enough for
// the description of an iteration. `make iterations` runs it; it takes 5 GB of disk space. Specs of
// packages backends, runs and matchers limit the memory of Go functions in the same way.
//
//	go run ./internal/testing/iterations [-n 1000,10000] [-only PATTERN]
package main

import (
	"context"
	"flag"
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
// with the fewest: room, plus [each] for every additional iteration. room allows for differences
// between processes. each allows for the description of one iteration, without its data.
const (
	room = 32 << 20
	each = 24 << 10
)

var (
	counts = flag.String("n", "1000,10000", "numbers of iterations")
	only   = rig.Only("only", "ways")
)

func main() { rig.Main("iterations", table, nil) }

// first is the name of the entry of [ways] that writes the file that later entries read.
const first = "run --save-outputs"

// ways lists the command lines to measure. Each entry is a name and the arguments, in which MODEL
// stands for the model and N for the number of iterations.
var ways = [][2]string{
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
	model := filepath.Join(r.Dir, "wide.onnx")
	if err := os.WriteFile(model, wide(), 0o600); err != nil {
		return err
	}
	head, rows := []string{"way"}, make([][]string, len(ways))
	peaks, over, fewest := make([]int64, len(ways)), 0, 0
	for k, n := range strings.Split(*counts, ",") {
		number, err := strconv.Atoi(n)
		if err != nil {
			return err
		}
		if k == 0 {
			fewest = number
		}
		head = append(head, n+" iterations: peak", "time")
		at := filepath.Join(r.Dir, "n"+n)
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
		for i, way := range ways {
			if !only(way[0]) && way[0] != first {
				continue
			}
			words := strings.Fields(strings.NewReplacer("MODEL", model, " N", " "+n).Replace(way[1]))
			c := exec.CommandContext(ctx, command, words...)
			c.Dir = at
			took, err := rig.Succeed(c)
			if err != nil {
				return fmt.Errorf("%s, %s iterations: %w", way[0], n, err)
			}
			time := fmt.Sprintf("%.1f s", took.Wall.Seconds())
			if k == 0 {
				peaks[i] = took.Peak
			} else if took.Peak > peaks[i]+room+each*int64(number-fewest) {
				over++
				time += " MORE"
			}
			rows[i] = append(rows[i], fmt.Sprintf("%d MB", took.Peak>>20), time)
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
	}
	fmt.Println(rig.Head(head...))
	for i, way := range ways {
		if rows[i] != nil {
			fmt.Println(rig.Row(append([]string{way[0]}, rows[i]...)...))
		}
	}
	if over > 0 {
		return fmt.Errorf("%d of %d ways take more memory for more iterations", over, len(ways))
	}
	return nil
}

// wide returns the model y = Exp(x + w), whose 25,000 float32 values differ between iterations.
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
