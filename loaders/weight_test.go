package loaders_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("a weight", func() {
	It("is read from the model", func() {
		Expect(loaders.ONNXBytes("add", add().Bytes()).Weight("w")).To(Equal(tensor.Of[float32](1, 2)))
	})

	It("is read from external data", func() {
		model := write(external("w.bin", "4", ""))
		path := filepath.Join(model.Dir(), "w.bin")
		data := append([]byte("...."), onnxtest.Float32s(3, 4)...)
		Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
		Expect(model.Weight("w")).To(Equal(tensor.Of[float32](3, 4)))
		Expect(os.Truncate(path, 8)).To(Succeed())
		_, err := model.Weight("w")
		Expect(err).To(MatchError(ContainSubstring(`initializer "w": `)))
		Expect(err).To(MatchError(ContainSubstring("has 8 bytes, too few to read 8 bytes at offset 4")))
	})

	It("is the last of several with the same name", func() {
		m := onnxtest.Chain()
		m.Graph.Initializers = append(m.Graph.Initializers, onnxtest.Tensor{Name: "w", Type: 1,
			Dims: []int64{1, 2}, Raw: onnxtest.Float32s(3, 4)})
		weight, err := loaders.ONNXBytes("twice", m.Bytes()).Weight("w")
		Expect(err).NotTo(HaveOccurred())
		Expect(weight.GomegaString()).To(Equal("float32[1,2] [3 4]"))
	})

	It("is refused where it is sparse", func() {
		values := onnxtest.Tensor{Name: "s", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(2)}
		sparse := onnxtest.Varint(onnxtest.Message(nil, 1, values.Bytes()), 3, 9)
		sparse = onnxtest.Message(nil, 15, sparse)
		model := loaders.ONNXBytes("m", onnxtest.Message(add().Bytes(), 7, sparse))
		_, err := model.Weight("s")
		Expect(err).To(MatchError(`loaders: model m: initializer "s": it is sparse`))
	})

	It("is refused where there is none", func() {
		_, err := loaders.ONNXBytes("add", add().Bytes()).Weight("v")
		Expect(err).To(MatchError(`loaders: model add: no initializer "v"`))
		_, err = loaders.ONNXBytes("add", external("w.bin", "", "")).Weight("w")
		Expect(err).To(MatchError(ContainSubstring("but the model has no folder")))
	})
})
