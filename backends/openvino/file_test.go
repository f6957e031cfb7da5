package openvino_test

import (
	"encoding/json"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// sum is the checksum of a model's files.
func sum(path string) (string, error) {
	return openvino.File(path).(interface{ SHA256() (string, error) }).SHA256()
}

// The files are those that testdata/models.py makes.
var _ = Describe("A file in another format", func() {
	needed()

	DescribeTable("runs, and declares what inputs are made of",
		func(ctx SpecContext, name string, in, out, text string) {
			m := openvino.File("testdata/" + name)
			Expect(m.Name()).To(Equal(name))
			inputs, err := m.Inputs()
			Expect(err).NotTo(HaveOccurred())
			Expect(inputs).To(HaveLen(1))
			Expect(inputs[0].String()).To(Equal(in + " tensor(float32)" + text))
			outputs, err := m.(interface {
				Outputs() ([]loaders.Value, error)
			}).Outputs()
			Expect(err).NotTo(HaveOccurred())
			Expect(outputs).To(HaveLen(1))
			Expect(outputs[0].Name).To(Equal(out))
			sent := feed(tensor.Entry{Name: in, Tensor: tensor.Of[float32](-1, 0, 2)})
			Expect(values(run(ctx, m, sent))).To(ConsistOf(out + ": float32[3] [0 0 2]"))
			random := fixtures.Random(m, fixtures.Shape(in, 3))
			result, err := openvino.Run(ctx, m, random)
			Expect(err).NotTo(HaveOccurred())
			Expect(result.Provenance.Model).To(Equal(name))
			Expect(result.Provenance.ModelSHA256).To(HaveLen(64))
			Expect(result.Subject().Model).To(BeIdenticalTo(m))
		},
		Entry("of TensorFlow", "relu.pb", "x:0", "y:0", "[?]"),
		Entry("of TensorFlow Lite", "relu.tflite", "x", "y", "[3]"),
		Entry("of PaddlePaddle", "relu.pdmodel", "x", "y", "[?]"),
	)

	It("of OpenVINO's own gives what the ONNX model gives that it was made of, bit for bit",
		func(ctx SpecContext) {
			onnx := loaders.ONNX("testdata/layer.onnx")
			inputs := fixtures.Random(onnx, fixtures.Shape("x", 5, 4), fixtures.Iterations(3),
				fixtures.ValRange(-2.0, 2.0))
			expected, err := openvino.Run(ctx, onnx, inputs)
			Expect(err).NotTo(HaveOccurred())
			actual, err := openvino.Run(ctx, openvino.File("testdata/layer.xml"), inputs)
			Expect(err).NotTo(HaveOccurred())
			Expect(actual.Len()).To(Equal(3))
			for i, set := range actual.Outputs() {
				got, _ := set.Get("y")
				want, _ := expected.Outputs()[i].Get("y")
				Expect(got.Shape()).To(Equal(tensor.Shape{5, 3}))
				Expect(got.Bytes()).To(Equal(want.Bytes()))
			}
		})

	It("describes itself", func() {
		described, err := openvino.Describe("testdata/layer.xml")
		Expect(err).NotTo(HaveOccurred())
		Expect(described).To(And(HaveField("Name", "layer.xml"), HaveField("SHA256", HaveLen(64)),
			HaveField("Version", HavePrefix("20"))))
		Expect(described.Inputs).To(HaveExactElements(
			HaveField("String()", "x tensor(float32)[?,4]")))
		Expect(described.Outputs).To(HaveExactElements(
			HaveField("String()", "y tensor(float32)[?,3]")))
		text, err := json.Marshal(described)
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring(`"format":"OpenVINO's IR"`))
		_, err = openvino.Describe("testdata/absent.tflite")
		Expect(err).To(MatchError(ContainSubstring("absent.tflite: no such file")))
	})

	It("counts the file of weights to its sum", func() {
		folder := GinkgoT().TempDir()
		for _, name := range []string{"layer.xml", "layer.bin"} {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			Expect(err).NotTo(HaveOccurred())
			if name == "layer.bin" {
				data[0] ^= 1
			}
			Expect(os.WriteFile(filepath.Join(folder, name), data, 0o600)).To(Succeed())
		}
		ours, err := sum("testdata/layer.xml")
		Expect(err).NotTo(HaveOccurred())
		theirs, err := sum(filepath.Join(folder, "layer.xml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(theirs).NotTo(Equal(ours))
	})

	It("that is missing or damaged is named", func(ctx SpecContext) {
		absent := openvino.File("testdata/absent.xml")
		_, err := openvino.Run(ctx, absent, fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring("testdata/absent.xml: no such file")))
		for _, folder := range []string{"testdata/absent", GinkgoT().TempDir()} {
			_, err = openvino.Describe(folder)
			Expect(err).To(MatchError(ContainSubstring(filepath.Base(folder))))
		}
		path := filepath.Join(GinkgoT().TempDir(), "text.xml")
		Expect(os.WriteFile(path, []byte("text"), 0o600)).To(Succeed())
		_, err = openvino.File(path).Inputs()
		Expect(err).To(MatchError(ContainSubstring("text.xml")))
		_, err = openvino.Run(ctx, openvino.File(path), fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring("text.xml")))
	})
})

var _ = Describe("The format of a file", func() {
	DescribeTable("is known by its extension", func(path, format string) {
		Expect(openvino.FormatOf(path)).To(Equal(format))
	},
		Entry(nil, "a/b.xml", "OpenVINO's IR"),
		Entry(nil, "B.XML", "OpenVINO's IR"),
		Entry(nil, "b.tflite", "a TensorFlow Lite model"),
		Entry(nil, "b.pb", "a TensorFlow graph"),
		Entry(nil, "b.pdmodel", "a PaddlePaddle program"),
		Entry(nil, "b.json", "a PaddlePaddle program"),
		Entry(nil, "b.onnx", ""),
		Entry(nil, "xml", ""),
		Entry(nil, "", ""),
	)

	It("is named where another engine is given the file", func() {
		_, err := backends.ONNX("acme", openvino.File("b.tflite"))
		Expect(err).To(MatchError("acme runs ONNX models, got b.tflite, a TensorFlow Lite model, " +
			"which only OpenVINO runs"))
		_, err = backends.ONNX("acme", openvino.File("b"))
		Expect(err).To(MatchError("acme runs ONNX models, got b, a model that only OpenVINO runs"))
	})
})
