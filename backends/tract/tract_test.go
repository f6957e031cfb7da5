package tract_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A model in tract", func() {
	BeforeEach(func() { tract.Require(GinkgoT()) })

	It("says in each run what made it", func(ctx SpecContext) {
		GinkgoT().Setenv("TRACT_AMX_BF16", "0")
		m := unary("Neg", float32s)
		result, err := tract.Run(ctx, m, x(tensor.Of[float32](1)), tract.FP16())
		Expect(err).NotTo(HaveOccurred())
		sum, err := m.SHA256()
		Expect(err).NotTo(HaveOccurred())
		p := result.Provenance
		Expect(p.Version).To(MatchRegexp(`^\d+\.\d+\.\d+$`))
		Expect(p.Backend).To(Equal("tract"))
		Expect(p.Provider).To(Equal("cpu"))
		Expect(p.ModelSHA256).To(Equal(sum))
		Expect(p.Options).To(And(HaveKeyWithValue("precision", "float16"),
			HaveKeyWithValue("TRACT_AMX_BF16", "0"),
			Not(HaveKey("PATH"))))
	})

	It("does not take where its library lies for something that decides the numbers",
		func(ctx SpecContext) {
			result, err := tract.Run(ctx, unary("Neg", float32s), x(tensor.Of[float32](1)))
			Expect(err).NotTo(HaveOccurred())
			Expect(result.Provenance.Options).NotTo(HaveKey(engines.Tract.Variable))
		})

	It("is rounded to float16 where it is asked for, and keeps its types", func(ctx SpecContext) {
		sent := x(tensor.Of[float32](1.0004883, 70000))
		Expect(run(ctx, unary("Neg", float32s), sent)).To(Equal(
			[]string{"y: float32[2] [-1.0004883 -70000]"}))
		Expect(run(ctx, unary("Neg", float32s), sent, tract.FP16())).To(Equal(
			[]string{"y: float32[2] [-1 -Inf]"}))
		Expect(run(ctx, unary("Neg", int64s), x(tensor.Of[int64](1<<40+1)), tract.FP16())).To(Equal(
			[]string{"y: int64[1] [-1099511627777]"}))
	})

	It("gives shapes as the integers that the model declares", func(ctx SpecContext) {
		m := graph("shape", onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Shape", In: []string{"x"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{"n"}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: int64s, Dims: []any{1}}}})
		Expect(run(ctx, m, x(tensor.Of[float32](1, 2, 3)))).To(Equal([]string{"y: int64[1] [3]"}))
		Expect(m.Mark("x")).NotTo(BeNil())
	})

	It("takes axes as an input, other ones from run to run", func(ctx SpecContext) {
		m := graph("axes", onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "ReduceSum", In: []string{"x", "axes"}, Out: []string{"y"}}},
			Inputs: []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{2, 3}},
				{Name: "axes", Elem: int64s, Dims: []any{1}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float32s, Dims: []any{"a", "b"}}}})
		t, err := tensor.New(tensor.Shape{2, 3}, []float32{1, 2, 3, 4, 5, 6})
		Expect(err).NotTo(HaveOccurred())
		var sets []*tensor.Set
		for _, axis := range []int64{0, 1, 0} {
			set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: t},
				tensor.Entry{Name: "axes", Tensor: tensor.Of(axis)})
			Expect(err).NotTo(HaveOccurred())
			sets = append(sets, set)
		}
		result, err := tract.Run(ctx, m, fixtures.Of(sets...))
		Expect(err).NotTo(HaveOccurred())
		rows, columns := "y: float32[1,3] [5 7 9]", "y: float32[2,1] [6 15]"
		for i, expected := range []string{rows, columns, rows} {
			Expect(values(result.Outputs()[i])).To(Equal([]string{expected}))
		}
		b, err := tract.Engine().Open(ctx, m, fixtures.Inputs{}) // nothing to know the axes from yet
		Expect(err).NotTo(HaveOccurred())
		Expect(b.Close()).To(Succeed())
	})

	It("returns marked tensors, whose types are not declared", func(ctx SpecContext) {
		m, err := graph("marked", onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Shape", In: []string{"x"}, Out: []string{"s"}},
				{Op: "Neg", In: []string{"x"}, Out: []string{"n"}},
				{Op: "Abs", In: []string{"n"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{"n"}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float32s, Dims: []any{"n"}}}}).Mark("s", "n")
		Expect(err).NotTo(HaveOccurred())
		for _, options := range [][]tract.Option{nil, {tract.FP16()}} {
			Expect(run(ctx, m, x(tensor.Of[float32](1, 2)), options...)).To(Equal([]string{
				"s: int64[1] [2]", "n: float32[2] [-1 -2]", "y: float32[2] [1 2]"}))
		}
	})

	It("reads weights from a file next to it, marked or not", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(folder, "w.bin"), onnxtest.Float32s(9, 1, 2),
			0o600)).To(Succeed())
		path := filepath.Join(folder, "model.onnx")
		Expect(os.WriteFile(path, onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Add", In: []string{"x", "w"}, Out: []string{"t"}},
				{Op: "Neg", In: []string{"t"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{2},
				Location: "w.bin", Offset: "4", Length: "8"}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{2}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float32s, Dims: []any{2}}},
		}}.Bytes(), 0o600)).To(Succeed())
		whole := loaders.ONNX(path)
		Expect(run(ctx, whole, x(tensor.Of[float32](10, 20)))).To(Equal(
			[]string{"y: float32[2] [-11 -22]"}))
		marked, err := whole.Mark("t")
		Expect(err).NotTo(HaveOccurred())
		Expect(run(ctx, marked, x(tensor.Of[float32](10, 20)))).To(Equal(
			[]string{"t: float32[2] [11 22]", "y: float32[2] [-11 -22]"}))
	})

	It("takes models whose symbols contradict its inference, and says so", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(folder, "w.bin"), onnxtest.Float32s(1), 0o600)).To(Succeed())
		batch := []onnxtest.Value{{Name: "t", Elem: float32s, Dims: []any{"batch"}}}
		body := onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Abs", In: []string{"t"}, Out: []string{"a"}},
				{Op: "Neg", In: []string{"a"}, Out: []string{"b"}}},
			Outputs: []onnxtest.Value{{Name: "b", Elem: float32s}},
			Values:  []onnxtest.Value{{Name: "a", Elem: float32s, Dims: []any{"inside"}}}}
		other := onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Neg", In: []string{"t"}, Out: []string{"b"}}},
			Outputs: []onnxtest.Value{{Name: "b", Elem: float32s}}}
		path := filepath.Join(folder, "model.onnx")
		Expect(os.WriteFile(path, onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Add", In: []string{"x", "w"}, Out: []string{"t"}},
				{Op: "If", In: []string{"c"}, Out: []string{"y"}, Attrs: []onnxtest.Attr{
					{Name: "then_branch", Graph: &body}, {Name: "else_branch", Graph: &other}}}},
			Initializers: []onnxtest.Tensor{
				{Name: "w", Type: float32s, Dims: []int64{1}, Location: "w.bin"},
				{Name: "c", Type: 9, Raw: []byte{1}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{"n"}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float32s, Dims: []any{"m"}}},
			Values:  batch}}.Bytes(), 0o600)).To(Succeed())
		b, err := tract.Engine().Open(ctx, loaders.ONNX(path), fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		for sent, expected := range map[*tensor.Tensor]string{
			tensor.Of[float32](4): "y: float32[1] [-5]", tensor.Of[float32](2, 3): "y: float32[2] [-3 -4]",
		} {
			result, err := b.Run(ctx, x(sent))
			Expect(err).NotTo(HaveOccurred())
			Expect(values(result.Outputs()[0])).To(Equal([]string{expected}))
			Expect(result.Provenance.Options).To(HaveKeyWithValue("declared shapes", "inputs only"))
		}
		result, err := tract.Run(ctx, unary("Neg", float32s), x(tensor.Of[float32](1)))
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Provenance.Options).NotTo(HaveKey("declared shapes"))
	})

	It("runs in more shapes than stay ready, at once", func(ctx SpecContext) {
		b, err := tract.Engine().Open(ctx, unary("Neg", float32s), fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		var group sync.WaitGroup
		for worker := range 6 {
			group.Go(func() {
				defer GinkgoRecover()
				for i := range 60 {
					n := 1 + (i*7+worker*5)%23
					t, err := tensor.New(tensor.Shape{n}, make([]float32, n))
					Expect(err).NotTo(HaveOccurred())
					result, err := b.Run(ctx, x(t))
					Expect(err).NotTo(HaveOccurred())
					y, _ := result.Outputs()[0].Get("y")
					Expect(y.Shape()).To(Equal(tensor.Shape{n}))
				}
			})
		}
		group.Wait()
	}, NodeTimeout(time.Minute))

	It("returns at once when the context ends, although tract goes on", func(ctx SpecContext) {
		const size = 1500
		nodes := []onnxtest.Node{{Op: "MatMul", In: []string{"x", "x"}, Out: []string{"t0"}}}
		for i := range 6 {
			nodes = append(nodes, onnxtest.Node{Op: "MatMul",
				In: []string{"t" + string(rune('0'+i)), "x"}, Out: []string{"t" + string(rune('1'+i))}})
		}
		m := graph("long", onnxtest.Graph{Nodes: nodes,
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{size, size}}},
			Outputs: []onnxtest.Value{{Name: "t6", Elem: float32s, Dims: []any{size, size}}}})
		t, err := tensor.New(tensor.Shape{size, size}, make([]float32, size*size))
		Expect(err).NotTo(HaveOccurred())
		inputs := x(t)
		b, err := tract.Engine().Open(ctx, m, inputs)
		Expect(err).NotTo(HaveOccurred())
		enough := errors.New("enough")
		ending, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(10*time.Millisecond, func() { cancel(enough) })
		_, err = b.Run(ending, inputs)
		Expect(err).To(MatchError(enough))
		Expect(b.Close()).To(Succeed())
		_, err = b.Run(ctx, inputs)
		Expect(err).To(MatchError(backends.ErrClosed))
	}, NodeTimeout(time.Minute))
})

