package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/tensor"
)

// versions is what docs/findings.md is about.
var versions = map[string]string{"ort": engines.ONNXRuntime.Version,
	"openvino": engines.OpenVINO.Version, "tract": engines.Tract.Version, evaluator: "1.22.0"}

// TestFindings holds every engine to what findings_list_test.go says that it gives.
func TestFindings(t *testing.T) {
	ort.Require(t)
	openvino.Require(t)
	tract.Require(t)
	for name, f := range findings() {
		t.Run(name, func(t *testing.T) {
			for _, on := range voters {
				g := NewWithT(t)
				got, err := backends.RunIn(t.Context(), on.engine, f.model, fixtures.Of(f.inputs))
				expected, runs := f.gives[on.name]
				if !runs {
					g.Expect(err).To(HaveOccurred(), "%s is said to refuse it", on.title)
					continue
				}
				g.Expect(err).NotTo(HaveOccurred(), on.title)
				if version := got.Provenance.Version; version != versions[on.name] {
					t.Skipf("docs/findings.md is about %s %s, and this is %s", on.title,
						versions[on.name], version)
				}
				y := got.Outputs()[0].At(0).Tensor.GomegaString()
				g.Expect(alike(y, expected)).To(BeTrue(), "%s gives %s, expected %s", on.title, y, expected)
			}
		})
	}
}

// TestFindingsOfTheEvaluator holds ONNX's reference evaluator to the same list.
func TestFindingsOfTheEvaluator(t *testing.T) {
	g := NewWithT(t)
	python := pythontest.With(t, "onnx", "numpy")
	asked := findings()
	maps.DeleteFunc(asked, func(_ string, f finding) bool { return f.gives[evaluator] == "" })
	version, got := evaluate(g, python, t.TempDir(), asked)
	if version != versions[evaluator] {
		t.Skipf("docs/findings.md is about onnx %s, and this is %s", versions[evaluator], version)
	}
	for name, f := range asked {
		g.Expect(alike(got[name], f.gives[evaluator])).To(BeTrue(), "%s: it gives %s, expected %s", name,
			got[name], f.gives[evaluator])
	}
}

// evaluate runs the models of findings on ONNX's reference evaluator.
func evaluate(g *WithT, python, folder string, asked map[string]finding) (
	version string, y map[string]string) {
	type values struct {
		Type   string   `json:"type"`
		Shape  []int    `json:"shape"`
		Values []string `json:"values"`
	}
	type question struct {
		Model  string            `json:"model"`
		Inputs map[string]values `json:"inputs"`
	}
	questions := map[string]question{}
	for name, f := range asked {
		q := question{filepath.Join(folder, fmt.Sprint(len(questions), ".onnx")), map[string]values{}}
		data, err := f.model.Bytes()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(os.WriteFile(q.Model, data, 0o600)).To(Succeed())
		for name, x := range f.inputs.All() {
			v := values{Type: x.ElementType().String(), Shape: x.Shape(), Values: []string{}}
			for i := range x.Len() {
				v.Values = append(v.Values, x.Text(i))
			}
			q.Inputs[name] = v
		}
		questions[name] = q
	}
	text, err := json.Marshal(questions)
	g.Expect(err).NotTo(HaveOccurred())
	run := exec.Command(python, "testdata/evaluate.py")
	run.Stdin = strings.NewReader(string(text))
	var stderr strings.Builder
	run.Stderr = &stderr
	answer, err := run.Output()
	g.Expect(err).NotTo(HaveOccurred(), stderr.String())
	g.Expect(json.Unmarshal(answer, &y)).To(Succeed())
	return y["version"], y
}

// alike reports whether two tensors' texts say the same, numbers within 1e-6 + 1e-5·|expected|: no
// finding rests on the last bits.
func alike(got, expected string) bool {
	a, b := strings.Fields(got), strings.Fields(expected)
	return slices.EqualFunc(a, b, func(a, b string) bool {
		x, failed := strconv.ParseFloat(strings.Trim(a, "[]"), 64)
		y, too := strconv.ParseFloat(strings.Trim(b, "[]"), 64)
		return a == b || failed == nil && too == nil && !math.IsInf(y, 0) &&
			math.Abs(x-y) <= 1e-6+1e-5*math.Abs(y)
	})
}

