package conformance_test

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// These findings are not visible in a single node run by every engine.

// TestAttentionAsItsBody runs ONNX's function body of causal Attention in the two cases in which
// engines disagree. The first query sees the keys up to its own.
func TestAttentionAsItsBody(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	python, folder := pythontest.With(t, "onnx"), t.TempDir()
	script := exec.Command(python, "testdata/attention.py", folder)
	script.Stdin = strings.NewReader("2 3\n1 2\n")
	version, err := script.Output()
	g.Expect(err).NotTo(HaveOccurred())
	if v := strings.TrimSpace(string(version)); v != versions[evaluator] {
		t.Skipf("docs/evidence/findings.md is about onnx %s, and this is %s", versions[evaluator], v)
	}
	past := []tensor.Entry{named("past_key", f32s(0), 1, 1, 1, 1),
		named("past_value", f32s(1), 1, 1, 1, 1)}
	for name, row := range map[string]struct {
		values []float32
		y      string
	}{
		"2-3.onnx": {[]float32{3, 5, 11}, "float32[1,1,2,1] [2 3]"},
		"1-2.onnx": {[]float32{3, 5}, "float32[1,1,1,1] [2]"},
	} {
		keys := len(row.values)
		set, err := tensor.NewSet(append(past,
			named("Q", f32s(make([]float32, keys-1)...), 1, 1, keys-1, 1),
			named("K", f32s(make([]float32, keys)...), 1, 1, keys, 1),
			named("V", f32s(row.values...), 1, 1, keys, 1))...)
		g.Expect(err).NotTo(HaveOccurred())
		got, err := ort.Run(t.Context(), loaders.ONNX(filepath.Join(folder, name)), fixtures.Of(set))
		g.Expect(err).NotTo(HaveOccurred())
		y, _ := got.Outputs()[0].Get("Y")
		g.Expect(alike(y.GomegaString(), row.y)).To(BeTrue(), "%s: %v", name, y)
	}
}

// TestMaxUnpoolDoesNotGoBack pools ONNX Runtime's MaxUnpool result for ONNX's case with an output
// shape. The values return in another order.
func TestMaxUnpoolDoesNotGoBack(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	window := attrs(numbers("kernel_shape", 2, 2), numbers("strides", 2, 2))
	value := func(name string, elem int32) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: elem, Dims: []any{1, 1, 2, 2}}
	}
	model := loaders.ONNXBytes("there and back", onnxtest.Model{Opsets: map[string]int64{"": 11},
		Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{
				{Op: "MaxUnpool", In: []string{"x", "i", "s"}, Out: []string{"u"}, Attrs: window},
				{Op: "MaxPool", In: []string{"u"}, Out: []string{"y"}, Attrs: window}},
			Initializers: []onnxtest.Tensor{{Name: "s", Type: 7, Dims: []int64{4},
				Raw: onnxtest.Int64s(1, 1, 5, 5)}},
			Inputs:  []onnxtest.Value{value("x", 1), value("i", 7)},
			Outputs: []onnxtest.Value{value("y", 1)}}}.Bytes())
	set, err := tensor.NewSet(x(f32s(5, 6, 7, 8), 1, 1, 2, 2),
		named("i", tensor.Of[int64](5, 7, 13, 15), 1, 1, 2, 2))
	g.Expect(err).NotTo(HaveOccurred())
	got, err := ort.Run(t.Context(), model, fixtures.Of(set))
	g.Expect(err).NotTo(HaveOccurred())
	if v := got.Provenance.Version; v != versions["ort"] {
		t.Skipf("docs/evidence/findings.md is about ONNX Runtime %s, and this is %s", versions["ort"], v)
	}
	g.Expect(got.Outputs()[0].At(0).Tensor.Float64s()).To(Equal([]float64{5, 6, 8, 7}))
}

