package bound_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/x448/float16"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// kept rounds each element of a float32 tensor to some significant bits.
func kept(t *tensor.Tensor, bits int) *tensor.Tensor {
	return changed(t, func(_ int, v float32) float32 {
		lost := uint32(1) << (24 - bits)
		b := math.Float32bits(v)
		return math.Float32frombits((b + lost/2 - 1 + b/lost&1) &^ (lost - 1))
	})
}

// changed returns a float32 tensor with other elements.
func changed(t *tensor.Tensor, change func(i int, v float32) float32) *tensor.Tensor {
	old, err := tensor.Values[float32](t)
	Expect(err).NotTo(HaveOccurred())
	values := make([]float32, len(old))
	for i, v := range old {
		values[i] = change(i, v)
	}
	return float32s(t.Shape(), values)
}

// faulty are kernels with a fault, as a run of the correct kernel on other operands.
var faulty = map[string]func(r recorded) map[int]*tensor.Tensor{
	"operands in bfloat16": func(r recorded) map[int]*tensor.Tensor { return operands(r, 8) },
	"operands in TF32":     func(r recorded) map[int]*tensor.Tensor { return operands(r, 11) },
	"one wrong term": func(r recorded) map[int]*tensor.Tensor {
		w := r.node.Inputs[1].Tensor
		at := greatest(w)
		return map[int]*tensor.Tensor{1: changed(w, func(i int, v float32) float32 {
			if i == at {
				return 0
			}
			return v
		})}
	},
	"the last block lost": func(r recorded) map[int]*tensor.Tensor {
		x := r.node.Inputs[0].Tensor
		part, size := 1, x.Shape()[len(x.Shape())-1] // the last quarter of a row
		if r.Op == "Conv" {                          // or of the channels
			for _, d := range x.Shape()[2:] {
				part *= d
			}
			size = x.Shape()[1]
		}
		from := (size - max(1, size/4)) * part
		return map[int]*tensor.Tensor{0: changed(x, func(i int, v float32) float32 {
			if i%(size*part) >= from {
				return 0
			}
			return v
		})}
	},
}

func operands(r recorded, bits int) map[int]*tensor.Tensor {
	return map[int]*tensor.Tensor{0: kept(r.node.Inputs[0].Tensor, bits),
		1: kept(r.node.Inputs[1].Tensor, bits)}
}

// greatest is the position of the element with the greatest magnitude.
func greatest(t *tensor.Tensor) (at int) {
	for i := range t.Len() {
		if math.Abs(t.Float64At(i)) > math.Abs(t.Float64At(at)) {
			at = i
		}
	}
	return at
}

var _ = Describe("faults of kernels on models of the field", func() {
	plain := ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))

	// each calls visit for the nodes of two networks.
	each := func(ctx context.Context, visit func(m *loaders.Model, r recorded)) {
		ort.Require(GinkgoT())
		for _, path := range []string{"resnet/torchscript", "bert/torchscript", "vit/dynamo"} {
			m := unpacked(filepath.Join(field, path+".onnx.gz"))
			list, err := record(ctx, plain, m,
				fixtures.Load(filepath.Join(field, filepath.Dir(path), "inputs.npz")))
			Expect(err).NotTo(HaveOccurred())
			for _, r := range list {
				visit(m, r)
			}
		}
	}

	for what, fault := range faulty {
		It("exceed the bound of a product: "+what, func(ctx SpecContext) {
			seen, hidden := map[string]int{}, 0
			each(ctx, func(m *loaders.Model, r recorded) {
				if !slices.Contains([]string{"MatMul", "Gemm", "Conv"}, r.Op) {
					return
				}
				right := alone(ctx, plain, m, r, nil)
				wrong := alone(ctx, plain, m, r, fault(r))
				Expect(ratio(ctx, r.node, right).Ratio).To(BeNumerically("<=", 1))
				if wrong.Identical(right) { // terms that are 0 behind a Relu
					hidden++
					return
				}
				got := ratio(ctx, r.node, wrong)
				Expect(got.Ratio).To(BeNumerically(">", 1), "%s %s: %+v", r.Op, r.Name, got)
				seen[r.Op]++
			})
			Expect(seen).To(HaveLen(3))
			Expect(hidden).To(BeNumerically("<=", 1))
		})
	}

	It("exceed the bound of a product: sums in float16", func(ctx SpecContext) {
		seen := 0
		each(ctx, func(_ *loaders.Model, r recorded) {
			if r.Op != "MatMul" || len(r.node.Inputs[1].Tensor.Shape()) != 2 {
				return
			}
			got := ratio(ctx, r.node, added16(r))
			Expect(got.Ratio).To(BeNumerically(">", 1), "%s: %+v", r.Name, got)
			seen++
		})
		Expect(seen).To(BeNumerically(">", 5))
	})

	It("exceed the bound of LayerNormalization: PyTorch's epsilon for BERT's", func(ctx SpecContext) {
		seen := 0
		each(ctx, func(_ *loaders.Model, r recorded) {
			if r.node.Attributes["epsilon"] != "1e-12" {
				return
			}
			right := ratio(ctx, r.node, normalized(r, 1e-12))
			Expect(right.Ratio).To(BeNumerically("<=", 1), "%s: %+v", r.Name, right)
			got := ratio(ctx, r.node, normalized(r, 1e-5))
			Expect(got.Ratio).To(BeNumerically(">", 1), "%s: %+v", r.Name, got)
			seen++
		})
		Expect(seen).To(Equal(5))
	})
})

