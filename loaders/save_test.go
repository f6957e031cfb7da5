package loaders_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("saving", func() {
	// external is add's model with its weights in another file, behind eight bytes of others'.
	external := func() (model *loaders.Model, folder string) {
		folder = GinkgoT().TempDir()
		m := add()
		m.Graph.Initializers[0].Raw = nil
		m.Graph.Initializers[0].Location = "weights.bin"
		m.Graph.Initializers[0].Offset, m.Graph.Initializers[0].Length = "8", "8"
		Expect(os.WriteFile(filepath.Join(folder, "weights.bin"),
			append(make([]byte, 8), onnxtest.Float32s(1, 2)...), 0o600)).To(Succeed())
		path := filepath.Join(folder, "model.onnx")
		Expect(os.WriteFile(path, m.Bytes(), 0o600)).To(Succeed())
		return loaders.ONNX(path), folder
	}

	It("takes external data into the file in another folder", func() {
		model, _ := external()
		path := filepath.Join(GinkgoT().TempDir(), "alone.onnx")
		Expect(model.Save(path)).To(Succeed())
		saved := loaders.ONNX(path)
		Expect(saved.ExternalData()).To(BeEmpty())
		Expect(saved.Bytes()).To(ContainSubstring(string(onnxtest.Float32s(1, 2))))
		_, outputs := ends(saved)
		Expect(outputs).To(Equal([]string{"y tensor(float)[batch,2]"}))
	})

	It("leaves external data where it is in the same folder", func() {
		model, folder := external()
		path := filepath.Join(folder, "copy.onnx")
		Expect(model.Save(path)).To(Succeed())
		Expect(loaders.ONNX(path).ExternalData()).To(HaveLen(1))
		original, err := model.Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(os.ReadFile(path)).To(Equal(original))
	})

	It("leaves nothing behind where it fails", func() {
		path := filepath.Join(GinkgoT().TempDir(), "missing", "model.onnx")
		Expect(loaders.ONNXBytes("add", add().Bytes()).Save(path)).To(MatchError(
			ContainSubstring("loaders: model add: save to " + path)))
	})
})
