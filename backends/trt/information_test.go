package trt_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
)

var _ = Describe("an engine's description", func() {
	info := trt.Information{TensorRT: "10.6.2.7", Layers: 2, Profiles: 1, AuxStreams: 3,
		DeviceMemory: 512, StreamableWeight: 64,
		Tensors: []trt.TensorInfo{
			{Name: "x", Input: true, Type: "float32", Shape: []int{-1}, Format: "Row-major",
				Profiles: [][][]int{{{1}, {2}, {8}}}},
			{Name: "y", Type: "float16", Shape: []int{2, 3}, Format: "CHW32"},
		}}
	const head = "engine of TensorRT 10.6.2.7: 2 layers, 1 optimization profiles, 3 auxiliary " +
		"streams\n" +
		"its weights are fixed; an inference takes 512 bytes on the GPU; 64 bytes of weights can be " +
		"streamed\n" +
		"  input  x float32[-1]  Row-major\n" +
		"         profile 0  min [1]  opt [2]  max [8]\n" +
		"  output y float16[2,3]  CHW32\n"

	DescribeTable("is a text, with the inspector's layers if asked", func(inspector, layers string) {
		info.Inspector = json.RawMessage(inspector)
		Expect(info.Text(false)).To(Equal(head))
		Expect(info.Text(true)).To(Equal(head + layers))
	},
		Entry("names", `{"Layers": ["relu", "add"]}`, "  layer 0    relu\n  layer 1    add\n"),
		Entry("tactics", `{"Layers": [{"Name": "relu", "LayerType": "PointWise", "TacticName": "t7"}]}`,
			"  layer 0    relu  PointWise  t7\n"),
		Entry("half of it", `{"Layers": [{"Name": "relu"}]}`, "  layer 0    relu\n"),
		Entry("something else", `[1]`, ""), Entry("nothing", ``, ""),
	)

	It("says that weights can be refitted", func() {
		Expect(trt.Information{Refittable: true}.Text(false)).To(
			ContainSubstring("its weights can be refitted; "))
	})
})
