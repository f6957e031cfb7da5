package openvino_test

import (
	"encoding/binary"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A model's file", func() {
	needed()

	external := func(folder string) *loaders.Model {
		GinkgoHelper()
		w := onnxtest.Tensor{Name: "w", Type: f32, Dims: []int64{4}, Location: "w.bin", Offset: "4",
			Length: "16"}
		Expect(os.WriteFile(filepath.Join(folder, "w.bin"), onnxtest.Float32s(9, 1, 2, 3, 4),
			0o600)).To(Succeed())
		m := onnxtest.Model{Graph: onnxtest.Graph{Inputs: []onnxtest.Value{io("x", f32, 4)},
			Outputs: []onnxtest.Value{io("y", f32, 4)}, Initializers: []onnxtest.Tensor{w},
			Nodes: []onnxtest.Node{node("Mul", names("x", "w"), names("m")),
				node("Neg", names("m"), names("y"))}}}
		path := filepath.Join(folder, "external.onnx")
		Expect(os.WriteFile(path, m.Bytes(), 0o600)).To(Succeed())
		return loaders.ONNX(path)
	}

	It("reads weights from a file next to the model, also for a marked model", func(ctx SpecContext) {
		m := external(GinkgoT().TempDir())
		inputs := x(tensor.Of[float32](1, 1, 1, 2))
		Expect(values(run(ctx, m, inputs))).To(ConsistOf("y: float32[4] [-1 -2 -3 -8]"))
		marked, err := m.Mark("m")
		Expect(err).NotTo(HaveOccurred())
		Expect(values(run(ctx, marked, inputs))).To(ConsistOf(
			"y: float32[4] [-1 -2 -3 -8]", "m: float32[4] [1 2 3 8]"))
	})

	It("lets OpenVINO read a file that is large", func(ctx SpecContext) {
		small := onnxtest.Model{Graph: onnxtest.Graph{Inputs: []onnxtest.Value{io("x", f32, 1)},
			Outputs: []onnxtest.Value{io("y", f32, 1)},
			Nodes:   []onnxtest.Node{node("Neg", names("x"), names("y"))}}}.Bytes()
		// Field 6 of a model is its documentation, which pads the file.
		large := binary.AppendUvarint(append(small, 6<<3|2), 66<<20)
		path := filepath.Join(GinkgoT().TempDir(), "large.onnx")
		Expect(os.WriteFile(path, append(large, make([]byte, 66<<20)...), 0o600)).To(Succeed())
		Expect(values(run(ctx, loaders.ONNX(path), x(tensor.Of[float32](4))))).To(ConsistOf(
			"y: float32[1] [-4]"))
	})
})
