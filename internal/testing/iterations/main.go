//go:build linux || darwin

// Command iterations measures the peak memory of a process for 1,000 and for 10,000 iterations of a
// model with 100 kB of outputs. It does so for each way to process runs: comparing engines with
// each other, with files and with golden files, in specs and on the command line. It fails if the
// additional iterations take more than 32 MiB plus 24 KiB per iteration; the 24 KiB hold the
// description of an iteration. `make iterations` runs it; it takes 5 GB of disk space.
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

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/rig"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/matchers"
)

// These constants limit how much more memory the run with the most iterations may take than the run
// with the fewest: room plus, for each additional iteration, each. room allows for differences
// between processes, and each for the description of one iteration, without its data.
const (
	room = 32 << 20
	each = 24 << 10
)

var (
	counts = flag.String("n", "1000,10000", "numbers of iterations")
	only   = rig.Only("ways")
)

func main() { rig.Main("iterations", table, map[string]rig.Role{"go": inGo}) }

// way is one way to process runs. In the command line words, MODEL stands for the model and N for
// the number of iterations.
type way struct {
	name  string
	inGo  bool // whether it runs in this program instead of the modelparity command
	words string
}

const common = "MODEL --onnxrt --iterations N --seed 3"

var ways = []way{
	{"Go: two runs", true, "go runs N MODEL"},
	{"Go: a golden file, written", true, "go write N MODEL"},
	{"Go: a golden file, checked", true, "go check N MODEL"},
	{"Go: a golden file, updated", true, "go update N MODEL"},
	{"run, two runners", false, "run " + common + " --onnxrt --atol 1e-5"},
	{"run --save-outputs", false, "run " + common + " --save-outputs a.json"},
	{"run --load-outputs", false, "run " + common + " --load-outputs a.json --atol 1e-5"},
	{"run --load-outputs --report", false, "run " + common +
		" --load-outputs a.json --atol 1e-5 --report report.json"},
	{"run, two runners, --save-outputs", false, "run " + common +
		" --onnxrt --atol 1e-5 --save-outputs b.json"},
	{"check accuracy", false, "check accuracy a.json a.json --atol 1e-5"},
	{"data concat", false, "data concat a.json a.json -o joined.json"},
	{"data merge", false, "data merge a.json -o merged.json"},
}

func table(ctx context.Context, r *rig.Rig) error {
	command, err := r.Command(ctx)
	if err != nil {
		return err
	}
	model := filepath.Join(r.Dir, "wide.onnx")
	if err := os.WriteFile(model, wide(), 0o600); err != nil {
		return err
	}
	all := strings.Split(*counts, ",")
	head, rows := []string{"way"}, make([][]string, len(ways))
	peaks, over, fewest := make([]int64, len(ways)), 0, 0
	for k, n := range all {
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
		for i, w := range ways {
			if !only(w.name) && w.name != "run --save-outputs" {
				continue
			}
			words := strings.Fields(strings.NewReplacer("MODEL", model, " N", " "+n).Replace(w.words))
			program := command
			if w.inGo {
				program = rig.Self()
			}
			c := exec.CommandContext(ctx, program, words...)
			c.Dir = at
			took, err := rig.Succeed(c)
			if err != nil {
				return fmt.Errorf("%s, %s iterations: %w", w.name, n, err)
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
	for i, w := range ways {
		if rows[i] != nil {
			fmt.Println(rig.Row(append([]string{w.name}, rows[i]...)...))
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

// file is the path of the golden file. The data is inside this file, not next to it.
const file = "testdata/golden/wide.json"

// inGo processes runs in one way. args are the name of the way, the number of iterations, and the
// path of the model.
func inGo(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	run := func(options ...ort.Option) (*backends.Run, error) {
		m := loaders.ONNX(args[2])
		return ort.Run(context.Background(), m, fixtures.Random(m, fixtures.Seed(3),
			fixtures.Iterations(n)), options...)
	}
	inline := golden.Options{Layout: golden.Layout{Inline: -1}}
	actual, err := run()
	if err != nil {
		return err
	}
	switch args[0] {
	case "runs":
		expected, err := run(ort.OptimizationLevel(ort.OptimizeNone))
		if err != nil {
			return err
		}
		return holds(actual, matchers.MatchOutputsWithin(1e-5, 1e-5, compare.Elementwise).Of(expected))
	case "write":
		return golden.Write(file, actual, inline)
	case "check":
		return holds(actual, matchers.MatchGolden("wide").Within(1e-5, 1e-5, compare.Elementwise))
	case "update":
		p, err := golden.Prepare(golden.All, file, actual, inline)
		if err == nil {
			_, err = p.Commit()
		}
		return err
	}
	return fmt.Errorf("unknown way %q", args[0])
}

// holds matches a run as a spec would, and returns the failure as an error.
func holds(run *backends.Run, m types.GomegaMatcher) (err error) {
	g := gomega.NewGomega(func(message string, _ ...int) { err = fmt.Errorf("%s", message) })
	g.Expect(run).To(m)
	return err
}
