package conformance_test

import (
	"context"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// finding is a model over which engines differ although none refuses it. docs/findings.md says who
// is wrong, and why.
type finding struct {
	model       *loaders.Model
	inputs      *tensor.Set
	ort, tracts string // what each gives for its first output
}

var nan = float32(math.NaN())

// one is a model of one node from x to y.
func one(op string, opset int64, in []string, constants []onnxtest.Tensor, attrs ...onnxtest.Attr,
) func(x *tensor.Tensor, others ...tensor.Entry) (*loaders.Model, *tensor.Set) {
	return func(x *tensor.Tensor, others ...tensor.Entry) (*loaders.Model, *tensor.Set) {
		entries := append([]tensor.Entry{{Name: "x", Tensor: x}}, others...)
		var inputs []onnxtest.Value
		for _, e := range entries {
			dims := []any{}
			for _, d := range e.Tensor.Shape() {
				dims = append(dims, d)
			}
			elem := map[tensor.ElementType]int32{tensor.Float32: 1, tensor.Int32: 6,
				tensor.Int64: 7}[e.Tensor.ElementType()]
			inputs = append(inputs, onnxtest.Value{Name: e.Name, Elem: elem, Dims: dims})
		}
		set, err := tensor.NewSet(entries...)
		if err != nil {
			panic(err)
		}
		out := []string{"y"}
		if op == "RNN" {
			out = []string{"y", "h"}
		}
		return loaders.ONNXBytes(op, onnxtest.Model{Opsets: map[string]int64{"": opset},
			Graph: onnxtest.Graph{
				Nodes:        []onnxtest.Node{{Op: op, In: in, Out: out, Attrs: attrs}},
				Initializers: constants, Inputs: inputs,
				Outputs: []onnxtest.Value{{Name: "y"}}}}.Bytes()), set
	}
}

func found(m *loaders.Model, in *tensor.Set, ort, tracts string) finding {
	return finding{m, in, ort, tracts}
}

func inShape(t *tensor.Tensor, dims ...int) *tensor.Tensor {
	s, err := t.Reshape(dims)
	if err != nil {
		panic(err)
	}
	return s
}

func number(name string, n int64) onnxtest.Attr { return onnxtest.Attr{Name: name, Int: &n} }

func numbers(name string, n ...int64) onnxtest.Attr { return onnxtest.Attr{Name: name, Ints: n} }

func constant(name string, dims []int64, values ...float32) onnxtest.Tensor {
	return onnxtest.Tensor{Name: name, Type: 1, Dims: dims, Raw: onnxtest.Float32s(values...)}
}

// findings are what was found on ONNX Runtime 1.31.1 and tract 0.23.9.
func findings() map[string]finding {
	x := []string{"x"}
	f32 := func(v ...float32) *tensor.Tensor { return tensor.Of(v...) }
	list := map[string]finding{}
	add := func(name string, m *loaders.Model, in *tensor.Set, ort, tracts string) {
		list[name] = found(m, in, ort, tracts)
	}
	for op, tracts := range map[string]string{"Relu": "float32[2] [0 1]",
		"HardSigmoid": "float32[2] [1 0.7]"} {
		m, in := one(op, 17, x, nil)(f32(nan, 1))
		add("NaN through "+op, m, in, map[string]string{"Relu": "float32[2] [NaN 1]",
			"HardSigmoid": "float32[2] [NaN 0.7]"}[op], tracts)
	}
	m, in := one("Max", 17, []string{"x", "b"}, nil)(f32(nan, 1, 2), tensor.Entry{Name: "b",
		Tensor: f32(1, nan, 3)})
	add("NaN through Max", m, in, "float32[3] [NaN NaN 3]", "float32[3] [1 1 3]")
	m, in = one("Clip", 17, []string{"x", "lo", "hi"}, []onnxtest.Tensor{constant("lo", nil, -1),
		constant("hi", nil, 1)})(f32(nan, 5))
	add("NaN through Clip", m, in, "float32[2] [NaN 1]", "float32[2] [-1 1]")

	m, in = one("ReduceMax", 17, x, nil, numbers("axes", 0), number("keepdims", 0))(
		inShape(f32(), 0, 2))
	add("ReduceMax of nothing", m, in, "float32[2] [-Inf -Inf]",
		"float32[2] [-3.4028235e+38 -3.4028235e+38]")
	m, in = one("LogSoftmax", 17, x, nil, number("axis", 1))(inShape(f32(0, -200), 1, 2))
	add("LogSoftmax of what is far apart", m, in, "float32[1,2] [0 -200]", "float32[1,2] [0 -Inf]")
	half := float32(0.5)
	m, in = one("RNN", 14, []string{"x", "w", "r"}, []onnxtest.Tensor{
		constant("w", []int64{1, 1, 1}, 1), constant("r", []int64{1, 1, 1}, 0)},
		number("hidden_size", 1), onnxtest.Attr{Name: "clip", Float: &half})(inShape(f32(2), 1, 1, 1))
	add("RNN with a clip", m, in, "float32[1,1,1,1] [0.4621172]", "float32[1,1,1,1] [0.9640276]")
	m, in = one("ConvTranspose", 11, []string{"x", "w"}, []onnxtest.Tensor{
		constant("w", []int64{1, 1, 3}, 1, 10, 100)}, numbers("output_shape", 4),
		numbers("strides", 2))(inShape(f32(1, 2), 1, 1, 2))
	add("ConvTranspose with an output shape", m, in, "float32[1,1,4] [10 102 20 200]",
		"float32[1,1,4] [1 10 102 20]")
	m, in = one("ReduceLogSumExp", 17, x, nil, numbers("axes", 1), number("keepdims", 0))(
		inShape(tensor.Of[int32](30, 28), 1, 2))
	add("ReduceLogSumExp of integers", m, in, "int32[1] [30]", "int32[1] [0]")
	return list
}

func TestFindings(t *testing.T) {
	ort.Require(t)
	tract.Require(t)
	for name, f := range findings() {
		t.Run(name, func(t *testing.T) {
			for engine, expected := range map[backends.Engine]string{ort.Engine(): f.ort,
				tract.Engine(): f.tracts} {
				run, err := backends.RunIn(t.Context(), engine, f.model, fixtures.Of(f.inputs))
				NewWithT(t).Expect(err).NotTo(HaveOccurred())
				if version := run.Provenance.Version; version != engines.ONNXRuntime.Version &&
					version != engines.Tract.Version {
					t.Skipf("what was found is of other versions than %v %s", engine, version)
				}
				y := run.Outputs()[0].At(0).Tensor
				NewWithT(t).Expect(y.GomegaString()).To(Equal(expected), engine.String())
			}
		})
	}
}

// TestTractEndsTheProcess is about models that are right, and that tract aborts over: each runs in
// this test binary again.
func TestTractEndsTheProcess(t *testing.T) {
	const variable = "MODELPARITY_TEST_ABORT"
	models := map[string]func() (*loaders.Model, *tensor.Set){
		"Pad that takes away": func() (*loaders.Model, *tensor.Set) {
			return one("Pad", 13, []string{"x", "p"}, []onnxtest.Tensor{{Name: "p", Type: 7,
				Dims: []int64{2}, Raw: onnxtest.Int64s(-1, 0)}})(tensor.Of[float32](1, 2, 3))
		},
		"OneHot of an index that is out of range": func() (*loaders.Model, *tensor.Set) {
			return one("OneHot", 17, []string{"x", "d", "v"}, []onnxtest.Tensor{{Name: "d", Type: 7,
				Raw: onnxtest.Int64s(3)}, constant("v", []int64{2}, 0, 1)})(tensor.Of[int64](5, 0))
		},
	}
	if name := os.Getenv(variable); name != "" {
		m, in := models[name]()
		_, err := tract.Run(context.Background(), m, fixtures.Of(in))
		t.Log("it lives: ", err)
		return
	}
	ort.Require(t)
	tract.Require(t)
	for name, model := range models {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m, in := model()
			_, err := ort.Run(t.Context(), m, fixtures.Of(in))
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
