//go:build linux || darwin

// Command iterations measures the most memory that a process takes for 1,000 and for 10,000
// iterations of a model with 100 kB of outputs, on each way that runs go: engines held to each
// other, to files and to golden files, in specs and on the command line. It fails where further
// iterations take more than what describes them, 24 KiB each, and 32 MiB. `make iterations` calls
// it; it takes 5 GB of disk.
//
//	go run ./internal/testing/iterations [-n 1000,10000] [-only PATTERN]
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// room and each are how much more memory the most iterations may take than the fewest: a process's
// own changes, and what describes an iteration, without its data.
const (
	room = 32 << 20
	each = 24 << 10
)

var (
	counts = flag.String("n", "1000,10000", "how many iterations")
	only   = flag.String("only", "", "measure the ways whose names match this regular expression")
	do     = flag.String("do", "", "the way in Go that a process of this program goes")
	model  = flag.String("model", "", "the model that it runs")
)

func main() {
	flag.Parse()
	measured := table
	if *do != "" {
		measured = child
	}
	if err := measured(); err != nil {
		fmt.Fprintln(os.Stderr, "iterations:", err)
		os.Exit(1)
	}
}

// way is one way that runs go. COMMAND, SELF, MODEL and N stand for the command line, this program,
// the model and the number of iterations; each runs in a folder that is empty at first.
type way struct{ name, words string }

const common = "MODEL --onnxrt --iterations N --seed 3"

var ways = []way{
	{"Go: two runs", "SELF -do runs -n N -model MODEL"},
	{"Go: a golden file, written", "SELF -do write -n N -model MODEL"},
	{"Go: a golden file, checked", "SELF -do check -n N -model MODEL"},
	{"Go: a golden file, updated", "SELF -do update -n N -model MODEL"},
	{"run, two runners", "COMMAND run " + common + " --onnxrt --atol 1e-5"},
	{"run --save-outputs", "COMMAND run " + common + " --save-outputs a.json"},
	{"run --load-outputs", "COMMAND run " + common + " --load-outputs a.json --atol 1e-5"},
	{"run --load-outputs --report", "COMMAND run " + common +
		" --load-outputs a.json --atol 1e-5 --report report.json"},
	{"run, two runners, --save-outputs", "COMMAND run " + common +
		" --onnxrt --atol 1e-5 --save-outputs b.json"},
	{"check accuracy", "COMMAND check accuracy a.json a.json --atol 1e-5"},
	{"data concat", "COMMAND data concat a.json a.json -o joined.json"},
	{"data merge", "COMMAND data merge a.json -o merged.json"},
}

func table() error {
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "modelparity-iterations-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	names := strings.NewReplacer("COMMAND", filepath.Join(folder, "modelparity"), "SELF", self,
		"MODEL", filepath.Join(folder, "wide.onnx"))
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "modelparity"),
		"./cmd/modelparity")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "wide.onnx"), wide(), 0o600); err != nil {
		return err
	}
	all := strings.Split(*counts, ",")
	fmt.Print("| way |")
	for _, n := range all {
		fmt.Printf(" %s iterations: peak | time |", n)
	}
	fmt.Printf("\n|%s\n", strings.Repeat(" --- |", 1+2*len(all)))
	over, fewest := 0, 0
	peaks := make([]int64, len(ways))
	lines := make([]string, len(ways))
	for k, n := range all {
		number, err := strconv.Atoi(n)
		if k == 0 {
			fewest = number
		}
		further := number - fewest
		at := filepath.Join(folder, "n"+n)
		if err != nil {
			return err
		}
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
		for i, w := range ways {
			if !pattern.MatchString(w.name) && w.name != "run --save-outputs" {
				continue
			}
			words := strings.Fields(strings.ReplaceAll(names.Replace(w.words), " N", " "+n))
			peak, took, err := measured(at, words)
			if err != nil {
				return fmt.Errorf("%s, %s iterations: %w", w.name, n, err)
			}
			if lines[i] += fmt.Sprintf(" %d MB | %.1f s |", peak>>20, took.Seconds()); k == 0 {
				peaks[i] = peak
			} else if peak > peaks[i]+room+each*int64(further) {
				over++
				lines[i] += " MORE"
			}
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
	}
	for i, w := range ways {
		if lines[i] != "" {
			fmt.Printf("| %s |%s\n", w.name, lines[i])
		}
	}
	if over > 0 {
		return fmt.Errorf("%d of %d ways take more memory for more iterations", over, len(ways))
	}
	return nil
}

// measured is the peak of a process that ends well, and how long it took.
func measured(folder string, words []string) (peak int64, took time.Duration, err error) {
	c := exec.Command(words[0], words[1:]...)
	c.Dir = folder
	start := time.Now()
	out, err := c.CombinedOutput()
	took = time.Since(start)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out[:min(len(out), 2000)])))
	}
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0, errors.New("the system does not say what a process took")
	}
	unit := int64(1 << 10)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return int64(usage.Maxrss) * unit, took, nil //nolint:unconvert // 32 bits on some systems
}

// wide is y = Exp(x + w), whose 25,000 float32 differ from iteration to iteration.
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

// iterationsOf is the number of this process.
func iterationsOf() (int, error) { return strconv.Atoi(*counts) }
