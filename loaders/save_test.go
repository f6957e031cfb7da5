package loaders_test

import (
	"fmt"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("saving", func() {
	var model *loaders.Model

	put := func(name string, data []byte) {
		GinkgoHelper()
		Expect(os.WriteFile(filepath.Join(model.Dir(), name), data, 0o600)).To(Succeed())
	}
	// elsewhere is a path in another folder than the model's.
	elsewhere := func() string { return filepath.Join(GinkgoT().TempDir(), "saved.onnx") }

	BeforeEach(func() {
		model = write(onnxtest.Scattered().Bytes())
		put("w.bin", []byte("....wwwwwwww...."))
		put("k.bin", []byte("kkk"))
	})

	It("refers to external data as before in the model's own folder", func() {
		marked, err := model.Mark("a")
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(model.Dir(), "marked.onnx")
		Expect(marked.Save(path)).To(Succeed())
		want, err := marked.Bytes()
		Expect(err).NotTo(HaveOccurred())
		Expect(os.ReadFile(path)).To(Equal(want))
		Expect(loaders.ONNX(path).ExternalData()).To(HaveLen(2))
	})

	It("moves external data into a file saved in another folder, in bodies too", func() {
		path := elsewhere()
		Expect(model.Save(path)).To(Succeed())
		saved := loaders.ONNX(path)
		Expect(saved.ExternalData()).To(BeEmpty())
		m := onnxtest.Scattered()
		inside := func(t *onnxtest.Tensor, raw string) {
			t.Location, t.Offset, t.Length, t.Raw = "", "", "", []byte(raw)
		}
		inside(&m.Graph.Initializers[0], "wwwwwwww")
		inside(&m.Graph.Initializers[1], "wwwwwwww")
		inside(m.Graph.Nodes[4].Attrs[0].Graph.Nodes[1].Attrs[0].Tensor, "kkk")
		Expect(saved.Bytes()).To(Equal(m.Bytes()))
	})

	It("takes only what a part needs", func() {
		part, err := model.Cut([]loaders.Value{given("a")}, named("b"))
		Expect(err).NotTo(HaveOccurred())
		path := elsewhere()
		Expect(part.Save(path)).To(Succeed())
		Expect(os.ReadFile(path)).To(And(ContainSubstring("wwwwwwww"), Not(ContainSubstring("kkk"))))
	})

	It("writes large external data next to the file, and shared data once", func() {
		m := onnxtest.Scattered()
		const size = 65 << 20
		for i := range m.Graph.Initializers {
			m.Graph.Initializers[i].Dims = []int64{size / 4}
			m.Graph.Initializers[i].Length = fmt.Sprint(size)
		}
		model = write(m.Bytes())
		put("w.bin", []byte("....wwwwwwww...."))
		put("k.bin", []byte("kkk"))
		Expect(os.Truncate(filepath.Join(model.Dir(), "w.bin"), 4+size)).To(Succeed())
		path := elsewhere()
		Expect(model.Save(path)).To(Succeed())
		saved := loaders.ONNX(path)
		Expect(saved.ExternalData()).To(Equal([]string{path + ".data"}))
		data, err := os.ReadFile(path + ".data")
		Expect(err).NotTo(HaveOccurred())
		Expect(len(data)).To(Equal(size)) //nolint:ginkgolinter // HaveLen would print 65 MB
		Expect(string(data[:8])).To(Equal("wwwwwwww"))
		was, err := model.Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(saved.Nodes()).To(Equal(was))
	})

	It("refuses what it cannot write, and leaves nothing behind", func() {
		path := elsewhere()
		Expect(loaders.ONNXBytes("m", onnxtest.Scattered().Bytes()).Save(path)).
			To(MatchError(ContainSubstring(`external data "k.bin" is in a file, but the model has no ` +
				`folder`)))
		Expect(model.Load()).To(Succeed())
		put("w.bin", []byte("....ww"))
		Expect(model.Save(path)).To(MatchError(ContainSubstring(
			"w.bin has 6 bytes, too few to read 8 bytes at offset 4")))
		Expect(os.ReadDir(filepath.Dir(path))).To(BeEmpty())
		Expect(loaders.ONNXBytes("add", add().Bytes()).Save(filepath.Join(path, "m.onnx"))).
			To(MatchError(ContainSubstring("loaders: model add: save to ")))
	})
})