// TestDFTLosesDigits is about a transform of 1000 values: ONNX Runtime and OpenVINO are off by a
// share that grows with the length, tract by rounding alone. The reference is computed in float64.
func TestDFTLosesDigits(t *testing.T) {
	ort.Require(t)
	openvino.Require(t)
	tract.Require(t)
	const n = 1000
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i*7919%n)/n - 0.5
	}
	model, inputs := node{op: "DFT", opset: 20, in: []string{"x", "", "axis"},
		constants: []onnxtest.Tensor{{Name: "axis", Type: 7, Raw: onnxtest.Int64s(1)}}}.of(
		x(tensor.Of(values...), 1, n, 1))
	for _, on := range voters {
		g := NewWithT(t)
		got, err := backends.RunIn(t.Context(), on.engine, model, fixtures.Of(inputs))
		g.Expect(err).NotTo(HaveOccurred())
		if version := got.Provenance.Version; version != versions[on.name] {
			t.Skipf("docs/findings.md is about %s %s, and this is %s", on.title, versions[on.name], version)
		}
		off := offTransform(got.Outputs()[0].At(0).Tensor.Float64s(), values)
		t.Logf("%s: relative error %.2g", on.title, off)
		if on.name == "tract" {
			g.Expect(off).To(BeNumerically("<", 1e-6))
		} else {
			g.Expect(off).To(BeNumerically(">", 1e-5), on.title)
		}
	}
}

// offTransform is ‖got − want‖₂ / ‖want‖₂ for the discrete Fourier transform of values.
func offTransform(got []float64, values []float32) float64 {
	n := len(values)
	var off, all float64
	for k := range n {
		var re, im float64
		for j, v := range values {
			sin, cos := math.Sincos(-2 * math.Pi * float64(j*k%n) / float64(n))
			re, im = re+float64(v)*cos, im+float64(v)*sin
		}
		off += (got[2*k]-re)*(got[2*k]-re) + (got[2*k+1]-im)*(got[2*k+1]-im)
		all += re*re + im*im
	}
	return math.Sqrt(off / all)
}

// TestTractEndsTheProcess is about models that are right, and that tract aborts over: each runs in
// this test binary again.
func TestTractEndsTheProcess(t *testing.T) {
	const variable = "MODELPARITY_TEST_ABORT"
	models := map[string]finding{}
	add := func(name string, n node, entries ...tensor.Entry) {
		var f finding
		f.model, f.inputs = n.of(entries...)
		models[name] = f
	}
	add("Pad that takes away", node{op: "Pad", opset: 13, in: []string{"x", "p"},
		constants: []onnxtest.Tensor{{Name: "p", Type: 7, Dims: []int64{2},
			Raw: onnxtest.Int64s(-1, 0)}}}, x(tensor.Of[float32](1, 2, 3)))
	add("OneHot of an index that is out of range", node{op: "OneHot", opset: 17,
		in: []string{"x", "d", "v"}, constants: []onnxtest.Tensor{
			{Name: "d", Type: 7, Raw: onnxtest.Int64s(3)}, constant("v", []int64{2}, 0, 1)}},
		x(tensor.Of[int64](5, 0)))
	if name := os.Getenv(variable); name != "" {
		_, err := tract.Run(context.Background(), models[name].model, fixtures.Of(models[name].inputs))
		t.Log("it lives: ", err)
		return
	}
	ort.Require(t)
	tract.Require(t)
	for name, f := range models {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := ort.Run(t.Context(), f.model, fixtures.Of(f.inputs))
			g.Expect(err).NotTo(HaveOccurred())
			again := exec.Command(os.Args[0], "-test.run=^TestTractEndsTheProcess$")
			again.Env = append(os.Environ(), variable+"="+name)
			output, err := again.CombinedOutput()
			g.Expect(err).To(HaveOccurred())
			g.Expect(strings.Contains(string(output), "panic in a function that cannot unwind")).
				To(BeTrue(), "%s", output)
		})
	}
}
