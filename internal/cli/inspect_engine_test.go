package cli

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("an engine's description", func() {
	info := trt.Information{TensorRT: "10.6.2.7", Layers: 2, Profiles: 1, AuxStreams: 3,
		DeviceMemory: 512, StreamableWeight: 64,
		Tensors: []trt.TensorInfo{
			{Name: "x", Input: true, Type: "float32", Shape: []int{-1}, Format: "Row-major",
				Profiles: [][][]int{{{1}, {2}, {8}}}},
			{Name: "y", Type: "float16", Shape: []int{2, 3}, Format: "CHW32"},
		}}
	const head = "engine of TensorRT 10.6.2.7: 2 layers, 1 optimization profile, 3 auxiliary " +
		"streams\n" +
		"its weights cannot be replaced; an inference takes 512 bytes on the GPU; 64 bytes of weights " +
		"can be streamed\n" +
		"  input  x float32[-1]  Row-major\n" +
		"         profile 0  min [1]  opt [2]  max [8]\n" +
		"  output y float16[2,3]  CHW32\n"

	DescribeTable("is a text, with the inspector's layers if asked", func(inspector, layers string) {
		info.Inspector = json.RawMessage(inspector)
		Expect(engineText(info, false)).To(Equal(head))
		Expect(engineText(info, true)).To(Equal(head + layers))
	},
		Entry("names", `{"Layers": ["relu", "add"]}`, "  layer 0    relu\n  layer 1    add\n"),
		Entry("tactics", `{"Layers": [{"Name": "relu", "LayerType": "PointWise", "TacticName": "t7"}]}`,
			"  layer 0    relu  PointWise  t7\n"),
		Entry("half of it", `{"Layers": [{"Name": "relu"}]}`, "  layer 0    relu\n"),
		Entry("something else", `[1]`, ""), Entry("nothing", ``, ""),
	)

	It("says that weights can be refitted", func() {
		Expect(engineText(trt.Information{Refittable: true}, false)).To(
			ContainSubstring("its weights can be replaced; "))
	})
})

var _ = Describe("a description by OpenVINO", func() {
	It("is a text", func() {
		of := func(name string, size int) []loaders.Value {
			return []loaders.Value{{Name: name, Type: tensor.Float32, TypeName: "tensor(float32)",
				HasShape: true, Dims: []loaders.Dim{{Size: -1}, {Size: size}}}}
		}
		Expect(foreignText(openvino.Description{Name: "layer.xml", Format: "OpenVINO's IR",
			SHA256: "0123456789abcdef", Version: "2025.0", Inputs: of("x", 4), Outputs: of("y", 3)})).To(
			Equal("layer.xml: OpenVINO's IR, read by OpenVINO 2025.0, sha256 0123456789ab\ninputs:\n" +
				"  x tensor(float32)[?,4]\noutputs:\n  y tensor(float32)[?,3]\n"))
	})
})