// TestDFTLosesDigits covers transforms whose lengths are not powers of two. The error of ONNX
// Runtime and OpenVINO grows with the length; tract's is only rounding. The reference is computed
// in float64.
func TestDFTLosesDigits(t *testing.T) {
	ort.Require(t)
	openvino.Require(t)
	tract.Require(t)
	off := map[string]map[int]float64{}
	for _, on := range voters {
		off[on.name] = map[int]float64{}
		for _, n := range []int{10, 100, 1000, 1024} {
			values := make([]float32, n)
			for i := range values {
				values[i] = float32(i*7919%n)/float32(n) - 0.5
			}
			model, inputs := node{op: "DFT", opset: 20, in: []string{"x", "", "axis"},
				constants: []onnxtest.Tensor{{Name: "axis", Type: 7, Raw: onnxtest.Int64s(1)}}}.of(
				x(tensor.Of(values...), 1, n, 1))
			got, err := backends.RunIn(t.Context(), on.engine, model, fixtures.Of(inputs))
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			if version := got.Provenance.Version; version != versions[on.name] {
				t.Skipf("docs/evidence/findings.md is about %s %s, and this is %s", on.title,
					versions[on.name], version)
			}
			off[on.name][n] = offTransform(got.Outputs()[0].At(0).Tensor.Float64s(), values)
		}
		t.Logf("%s: relative errors by length %v", on.title, off[on.name])
	}
	g := NewWithT(t)
	for n, e := range off["tract"] {
		g.Expect(e).To(BeNumerically("<", 1e-6), "tract, %d", n)
	}
	for _, name := range []string{"ort", "openvino"} {
		g.Expect(off[name][1000]).To(BeNumerically(">", 1e-5), name)
	}
	grows := off["ort"]
	g.Expect(grows[1000]).To(BeNumerically(">", 3*grows[100]))
	g.Expect(grows[100]).To(BeNumerically(">", 3*grows[10]))
	g.Expect(grows[1024]).To(BeNumerically("<", grows[10]), "1024 is a power of two")
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

// TestDFTOfEarlierReleases covers a fault that ONNX Runtime 1.27.0 mended. The outputs of earlier
// releases have another shape than ONNX asks for.
func TestDFTOfEarlierReleases(t *testing.T) {
	ort.Require(t, ort.Release("1.26.0"))
	ort.Require(t, ort.Release("1.27.0"))
	g := NewWithT(t)
	f := findings()["DFT, back from one side"]
	releases, err := isolated.Releases(ort.Engine(), "1.26.0", "1.27.0")
	g.Expect(err).NotTo(HaveOccurred())
	for i, shape := range []tensor.Shape{{1, 2, 2, 2}, {1, 2, 2, 1}} {
		got, err := backends.RunIn(t.Context(), releases[i].Engine, f.model, fixtures.Of(f.inputs))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Outputs()[0].At(0).Tensor.Shape()).To(Equal(shape), releases[i].Version)
	}
}

// TestTractEndsTheProcess covers models that make tract abort, in a child process: two valid ones,
// and one that ONNX Runtime rejects with an error.
func TestTractEndsTheProcess(t *testing.T) {
	const variable, byZero = "MODELPARITY_TEST_ABORT", "Div of integers by zero"
	models := map[string]finding{}
	add := func(name string, n node, entries ...tensor.Entry) {
		var f finding
		f.model, f.inputs = n.of(entries...)
		models[name] = f
	}
	add("Pad that takes away", node{op: "Pad", opset: 13, in: []string{"x", "p"},
		constants: []onnxtest.Tensor{{Name: "p", Type: 7, Dims: []int64{2},
			Raw: onnxtest.Int64s(-1, 0)}}}, x(tensor.Of[float32](1, 2, 3)))
	add(byZero, node{op: "Div", opset: 14, in: []string{"x", "b"}, elem: 6},
		x(tensor.Of[int32](1)), named("b", tensor.Of[int32](0)))
	last := named("i", tensor.Of[int64](-1), 1, 1)
	add("GatherND of the last element", node{op: "GatherND", opset: 17, in: []string{"x", "i"}},
		x(f32s(1, 2)), last)
	add("ScatterND that adds to the last element", node{op: "ScatterND", opset: 18,
		in: []string{"x", "i", "u"}, attrs: attrs(text("reduction", "add"))}, x(f32s(1, 2)), last,
		named("u", f32s(3), 1))
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
			if name == byZero {
				g.Expect(err).To(MatchError(ContainSubstring("Integer division by zero")))
			} else {
				g.Expect(err).NotTo(HaveOccurred())
			}
			again := exec.Command(os.Args[0], "-test.run=^TestTractEndsTheProcess$")
			again.Env = append(os.Environ(), variable+"="+name)
			output, err := again.CombinedOutput()
			g.Expect(err).To(HaveOccurred())
			g.Expect(strings.Contains(string(output), "panic in a function that cannot unwind")).
				To(BeTrue(), "%s", output)
		})
	}
}
