package engineflags_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("a model file", func() {
	// under is the model that flags make of a file.
	under := func(line, path string) fixtures.Declaration {
		GinkgoHelper()
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		m, err := f.Model(path)
		Expect(err).NotTo(HaveOccurred())
		return m
	}
	const here = "../../../backends/openvino/testdata/"

	DescribeTable("is what its name, its content or --model-type says",
		func(line, path string, want fixtures.Declaration) {
			Expect(under(line, path)).To(BeAssignableToTypeOf(want))
		},
		Entry(nil, "", "a.onnx", &loaders.Model{}),
		Entry(nil, "", "a", &loaders.Model{}),
		Entry(nil, "", "a.PLAN", trt.Plan("")),
		Entry(nil, "--model-type engine", "a.xml", trt.Plan("")),
		Entry(nil, "", "a.xml", openvino.File("")),
		Entry(nil, "", "a.TFLite", openvino.File("")),
		Entry(nil, "", "a.pdmodel", openvino.File("")),
		Entry("a graph of TensorFlow", "", here+"relu.pb", openvino.File("")),
		Entry("a file that is missing, which ONNX's reader says", "", "a.pb", &loaders.Model{}),
		Entry("a saved run, or PaddlePaddle's", "", "a.json", &loaders.Model{}),
		Entry(nil, "--model-type openvino", "a.json", openvino.File("")),
		Entry(nil, "--model-type frozen", "a", openvino.File("")),
		Entry(nil, "--model-type onnx", "a.xml", &loaders.Model{}),
	)

	DescribeTable("named .pb is no graph of TensorFlow", func(content string) {
		path := filepath.Join(GinkgoT().TempDir(), "x.pb")
		Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
		Expect(engineflags.IsForeign("", path)).To(BeFalse())
	},
		Entry("a tensor of ONNX", "\x08\x02\x10\x01\x4a\x08abcdefgh"),
		Entry("a tensor whose dimensions are packed", "\x0a\x02\x01\x01\x10\x01"),
		Entry("a tensor that begins with its type", "\x10\x01\x4a\x04abcd"),
		Entry("nothing of the kind", "\xff\xff\xff"),
	)

	It("named .pb is ONNX where it holds an ONNX model", func() {
		path := filepath.Join(GinkgoT().TempDir(), "model.pb")
		data, err := os.ReadFile(here + "layer.onnx")
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
		Expect(under("--openvino", path)).To(BeAssignableToTypeOf(&loaders.Model{}))
	})

	It("may be a folder of TensorFlow's", func() {
		folder := GinkgoT().TempDir()
		Expect(under("", folder)).To(BeAssignableToTypeOf(&loaders.Model{}))
		Expect(os.WriteFile(filepath.Join(folder, "saved_model.pb"), nil, 0o600)).To(Succeed())
		Expect(under("", folder)).To(BeAssignableToTypeOf(openvino.File("")))
	})

	It("has its weights in other files", func() {
		Expect(engineflags.DataFiles(here + "layer.xml")).To(ConsistOf(here + "layer.bin"))
		Expect(engineflags.DataFiles(here + "relu.tflite")).To(BeEmpty())
		Expect(engineflags.DataFiles(here + "layer.onnx")).To(BeEmpty())
		Expect(engineflags.DataFiles("missing.onnx")).To(BeEmpty())
	})

	It("has tensors to select where it is ONNX", func() {
		var f engineflags.Flags
		m, wanted, err := f.Marked(here+"layer.onnx", loaders.Selection{Names: []string{"m"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(m.(*loaders.Model).Outputs()).To(HaveLen(2))
		Expect(wanted).To(Equal([]string{"m"}))
		m, wanted, err = f.Marked("a.xml", loaders.Selection{})
		Expect(err).NotTo(HaveOccurred())
		Expect(m).To(BeAssignableToTypeOf(openvino.File("")))
		Expect(wanted).To(BeNil())
		for _, s := range []loaders.Selection{{All: true}, {Names: []string{"m"}},
			{Ops: []string{"Add"}}, {Except: []string{"y"}}} {
			_, _, err := f.Marked("a.xml", s)
			Expect(err).To(MatchError("--mark-all, --onnx-outputs and --exclude-outputs select tensors " +
				"of an ONNX model, got a.xml, OpenVINO's IR, which only OpenVINO runs; drop them"))
		}
	})

	It("that one engine reads has the voters that are named", func() {
		named := []backends.Engine{openvino.Engine(), openvino.Engine(openvino.Threads(2))}
		Expect(engineflags.Voters(openvino.File("a.xml"), named)).To(Equal(named))
		_, err := engineflags.Voters(openvino.File("a.xml"), nil)
		Expect(err).To(MatchError(ContainSubstring("repeat --openvino with different settings, such as " +
			"--openvino --openvino threads=2")))
		_, err = engineflags.Voters(trt.Plan("a.plan"), named)
		Expect(err).To(MatchError("a vote needs a model that several engines can run, got a.plan, " +
			"a TensorRT engine"))
	})
})
