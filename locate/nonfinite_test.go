package locate_test

import (
	"context"
	"encoding/binary"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

func scalar(name string, v float32) onnxtest.Tensor {
	return onnxtest.Tensor{Name: name, Type: 1, Dims: []int64{1},
		Raw: binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))}
}

// nonfiniteSubject runs nodes on x = (1, 2, 3).
func nonfiniteSubject(weights []onnxtest.Tensor,
	nodes ...onnxtest.Node) backends.Subject {
	GinkgoHelper()
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1, 2, 3)})
	Expect(err).NotTo(HaveOccurred())
	model := loaders.ONNXBytes("m.onnx", onnxtest.Model{Graph: onnxtest.Graph{Nodes: nodes,
		Initializers: weights,
		Inputs:       []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{3}}},
		Outputs:      []onnxtest.Value{{Name: "y"}}}}.Bytes())
	return backends.Subject{Engine: ort.Engine(), Model: model, Inputs: fixtures.Of(set)}
}

func castTo(to int64, in, out string) onnxtest.Node {
	return onnxtest.Node{Op: "Cast", Name: "cast_" + out, In: []string{in}, Out: []string{out},
		Attrs: []onnxtest.Attr{{Name: "to", Int: &to}}}
}

var _ = Describe("The origin of non-finite values", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	find := func(ctx context.Context, s backends.Subject) *locate.Origin {
		GinkgoHelper()
		f, err := locate.NonFinite(ctx, s)
		Expect(err).NotTo(HaveOccurred())
		GinkgoWriter.Println(f.Text(nil))
		return f
	}

	It("is named if the sides agree in all but NaN, which is not called fusion",
		func(ctx SpecContext) {
			s := nonfiniteSubject([]onnxtest.Tensor{scalar("w", 30000)},
				onnxtest.Node{Op: "Neg", In: []string{"x"}, Out: []string{"n"}},
				onnxtest.Node{Op: "Log", Name: "logarithm", In: []string{"n"}, Out: []string{"y"}})
			found, err := locate.Divergence(ctx, s, s, strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Verdict).To(Equal(compare.Fail))
			Expect(found.First).To(BeNil())
			Expect(found.Cause).To(And(ContainSubstring("--nans-compare-equal"),
				HaveSuffix(`the first NaN comes from Log "logarithm" (node 1)`)))
			_, err = locate.Fence(ctx, s, s, strict())
			Expect(err).To(MatchError(ContainSubstring("set NaNEqual")))
		})

	It("hides no fault from the search", func(ctx SpecContext) {
		with := func(op string) backends.Subject {
			return nonfiniteSubject([]onnxtest.Tensor{scalar("w", 2)},
				onnxtest.Node{Op: "Sub", In: []string{"x", "w"}, Out: []string{"less"}},
				onnxtest.Node{Op: "Sqrt", In: []string{"less"}, Out: []string{"root"}},
				onnxtest.Node{Op: op, In: []string{"root", "w"}, Out: []string{"y"}})
		}
		found, err := locate.Divergence(ctx, with("Sub"), with("Add"), strict())
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Isolated.Tensor).To(Equal("y"))
		Expect(found.Cause).NotTo(ContainSubstring("NaN"))
	})

	It("is the node that overflows, with its operands and float16's margin", func(ctx SpecContext) {
		f := find(ctx, nonfiniteSubject([]onnxtest.Tensor{scalar("w", 30000)},
			onnxtest.Node{Op: "Mul", Name: "scale", In: []string{"x", "w"}, Out: []string{"s"}},
			castTo(10, "s", "h"), castTo(1, "h", "f"),
			onnxtest.Node{Op: "Sub", Name: "difference", In: []string{"f", "f"}, Out: []string{"y"}}))
		Expect(f.Outputs).To(Equal([]string{"y"}))
		Expect(f.Infinity.Node.Name).To(Equal("cast_h"))
		Expect(f.Infinity.Output.Inf).To(Equal(1))
		Expect(f.NaN.Node.Name).To(Equal("difference"))
		Expect(f.Headline()).To(Equal(`m.onnx in onnxruntime: Cast "cast_h" (node 1) turns finite ` +
			`operands into infinities, which Sub "difference" (node 3) turns into NaN`))
		Expect(f.Text(nil)).To(And(
			ContainSubstring(`from  "s" float32[3], 30000 to 90000 (1.37 times float16's limit of `+
				`65504)`),
			ContainSubstring(`near float16's limit: "h" float16[3], 30000 to 60000 (65504 is 1.09 times `+
				`as large)`),
		))
	})

	It("does not mention float16's limit where only float32 overflows", func(ctx SpecContext) {
		f := find(ctx, nonfiniteSubject([]onnxtest.Tensor{scalar("w", 3e38)}, castTo(10, "x", "small"),
			castTo(1, "small", "f"),
			onnxtest.Node{Op: "Mul", Name: "scale", In: []string{"f", "w"}, Out: []string{"y"}}))
		Expect(f.Infinity.Node.Name).To(Equal("scale"))
		Expect(f.Text(nil)).NotTo(ContainSubstring("float16"))
	})

	It("is the logarithm of a negative number", func(ctx SpecContext) {
		f := find(ctx, nonfiniteSubject([]onnxtest.Tensor{scalar("w", 2.5)},
			onnxtest.Node{Op: "Sub", Name: "shift", In: []string{"x", "w"}, Out: []string{"s"}},
			onnxtest.Node{Op: "Log", Name: "log", In: []string{"s"}, Out: []string{"l"}},
			onnxtest.Node{Op: "Neg", Name: "after", In: []string{"l"}, Out: []string{"y"}}))
		Expect(f.NaN.Node.Name).To(Equal("log"))
		Expect(f.Infinity).To(BeNil())
		Expect(f.NaN.Operands).To(HaveLen(1))
		Expect(f.NaN.Operands[0].Least).To(Equal(-1.5))
		Expect(f.Headline()).To(HaveSuffix(`the first NaN comes from Log "log" (node 1)`))
	})

	It("ignores infinities that reach no non-finite output", func(ctx SpecContext) {
		f := find(ctx, nonfiniteSubject([]onnxtest.Tensor{scalar("w", 1e38), scalar("ten", 10)},
			onnxtest.Node{Op: "Mul", Name: "mask", In: []string{"w", "ten"}, Out: []string{"inf"}},
			onnxtest.Node{Op: "Min", Name: "clip", In: []string{"x", "inf"}, Out: []string{"c"}},
			onnxtest.Node{Op: "Neg", Name: "minus", In: []string{"c"}, Out: []string{"n"}},
			onnxtest.Node{Op: "Sqrt", Name: "root", In: []string{"n"}, Out: []string{"y"}}))
		Expect(f.NaN.Node.Name).To(Equal("root"))
		Expect(f.Infinity).To(BeNil())
	})

	It("says that every output is finite", func(ctx SpecContext) {
		f := find(ctx, nonfiniteSubject([]onnxtest.Tensor{scalar("w", 1e6)},
			onnxtest.Node{Op: "Mul", Name: "scale", In: []string{"x", "w"}, Out: []string{"s"}},
			onnxtest.Node{Op: "Sqrt", Name: "root", In: []string{"s"}, Out: []string{"y"}}))
		Expect(f.Found()).To(BeFalse())
		Expect(f.Text(nil)).To(Equal("m.onnx in onnxruntime: every output is finite\n"))
	})

	It("names inputs with non-finite values", func(ctx SpecContext) {
		s := nonfiniteSubject(nil, onnxtest.Node{Op: "Neg", Name: "n", In: []string{"x"},
			Out: []string{"y"}})
		set, err := tensor.NewSet(tensor.Entry{Name: "x",
			Tensor: tensor.Of(1, 2, float32(math.NaN()))})
		Expect(err).NotTo(HaveOccurred())
		s.Inputs = fixtures.Of(set)
		f := find(ctx, s)
		Expect(f.Headline()).To(HaveSuffix("comes from the inputs or the weights, not from a node"))
		Expect(f.Notes).To(Equal([]string{`non-finite values come from "x" float32[3], 1 to 2, 1 NaN`}))
	})

	It("names weights with non-finite values, if they reach an output", func(ctx SpecContext) {
		f := find(ctx, nonfiniteSubject([]onnxtest.Tensor{scalar("w", float32(math.Inf(1))),
			scalar("aside", float32(math.Inf(1)))},
			onnxtest.Node{Op: "Add", In: []string{"x", "aside"}, Out: []string{"a"}},
			onnxtest.Node{Op: "Add", In: []string{"x", "w"}, Out: []string{"y"}}))
		Expect(f.Notes).To(HaveExactElements(HavePrefix(`non-finite values come from weight "w"`)))
	})
})