var _ = DescribeTable("operands of fewer bits in long sums",
	func(ctx SpecContext, bits int, seen, hidden int) {
		judged := func(k, bits int) bound.Ratio {
			random := rand.New(rand.NewPCG(7, uint64(k)))
			const n = 48
			a, b := make([]float32, n*k), make([]float32, n*k)
			terms["random"](random, a, b)
			x, y := float32s(tensor.Shape{n, k}, a), float32s(tensor.Shape{n, k}, b)
			product := node("Gemm", map[string]string{"transB": "1"}, x, y)
			if bits < 24 {
				var err error
				a, err = tensor.Values[float32](kept(x, bits))
				Expect(err).NotTo(HaveOccurred())
				b, err = tensor.Values[float32](kept(y, bits))
				Expect(err).NotTo(HaveOccurred())
			}
			c := make([]float32, n*n)
			for i := range c {
				c[i] = orders["in sixteen lanes"](a[i/n*k:][:k], b[i%n*k:][:k])
			}
			return ratio(ctx, product, float32s(tensor.Shape{n, n}, c))
		}
		Expect(judged(seen, bits).Ratio).To(BeNumerically(">", 1))
		Expect(judged(hidden, bits).Ratio).To(BeNumerically("<", 1), "the docs say up to where")
		for _, k := range []int{seen, hidden, 16384} {
			Expect(judged(k, bits).Usual).To(BeNumerically(">", bound.Unusual))
			Expect(judged(k, 24).Usual).To(BeNumerically("<", 4))
		}
	},
	Entry("exceed the bound in bfloat16 up to 3,000 terms, and are unusual after", 8, 3000, 6000),
	Entry("exceed the bound in TF32 up to 800 terms, and are unusual after", 11, 800, 1600),
)

// added16 multiplies with sums in float16.
func added16(r recorded) *tensor.Tensor {
	x, w := r.node.Inputs[0].Tensor, r.node.Inputs[1].Tensor
	terms, columns := w.Shape()[0], w.Shape()[1]
	return changed(r.output, func(i int, _ float32) float32 {
		row, column := i/columns, i%columns
		s := float16.Float16(0)
		for k := range terms {
			p := float64(x.Float64At(row*terms+k) * w.Float64At(k*columns+column))
			s = float16.Fromfloat32(s.Float32() + float32(p))
		}
		return s.Float32()
	})
}

// normalized normalises in float32 along the last axis.
func normalized(r recorded, epsilon float32) *tensor.Tensor {
	x := r.node.Inputs[0].Tensor
	n := x.Shape()[len(x.Shape())-1]
	return changed(r.output, func(i int, _ float32) float32 {
		var mean, variance float32
		row := i / n * n
		for k := range n {
			mean += float32(x.Float64At(row + k))
		}
		mean /= float32(n)
		for k := range n {
			d := float32(x.Float64At(row+k)) - mean
			variance += float32(d * d)
		}
		y := (float32(x.Float64At(i)) - mean) /
			float32(math.Sqrt(float64(variance/float32(n)+epsilon)))
		return float32(y*float32(r.node.Inputs[1].Tensor.Float64At(i-row))) +
			float32(r.node.Inputs[2].Tensor.Float64At(i-row))
	})
}
