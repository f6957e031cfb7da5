package ort_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// sown are n float32 numbers.
func sown(n int) []byte {
	var raw []byte
	for i := range n {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(i%11)/11-0.4))
	}
	return raw
}

// reweighable has large weights in a Conv that is fused and gets a new layout, in a MatMul and in
// the body of an If, and small ones in a Constant node and a bias.
func reweighable() *loaders.Model {
	constant := onnxtest.Tensor{Type: 1, Dims: []int64{1}, Raw: sown(1)}
	body := func(name string) *onnxtest.Graph {
		return &onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "MatMul", In: []string{"f", name + ".w"},
				Out: []string{name + ".y"}}},
			Initializers: []onnxtest.Tensor{{Name: name + ".w", Type: 1, Dims: []int64{36, 40},
				Raw: sown(36 * 40)}},
			Outputs: []onnxtest.Value{{Name: name + ".y", Elem: 1, Dims: []any{1, 16, 40}}},
		}
	}
	return loaders.ONNXBytes("reweighable.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 16, 6, 6}},
			{Name: "c", Elem: 9, Dims: []any{}}},
		Outputs: []onnxtest.Value{{Name: "y"}, {Name: "z"}},
		Initializers: []onnxtest.Tensor{
			{Name: "w", Type: 1, Dims: []int64{16, 16, 3, 3}, Raw: sown(16 * 16 * 9)},
			{Name: "b", Type: 1, Dims: []int64{16}, Raw: sown(16)},
			{Name: "m", Type: 1, Dims: []int64{6, 200}, Raw: sown(6 * 200)},
			{Name: "s", Type: 7, Dims: []int64{3}, Raw: binary.LittleEndian.AppendUint64(
				binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1), 16), 36)}},
		Nodes: []onnxtest.Node{
			{Op: "Conv", In: []string{"x", "w", "b"}, Out: []string{"conv"},
				Attrs: []onnxtest.Attr{{Name: "pads", Ints: []int64{1, 1, 1, 1}}}},
			{Op: "Relu", In: []string{"conv"}, Out: []string{"relu"}},
			{Op: "Constant", Out: []string{"k"}, Attrs: []onnxtest.Attr{{Name: "value",
				Tensor: &constant}}},
			{Op: "Mul", In: []string{"relu", "k"}, Out: []string{"scaled"}},
			{Op: "MatMul", In: []string{"scaled", "m"}, Out: []string{"y"}},
			{Op: "Reshape", In: []string{"scaled", "s"}, Out: []string{"f"}},
			{Op: "If", In: []string{"c"}, Out: []string{"z"}, Attrs: []onnxtest.Attr{
				{Name: "then_branch", Graph: body("then")}, {Name: "else_branch", Graph: body("else")}}},
		}}}.Bytes())
}

var _ = Describe("Running a model with other weights", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// other moves every float, differently in every constant.
	other := func(c loaders.Constant) (*tensor.Tensor, error) {
		if c.Values.ElementType() != tensor.Float32 {
			return nil, nil
		}
		values := slices.Clone(c.Values.Float64s())
		for i := range values {
			values[i] = values[i]*1.01 + 0.001*float64(len(c.Name)+i%3)
		}
		wide, err := tensor.New(c.Values.Shape(), values)
		if err != nil {
			return nil, err
		}
		return wide.Convert(tensor.Float32)
	}

	DescribeTable("gives the bits of the rewritten model", func(ctx SpecContext, level ort.Level) {
		model := reweighable()
		inputs := fixtures.Random(model, fixtures.Iterations(2))
		engine := ort.Engine(ort.OptimizationLevel(level),
			ort.Config("session.disable_prepacking", "1")) // as the session with other weights has it
		rewritten, err := edit.ReplaceConstants(model, other)
		Expect(err).NotTo(HaveOccurred())
		want, err := backends.RunIn(ctx, engine, rewritten, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(backends.RunReweighed(ctx, engine, model, inputs, other)).To(Equal(want.Outputs()))
		plain, err := backends.RunIn(ctx, engine, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(plain.Outputs()).NotTo(Equal(want.Outputs()))
		keep := func(loaders.Constant) (*tensor.Tensor, error) { return nil, nil }
		Expect(backends.RunReweighed(ctx, engine, model, inputs, keep)).To(Equal(plain.Outputs()))
	},
		Entry("without optimisation", ort.OptimizeNone),
		Entry("with all of it", ort.OptimizeAll),
	)

	It("gives the bits of the rewritten model where the weights go through a file",
		func(ctx SpecContext) {
			const n = 2100 // 18 MB
			model := loaders.ONNXBytes("large.onnx", onnxtest.Model{Graph: onnxtest.Graph{
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, n}}},
				Outputs: []onnxtest.Value{{Name: "y"}},
				Initializers: []onnxtest.Tensor{
					{Name: "w", Type: 1, Dims: []int64{n, n}, Raw: sown(n * n)},
					{Name: "odd", Type: 1, Dims: []int64{1, n}, Raw: sown(n)},
					{Name: "b", Type: 1, Dims: []int64{1, n}, Raw: sown(n)}},
				Nodes: []onnxtest.Node{
					{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"product"}},
					{Op: "Mul", In: []string{"product", "odd"}, Out: []string{"scaled"}},
					{Op: "Add", In: []string{"scaled", "b"}, Out: []string{"y"}},
				}}}.Bytes())
			inputs := fixtures.Random(model)
			folder := GinkgoT().TempDir()
			GinkgoT().Setenv("TMPDIR", folder)
			engine := ort.Engine(ort.Config("session.disable_prepacking", "1"))
			rewritten, err := edit.ReplaceConstants(model, other)
			Expect(err).NotTo(HaveOccurred())
			want, err := backends.RunIn(ctx, engine, rewritten, inputs)
			Expect(err).NotTo(HaveOccurred())
			Expect(backends.RunReweighed(ctx, engine, model, inputs, other)).To(Equal(want.Outputs()))

			mapped := 0 // bytes of the file, while the session lives
			looking := fixtures.From("looking", func() iter.Seq2[*tensor.Set, error] {
				mapped = mappedIn(folder)
				return inputs.All()
			})
			_, err = backends.RunReweighed(ctx, engine, model, looking, other)
			Expect(err).NotTo(HaveOccurred())
			if runtime.GOOS == "linux" {
				Expect(mapped).To(BeNumerically(">=", 4*n*n))
			}
			broken := errors.New("no weights")
			_, err = backends.RunReweighed(ctx, engine, model, inputs,
				func(loaders.Constant) (*tensor.Tensor, error) { return nil, broken })
			Expect(err).To(MatchError(broken))
			Expect(os.ReadDir(folder)).To(BeEmpty())
		})
})

// mappedIn is how many bytes of files in a folder this process has mapped into memory.
func mappedIn(folder string) int {
	GinkgoHelper()
	maps, err := os.ReadFile("/proc/self/maps")
	if os.IsNotExist(err) {
		return 0
	}
	Expect(err).NotTo(HaveOccurred())
	total := 0
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, folder) {
			var from, to int
			_, err := fmt.Sscanf(line, "%x-%x", &from, &to)
			Expect(err).NotTo(HaveOccurred())
			total += to - from
		}
	}
	return total
}
