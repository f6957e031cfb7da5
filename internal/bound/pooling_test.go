package bound_test

import (
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("pools", func() {
	pool := func(op string, attributes ...onnxtest.Attr) *loaders.Model {
		return loaders.ONNXBytes("pool.onnx", onnxtest.Model{Opsets: map[string]int64{"": 19},
			Graph: onnxtest.Graph{
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2, 3, 11, 8}}},
				Outputs: []onnxtest.Value{{Name: "y", Elem: 1}},
				Nodes: []onnxtest.Node{{Op: op, In: []string{"x"}, Out: []string{"y"},
					Attrs: append(attributes, onnxtest.Attr{Name: "kernel_shape", Ints: []int64{3, 2}})}},
			}}.Bytes())
	}
	pads := onnxtest.Attr{Name: "pads", Ints: []int64{1, 0, 2, 1}}
	strides := onnxtest.Attr{Name: "strides", Ints: []int64{2, 1}}

	for what, m := range map[string]*loaders.Model{
		"the largest": pool("MaxPool"), "the mean": pool("AveragePool"),
		"the largest, strided and padded": pool("MaxPool", pads, strides),
		"the largest, dilated": pool("MaxPool",
			onnxtest.Attr{Name: "dilations", Ints: []int64{2, 3}}),
		"the mean, strided and padded": pool("AveragePool", pads, strides),
		"the mean of the padding, too": pool("AveragePool", pads, strides,
			onnxtest.Attr{Name: "count_include_pad", Int: new(int64(1))}),
	} {
		for name, engine := range engines {
			It("stay within the bound, and faults do not: "+what+" in "+name, func(ctx SpecContext) {
				requires(name)
				run, err := backends.RunIn(ctx, engine, m, fixtures.Random(m))
				Expect(err).NotTo(HaveOccurred())
				drawn, err := run.Subject().Draw()
				Expect(err).NotTo(HaveOccurred())
				node, err := bound.Read(m, 0)
				Expect(err).NotTo(HaveOccurred())
				node.Inputs = []bound.Input{{Tensor: drawn[0].At(0).Tensor}}
				judge := func(a bound.Arithmetic, output *tensor.Tensor) float64 {
					r, err := bound.Judge(ctx, node, a, output, nil)
					Expect(err).NotTo(HaveOccurred())
					return r.Ratio
				}
				right := run.Outputs()[0].At(0).Tensor
				Expect(judge(bound.Arithmetic{}, right)).To(BeNumerically("<=", 1))
				Expect(judge(bound.BFloat16, kept(right, 8))).To(BeNumerically("<=", 1))
				Expect(judge(bound.Arithmetic{}, kept(right, 8))).To(BeNumerically(">", 1))
				at := rand.New(rand.NewPCG(1, 1)).IntN(right.Len())
				wrong := changed(right, func(i int, v float32) float32 {
					if i == at {
						return v + 0.05
					}
					return v
				})
				Expect(judge(bound.BFloat16, wrong)).To(BeNumerically(">", 1))
			})
		}
	}
})
