package decode_test

import (
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// recogniser is a model built like a streaming recogniser. It takes chunks of four frames. Each of
// its two convolutions over time keeps the last five frames in a cache, and an integer counts the
// frames so far.
func recogniser() streaming {
	const chunk, width, memory, symbols = 4, 6, 5, 7
	integers := func(name string, values ...int64) onnxtest.Tensor {
		return onnxtest.Tensor{Name: name, Type: 7, Dims: []int64{int64(len(values))},
			Raw: onnxtest.Int64s(values...)}
	}
	weights := func(name string, by float64, dims ...int64) onnxtest.Tensor {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(math.Sin(float64(i+1)*by) / 2)
		}
		return onnxtest.Tensor{Name: name, Type: 1, Dims: dims, Raw: onnxtest.Float32s(values...)}
	}
	group, last, float32Type := int64(width), int64(-1), int64(1)
	node := func(op, out string, attrs []onnxtest.Attr, in ...string) onnxtest.Node {
		return onnxtest.Node{Op: op, Name: out, In: in, Out: []string{out}, Attrs: attrs}
	}
	turn := []onnxtest.Attr{{Name: "perm", Ints: []int64{0, 2, 1}}}
	along := []onnxtest.Attr{{Name: "axis", Int: &last}}
	g := onnxtest.Graph{Initializers: []onnxtest.Tensor{integers("from", -memory),
		integers("to", math.MaxInt64), integers("axis", 2), integers("frames", chunk),
		weights("symbols", 0.9, width, symbols), weights("rate", 0.3, 1)}}
	values := func(list *[]onnxtest.Value, name string, elem int32, dims ...any) {
		*list = append(*list, onnxtest.Value{Name: name, Elem: elem, Dims: dims})
	}
	values(&g.Inputs, "features", 1, 1, chunk, width)
	values(&g.Outputs, "logits", 1, 1, chunk, symbols)
	s := streaming{input: "features", width: width, chunk: chunk}
	carry := func(feed, output string, elem int32, dims ...any) {
		values(&g.Inputs, feed, elem, dims...)
		values(&g.Outputs, output, elem, dims...)
		s.feeds, s.outputs = append(s.feeds, feed), append(s.outputs, output)
		s.states = append(s.states, decode.State(output, feed))
	}
	g.Nodes = []onnxtest.Node{node("Transpose", "turned", turn, "features")}
	before := "turned"
	for _, n := range []string{"0", "1"} {
		g.Initializers = append(g.Initializers, weights("taps"+n, 1.7, width, 1, memory+1),
			weights("mix"+n, 1.1, width, width, 1))
		g.Nodes = append(g.Nodes, node("Concat", "seen"+n, along, "cache"+n, before),
			node("Slice", "next"+n, nil, "seen"+n, "from", "to", "axis"),
			node("Conv", "over"+n, []onnxtest.Attr{{Name: "group", Int: &group}}, "seen"+n, "taps"+n),
			node("Relu", "kept"+n, nil, "over"+n), node("Conv", "mixed"+n, nil, "kept"+n, "mix"+n),
			node("Add", "block"+n, nil, "mixed"+n, before))
		carry("cache"+n, "next"+n, 1, 1, width, memory)
		before = "block" + n
	}
	carry("count", "counted", 7, 1)
	g.Nodes = append(g.Nodes, node("Add", "counted", nil, "count", "frames"),
		node("Cast", "number", []onnxtest.Attr{{Name: "to", Int: &float32Type}}, "count"),
		node("Mul", "angle", nil, "number", "rate"), node("Sin", "position", nil, "angle"),
		node("Add", "placed", nil, before, "position"), node("Transpose", "frame", turn, "placed"),
		node("MatMul", "scores", nil, "frame", "symbols"),
		node("LogSoftmax", "logits", along, "scores"))
	s.model = loaders.ONNXBytes("recogniser.onnx", onnxtest.Model{Graph: g}.Bytes())
	return s
}

var _ = Describe("A model with the caches of a streaming recogniser", func() {
	It("gives the same stream in three engines, and planted faults are named", func(
		ctx SpecContext) {
		ort.Require(GinkgoT())
		openvino.Require(GinkgoT())
		tract.Require(GinkgoT())
		s := recogniser()
		s.findsPlanted(ctx)
		reference := s.run(ctx, ort.Engine(), 12)
		for _, e := range []backends.Engine{openvino.Engine(), tract.Engine()} {
			Expect(s.run(ctx, e, 12)).To(MatchWithinNoise().Of(reference), "%v", e)
		}
		lost := &fault{name: "count", feed: func(_ int, in map[string]*tensor.Tensor) {
			in["count"] = blank(in["count"])
		}}
		found := must(decode.Part(s.run(ctx, faulty{openvino.Engine(), lost}, 12), reference,
			loose))
		Expect(found.String()).To(And(ContainSubstring("first differ at frame 1"),
			HaveSuffix("as it would if it started with zeros instead of count")))
	})
})
