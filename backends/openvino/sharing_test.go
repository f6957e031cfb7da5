package openvino_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharing"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = sharing.Specs(func() { openvino.Require(GinkgoT()) }, sharing.Engines{
	Plain: openvino.Engine(),
	Same: []backends.Engine{openvino.Engine(openvino.Threads(1)),
		openvino.Engine(openvino.Precision(openvino.Float32)), openvino.Engine(openvino.WarmUp(1))},
	Other: []backends.Engine{openvino.Engine(openvino.Threads(2)),
		openvino.Engine(openvino.Precision(openvino.Own)),
		openvino.Engine(openvino.ExecutionMode(openvino.Performance))},
	Alone: []backends.Engine{openvino.Engine(openvino.StaticShapes()),
		openvino.Engine(openvino.Property("PERF_COUNT", "YES"))},
})

var _ = Describe("Sessions of a model that draws numbers", Serial, func() {
	needed()

	It("are made each time", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", onnxtest.Model{Opsets: map[string]int64{"": 19},
			Graph: onnxtest.Graph{Outputs: []onnxtest.Value{io("y", f32, 4)},
				Nodes: []onnxtest.Node{node("RandomUniform", nil, names("y"),
					onnxtest.Attr{Name: "shape", Ints: []int64{4}},
					onnxtest.Attr{Name: "seed", Float: new(float32(7))})}}}.Bytes())
		Expect(sharing.Opens(func() {
			for range 2 {
				_, err := openvino.Run(ctx, m, feed())
				Expect(err).NotTo(HaveOccurred())
			}
		})).To(Equal(2))
	})
})
