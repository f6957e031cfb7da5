package locate_test

import (
	"context"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// OpenVINO fuses nodes in bfloat16, so that a tensor may differ from what its node computes from
// the tensors that were read.
var _ = DescribeTable("An engine that computes in bfloat16",
	func(ctx SpecContext, path, faulty string) {
		ort.Require(GinkgoT())
		openvino.Require(GinkgoT())
		folder := filepath.Join("../conformance/field/testdata", filepath.Dir(path))
		model := loaders.ONNX(unpacked(filepath.Join(folder, filepath.Base(path)+".onnx.gz"),
			GinkgoT().TempDir()))
		inputs := fixtures.Load(filepath.Join(folder, "inputs.npz"))
		coarse := openvino.Engine(openvino.Precision(openvino.BFloat16))
		// A fault in its kernel of one node changes the result by a tenth.
		kernels := func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
			backends.Backend, error) {
			m, err := edit.Nodes(m, func(n loaders.Node) (edit.NodeEdit, error) {
				if n.Name != faulty || faulty == "" {
					return edit.NodeEdit{}, nil
				}
				out := n.Outputs[0]
				return edit.NodeEdit{Outputs: map[string]string{out: out + "/right"},
					After: []edit.NewNode{
						{Op: "Constant", Value: tensor.Scalar[float32](1.1), Outputs: []string{out + "/off"}},
						{Op: "Mul", Inputs: []string{out + "/right", out + "/off"}, Outputs: []string{out}},
					}}, nil
			})
			if err != nil {
				return nil, err
			}
			return coarse.Open(ctx, m, in)
		}
		expected := backends.Subject{Engine: coarse, Model: model, Inputs: inputs}
		found, err := locate.Divergence(ctx,
			backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs},
			by(expected, kernels), strict())
		Expect(err).NotTo(HaveOccurred())
		if faulty != "" {
			Expect(found.Isolated).To(HaveField("Node", faulty), found.Text())
			return
		}
		first := found.First.Tensor
		if first == "image_DequantizeLinear_Output" { // cannot run alone: OpenVINO hides its input
			first = "/relu/Relu_output_0"
		}
		Expect(found.Isolated.Tensor).To(Equal(first), found.Text())
		Expect(found.Rounding.Text).To(ContainSubstring("at most what rounding to bfloat16 allows"))
	},
	Entry("is not blamed for rounding: a ViT", "vit/torchscript", ""),
	Entry("is not blamed for rounding: a BERT", "bert/dynamo", ""),
	Entry("is not blamed for rounding: a ResNet", "resnet/torchscript", ""),
	Entry("is not blamed for rounding: a quantized ResNet", "resnet/torchscript_qdq", ""),
	Entry("is blamed for a kernel: a ViT", "vit/torchscript",
		"/encoder/layers/encoder_layer_0/self_attention/MatMul_1"),
	Entry("is blamed for a kernel: a ResNet", "resnet/torchscript", "/layer1/layer1.0/Add"),
	Entry("is blamed for a kernel: a quantized ResNet", "resnet/torchscript_qdq",
		"/layer2/layer2.1/conv2/Conv_output_0_DequantizeLinear"),
)