var _ = Describe("A model that tract refuses", func() {
	BeforeEach(func() { tract.Require(GinkgoT()) })

	toInt64 := int64(int64s)
	sequence := onnxtest.Message(nil, 4, onnxtest.Message(nil, 1, onnxtest.TensorType(1, nil)))
	DescribeTable("is one error that says why",
		func(ctx SpecContext, m *loaders.Model, reason backends.Reason, expected string) {
			_, err := tract.Run(ctx, m, x(tensor.Of[float32](1, 2)))
			Expect(err).To(MatchError(And(HavePrefix("tract"), ContainSubstring(": "+m.Name()+": "),
				ContainSubstring(expected), Not(ContainSubstring("\n")))))
			var refused *backends.Refusal
			Expect(errors.As(err, &refused)).To(BeTrue())
			Expect(refused.Reason).To(Equal(reason))
		},
		Entry("an unknown operator", unary("Frobnicate", float32s), backends.UnknownOperator,
			"operator Frobnicate is not implemented (tract says: "),
		Entry("a function of the model", loaders.ONNXBytes("m", onnxtest.InFunction().Bytes()),
			backends.UnknownOperator, "operator Product is not implemented; nodes in the model's own "+
				"functions are not examined: inline the functions first"),
		Entry("a type that it lacks", unary("Neg", 16), backends.UnsupportedType,
			"input x tensor(bfloat16)[n]: tract supports only tensors of bool, int8"),
		Entry("an output that is a sequence", graph("sequence", onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "SequenceConstruct", In: []string{"x"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{2}}},
			Outputs: []onnxtest.Value{{Name: "y", Proto: sequence}}}), backends.UnsupportedType,
			"output y seq(tensor(float))"),
		Entry("a node that reads what nothing gives", graph("dangling", onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Neg", In: []string{"nowhere"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{2}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float32s, Dims: []any{2}}}}),
			backends.InvalidModel, `nodes read ["nowhere"], which nothing produces`),
		Entry("an output that nothing gives, over which tract would abort", graph("loose",
			onnxtest.Graph{
				Nodes:   []onnxtest.Node{{Op: "Neg", In: []string{"x"}, Out: []string{"y"}}},
				Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{2}}},
				Outputs: []onnxtest.Value{{Name: "z", Elem: float32s, Dims: []any{2}}}}),
			backends.InvalidModel, "no node produces the model's output z"),
		Entry("axes that only the run knows", graph("axes", onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Cast", In: []string{"x"}, Out: []string{"a"},
				Attrs: []onnxtest.Attr{{Name: "to", Int: &toInt64}}},
				{Op: "ReduceSum", In: []string{"x", "a"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{2}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float32s}}}),
			backends.NeedsConstant, "an operator needs a constant input, but its value is known only "+
				"at run time"),
	)

	It("has no inputs where it was given the model's constants", func(ctx SpecContext) {
		m := graph("initialized", onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Add", In: []string{"x", "w"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{2},
				Raw: onnxtest.Float32s(1, 2)}},
			Inputs: []onnxtest.Value{{Name: "x", Elem: float32s, Dims: []any{2}},
				{Name: "w", Elem: float32s, Dims: []any{2}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float32s, Dims: []any{2}}}})
		Expect(run(ctx, m, x(tensor.Of[float32](1, 2)))).To(Equal([]string{"y: float32[2] [2 4]"}))
	})
})
