package loaders_test

import (
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("external data", func() {
	var model *loaders.Model
	var folder string
	BeforeEach(func() {
		model = write(onnxtest.Scattered().Bytes())
		folder = GinkgoT().TempDir()
		for name, data := range map[string]string{"w.bin": "....wwwwwwww....", "k.bin": "kkk"} {
			Expect(os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600)).To(Succeed())
		}
	})

	It("is read from another folder, which it may not leave", func() {
		apart := loaders.ONNXWithData(model.Path(), folder)
		want := must(tensor.FromBytes(tensor.Float32, tensor.Shape{2}, []byte("wwwwwwww")))
		Expect(apart.Weight("w")).To(Equal(want))
		saved := filepath.Join(GinkgoT().TempDir(), "saved.onnx")
		Expect(apart.Save(saved)).To(Succeed())
		Expect(loaders.ONNX(saved).Weight("w")).To(Equal(want))
		Expect(model.Load()).To(MatchError(ContainSubstring("is missing"))) // not in the model's folder

		Expect(os.Remove(filepath.Join(folder, "k.bin"))).To(Succeed())
		Expect(os.Symlink("/etc/hostname", filepath.Join(folder, "k.bin"))).To(Succeed())
		Expect(loaders.ONNXWithData(model.Path(), folder).Load()).To(
			MatchError(ContainSubstring("is a link out of the model's folder")))
		Expect(loaders.ONNXWithData(model.Path(), filepath.Join(folder, "none")).Load()).To(
			MatchError(ContainSubstring("the folder of external data")))
	})

	It("is not written through a link out of the saved model's folder", func() {
		m := onnxtest.Scattered()
		m.Graph.Initializers[0].Dims = []int64{1, 2} // a vector would stay in the model
		apart := loaders.ONNXWithData(write(m.Bytes()).Path(), folder)
		victims := GinkgoT().TempDir()
		victim := filepath.Join(victims, "victim")
		Expect(os.WriteFile(victim, []byte("as it was"), 0o600)).To(Succeed())
		to := GinkgoT().TempDir()
		saved := filepath.Join(to, "saved.onnx")
		for name, target := range map[string]string{"saved.onnx.data": victim, "w.bin": "v.bin",
			"v.bin": victim, "each.1": victim, "sub": victims, "new.bin": filepath.Join(victims, "new")} {
			Expect(os.Symlink(target, filepath.Join(to, name))).To(Succeed())
		}
		for _, o := range []loaders.External{{}, {File: "w.bin"}, {File: "sub/victim"}, {File: "new.bin"},
			{File: "each", Each: true}} {
			o.Threshold = 1
			_, err := apart.SaveExternal(saved, o)
			Expect(err).To(MatchError(ContainSubstring("a link leads out of the folder")), "%+v", o)
			Expect(saved).NotTo(BeAnExistingFile())
		}
		Expect(os.ReadFile(victim)).To(BeEquivalentTo("as it was"))
		Expect(os.ReadDir(victims)).To(HaveLen(1))
	})

	It("is ignored if only the structure matters, and references to it are kept", func() {
		structure := loaders.ONNXStructure(model.Path())
		Expect(structure.Load()).To(Succeed())
		marked, err := structure.Mark("a")
		Expect(err).NotTo(HaveOccurred())
		saved := filepath.Join(folder, "saved.onnx")
		Expect(marked.Save(saved)).To(Succeed())
		Expect(loaders.ONNX(saved).ExternalData()).To(HaveLen(2))
		_, err = structure.SaveExternal(saved, loaders.External{})
		Expect(err).To(MatchError(ContainSubstring("the model was opened without its external data")))
	})

	It("is never an empty file, even for empty weights", func() {
		empty := loaders.ONNXBytes("empty.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Initializers: []onnxtest.Tensor{{Name: "none", Type: 1, Dims: []int64{0}}}}}.Bytes())
		to := filepath.Join(GinkgoT().TempDir(), "saved.onnx")
		for _, o := range []loaders.External{{Threshold: 1}, {Threshold: -1},
			{Threshold: -1, Each: true}} {
			Expect(empty.SaveExternal(to, o)).To(Equal([]string{to}))
			Expect(os.ReadDir(filepath.Dir(to))).To(HaveLen(1))
			Expect(loaders.ONNX(to).ExternalData()).To(BeEmpty())
		}
	})

	It("is written next to the model, for weights of a minimum size", func() {
		m := onnxtest.Scattered()
		m.Graph.Initializers[1].Offset = "0" // otherwise both weights would share their data
		for i := range m.Graph.Initializers {
			m.Graph.Initializers[i].Dims = []int64{1, 2} // small vectors stay in the model
		}
		apart := loaders.ONNXWithData(write(m.Bytes()).Path(), folder)
		to := filepath.Join(GinkgoT().TempDir(), "saved.onnx")
		Expect(apart.SaveExternal(to, loaders.External{Threshold: 8})).To(
			Equal([]string{to, to + ".data"}))
		saved := loaders.ONNX(to)
		Expect(saved.ExternalData()).To(Equal([]string{to + ".data"}))
		Expect(saved.Initializers()).To(HaveEach(HaveField("External", true)))
		Expect(saved.Weight("w")).To(Equal(must(apart.Weight("w"))))
		data, err := os.ReadFile(to + ".data")
		Expect(err).NotTo(HaveOccurred())
		Expect(data).To(HaveLen(4096 + 8)) // pages, so that it can be mapped
		small := filepath.Join(GinkgoT().TempDir(), "small.onnx")
		Expect(saved.SaveExternal(small, loaders.External{})).To(Equal([]string{small}))
		Expect(loaders.ONNX(small).ExternalData()).To(BeEmpty()) // nothing has 1024 bytes
		Expect(small + ".data").NotTo(BeAnExistingFile())

		all := filepath.Join(GinkgoT().TempDir(), "all.onnx")
		Expect(saved.SaveExternal(all, loaders.External{File: "d", Threshold: 1, Each: true})).To(
			Equal([]string{all, filepath.Join(filepath.Dir(all), "d.1"),
				filepath.Join(filepath.Dir(all), "d.2")}))
		Expect(loaders.ONNX(all).Weight("twin")).To(Equal(must(apart.Weight("twin"))))
	})

	It("holds no shape, which engines must find in the model", func() {
		python := pythontest.With(GinkgoT(), "onnx", "onnxruntime", "numpy")
		value := func(name string) []onnxtest.Value {
			return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{2, 3}}}
		}
		m := onnxtest.Model{IR: 8, Opsets: map[string]int64{"": 17}, Graph: onnxtest.Graph{Name: "g",
			Nodes: []onnxtest.Node{{Op: "Reshape", In: []string{"x", "shape"}, Out: []string{"r"}},
				{Op: "Add", In: []string{"r", "w"}, Out: []string{"y"}}},
			Initializers: []onnxtest.Tensor{
				{Name: "shape", Type: 7, Dims: []int64{2}, Raw: []byte("\x02\x00\x00\x00\x00\x00\x00\x00" +
					"\x03\x00\x00\x00\x00\x00\x00\x00")},
				{Name: "w", Type: 1, Dims: []int64{1, 3}, Raw: onnxtest.Float32s(1, 2, 3)}},
			Inputs: value("x"), Outputs: value("y")}}
		original := write(m.Bytes())
		to := filepath.Join(GinkgoT().TempDir(), "one.onnx")
		Expect(original.SaveExternal(to, loaders.External{Threshold: 1})).To(HaveLen(2))
		again := filepath.Join(GinkgoT().TempDir(), "each.onnx")
		Expect(loaders.ONNX(to).SaveExternal(again, loaders.External{Threshold: 1, Each: true})).To(
			HaveLen(2))
		out, err := exec.Command(python, "testdata/same.py", original.Path(), to, again).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
	})

	DescribeTable("refuses to write", func(file, want string) {
		apart := loaders.ONNXWithData(model.Path(), folder)
		_, err := apart.SaveExternal(filepath.Join(folder, "saved.onnx"), loaders.External{File: file})
		Expect(err).To(MatchError(ContainSubstring(want)))
		Expect(filepath.Join(folder, "saved.onnx")).NotTo(BeAnExistingFile())
		Expect(os.ReadFile(filepath.Join(folder, "w.bin"))).To(Equal([]byte("....wwwwwwww....")))
	},
		Entry("out of the folder", "../w", "is outside it"),
		Entry("an absolute path", "/tmp/w", "is outside it"),
		Entry("the model itself", "saved.onnx", "is the model itself"),
		Entry("what the model reads", "./w.bin", "choose a different data file"))

	It("can be read by ONNX's checker and ONNX Runtime", func() {
		python := pythontest.With(GinkgoT(), "onnx", "onnxruntime", "numpy")
		m := onnxtest.Chain()
		m.Graph.Initializers = m.Graph.Initializers[:1]
		m.Graph.Initializers[0].Dims = []int64{1, 2} // small vectors stay in the model
		m.Graph.Outputs[2].Dims = []any{"batch", 2}  // which the checker wants
		m.Graph.Nodes[4].Attrs[0].Graph.Initializers = []onnxtest.Tensor{
			{Name: "inner weight", Type: 1, Dims: []int64{1, 2}, Raw: onnxtest.Float32s(3, 4)}}
		original := write(m.Bytes())
		to := filepath.Join(GinkgoT().TempDir(), "one.onnx")
		each := filepath.Join(GinkgoT().TempDir(), "each.onnx")
		Expect(original.SaveExternal(to, loaders.External{Threshold: 1})).To(HaveLen(2))
		Expect(original.SaveExternal(each, loaders.External{Threshold: 1, Each: true})).To(HaveLen(4))
		out, err := exec.Command(python, "testdata/same.py", original.Path(), to, each).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		Expect(string(out)).To(ContainSubstring("held 2 models of 3 outputs"))
	})
})
