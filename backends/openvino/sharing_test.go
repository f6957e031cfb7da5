package openvino_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("Sessions of a model that draws numbers", Serial, func() {
	needed()

	It("are made each time", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", onnxtest.Model{Opsets: map[string]int64{"": 19},
			Graph: onnxtest.Graph{Outputs: []onnxtest.Value{io("y", f32, 4)},
				Nodes: []onnxtest.Node{node("RandomUniform", nil, names("y"),
					onnxtest.Attr{Name: "shape", Ints: []int64{4}},
					onnxtest.Attr{Name: "seed", Float: new(float32(7))})}}}.Bytes())
		before := sessions.Shared.Stats().Made
		for range 2 {
			_, err := openvino.Run(ctx, m, feed())
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(sessions.Shared.Stats().Made - before).To(Equal(2))
	})
})
