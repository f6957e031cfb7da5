//go:build !race

// The race detector uses many times the memory measured here.

package noise_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
)

// peakOf tells the child process of TestPeak what to do; peakOf+"_MODEL" names the model's file.
const peakOf = "MODELPARITY_NOISE_PEAK"

// TestPeak limits the memory of a measurement to 2.4 times a run's. Each runs in its own process
// with 80 MiB of weights.
func TestPeak(t *testing.T) {
	if what := os.Getenv(peakOf); what != "" {
		peak(t, what, os.Getenv(peakOf+"_MODEL"))
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the peak is read from /proc")
	}
	ort.Require(t)
	g := NewWithT(t)
	const n, layers = 2048, 5 // 84 MB
	row := make([]byte, 0, 4*n*n)
	for i := range n * n {
		row = binary.LittleEndian.AppendUint32(row, math.Float32bits(float32(i%13)/13-0.45))
	}
	graph := onnxtest.Graph{Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, n}}}}
	last := "x"
	for k := range layers {
		w, y := fmt.Sprintf("w%d", k), fmt.Sprintf("y%d", k)
		graph.Initializers = append(graph.Initializers,
			onnxtest.Tensor{Name: w, Type: 1, Dims: []int64{n, n}, Raw: row})
		graph.Nodes = append(graph.Nodes,
			onnxtest.Node{Op: "MatMul", In: []string{last, w}, Out: []string{y + "m"}},
			onnxtest.Node{Op: "Tanh", In: []string{y + "m"}, Out: []string{y}})
		last = y
	}
	graph.Outputs = []onnxtest.Value{{Name: last}}
	file := filepath.Join(t.TempDir(), "large.onnx")
	g.Expect(os.WriteFile(file, onnxtest.Model{Graph: graph}.Bytes(), 0o600)).To(Succeed())
	peaks := map[string]float64{}
	for _, what := range []string{"run", "noise"} {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPeak$", "-test.v")
		child.Env = append(os.Environ(), peakOf+"="+what, peakOf+"_MODEL="+file)
		out, err := child.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), string(out))
		found := regexp.MustCompile(`peak (\d+) kB`).FindSubmatch(out)
		g.Expect(found).NotTo(BeNil(), string(out))
		peaks[what], err = strconv.ParseFloat(string(found[1]), 64)
		g.Expect(err).NotTo(HaveOccurred())
	}
	t.Logf("a run peaks at %.0f MB, measuring at %.0f MB: %.2f times", peaks["run"]/1000,
		peaks["noise"]/1000, peaks["noise"]/peaks["run"])
	g.Expect(peaks["noise"]).To(BeNumerically("<=", 2.4*peaks["run"]))
}

// peak runs or measures the model and prints the process's peak memory.
func peak(t *testing.T, what, file string) {
	g := NewWithT(t)
	model := loaders.ONNX(file)
	subject := backends.Subject{Engine: ort.Engine(), Model: model,
		Inputs: fixtures.Random(model)}
	var err error
	if what == "run" {
		_, err = backends.RunIn(t.Context(), subject.Engine, model, subject.Inputs)
	} else {
		_, err = noise.Measure(t.Context(), subject, noise.Runs(4))
	}
	g.Expect(err).NotTo(HaveOccurred())
	status, err := os.ReadFile("/proc/self/status")
	g.Expect(err).NotTo(HaveOccurred())
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	g.Expect(found).NotTo(BeNil())
	t.Logf("peak %s kB", found[1])
}
