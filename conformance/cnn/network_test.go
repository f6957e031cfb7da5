package cnn_test

import (
	"crypto/sha256"
	"fmt"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A network", func() {
	It("is unchanged after parsing and encoding", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		network, err := overflowing().Network()
		Expect(err).NotTo(HaveOccurred())
		before := loaders.ONNXBytes("before", overflowing().Data)
		inputs := fixtures.Random(before, fixtures.Seed(1))
		Expect(ort.Run(ctx, whole(network), inputs)).To(
			matchers.MatchOutputs().Of(ort.Run(ctx, before, inputs)))
	})

	DescribeTable("knows its depth and its logits", func(name string, depth int, logits string) {
		network := sown(name)
		Expect(network.Depth()).To(Equal(depth))
		Expect(network.Logits()).To(Equal(logits))
	},
		Entry("squeezenet, whose expansions stand side by side", "squeezenet", 18, "r65"),
		Entry("resnet50, whose shortcuts count less than its branches", "resnet50", 50, "r174"),
		Entry("densenet121, which has no softmax", "densenet121", 121, "fc6_1"),
	)

	It("has the same weights each time", func() {
		first, err := sown("squeezenet").Model()
		Expect(err).NotTo(HaveOccurred())
		again, err := sown("squeezenet").Model()
		Expect(err).NotTo(HaveOccurred())
		Expect(sha256.Sum256(again)).To(Equal(sha256.Sum256(first)))
	})

	DescribeTable("returns logits for each of several images", func(ctx SpecContext, name string) {
		ort.Require(GinkgoT())
		const images, size, classes = 3, 3 * 224 * 224, 1000
		one := sown(name)
		several := one.Clone()
		Expect(several.Batch(images)).To(Succeed())
		model := upToLogits(several)
		batch := fixtures.Random(model, fixtures.Seed(3), fixtures.ValRange(-1, 1))
		together, err := ort.Run(ctx, model, batch)
		Expect(err).NotTo(HaveOccurred())
		logits := floats(together.Outputs()[0])
		Expect(logits).To(HaveLen(images * classes))
		for set, err := range batch.All() {
			Expect(err).NotTo(HaveOccurred())
			for i := range images {
				pixels, err := tensor.New(tensor.Shape{1, 3, 224, 224},
					floats(set)[i*size:(i+1)*size])
				Expect(err).NotTo(HaveOccurred())
				input, err := tensor.NewSet(tensor.Entry{Name: set.At(0).Name, Tensor: pixels})
				Expect(err).NotTo(HaveOccurred())
				alone, err := ort.Run(ctx, upToLogits(one), fixtures.Of(input))
				Expect(err).NotTo(HaveOccurred())
				row := tensor.Of(logits[i*classes : (i+1)*classes]...)
				Expect(row).To(matchers.MatchOutputs(norm(apart).Compare.Checks...).
					Of(tensor.Of(floats(alone.Outputs()[0])...)))
			}
		}
	}, Entry(nil, long, "shufflenet"), Entry(nil, long, "resnet50"))

	It("keeps its batch if it cannot be changed", func() {
		const float = 1
		network, err := cnn.Topology{Name: "pair", Data: onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Relu", In: []string{"x"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{2, 3}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{2, 3}}},
		}}.Bytes()}.Network()
		Expect(err).NotTo(HaveOccurred())
		Expect(network.Batch(4)).To(MatchError("x has no leading dimension of 1"))
	})

	It("can only be quantized with ranges for all tensors", func() {
		network, err := overflowing().Network()
		Expect(err).NotTo(HaveOccurred())
		_, err = network.Quantized(map[string]float64{"edges": 1, "features": 1, "restored": 1})
		Expect(err).To(MatchError("no magnitude was measured for tensor scaled"))
	})

	It("of another name is not in the wheel", func() {
		_, err := cnn.Read(os.DevNull, "lenet")
		Expect(err).To(MatchError(ContainSubstring(
			fmt.Sprintf(`unknown network "lenet"; the networks are %q`, cnn.Names()))))
	})
})

// floats returns the values of a set's only tensor.
func floats(set *tensor.Set) []float32 {
	GinkgoHelper()
	Expect(set.Len()).To(Equal(1))
	values, err := tensor.Values[float32](set.At(0).Tensor)
	Expect(err).NotTo(HaveOccurred())
	return values
}
