package engineflags_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/loaders"
)

// identity is a model with one input x and one output y.
const identity = "../../../backends/ort/testdata/identity_float.onnx"

// sources is the Go source of the engines of subjects.
func sources(subjects []backends.Subject) (all []string) {
	for _, s := range subjects {
		all = append(all, s.Engine.GoString())
	}
	return all
}

var _ = Describe("flags of engines, for one model", func() {
	DescribeTable("give it in each engine", func(line string, want ...string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		subjects, err := f.Each([]string{identity}, &inputflags.Flags{})
		Expect(err).NotTo(HaveOccurred())
		Expect(sources(subjects)).To(Equal(want))
		for _, s := range subjects {
			Expect(s.Model).To(BeIdenticalTo(subjects[0].Model))
		}
	},
		Entry("ONNX Runtime, where none is named", "", "ort.Engine()"),
		Entry("one", "--tract", "tract.Engine()"),
		Entry("several", "--tract --onnxrt --tract", "tract.Engine()", "ort.Engine()",
			"tract.Engine()"),
	)

	DescribeTable("say why they do not", func(line string, says string, files ...string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		_, err = f.Each(files, &inputflags.Flags{})
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("no model", "", "the command takes one model, got 0"),
		Entry("two models", "", "the command takes one model, got 2: a.onnx b.onnx", "a.onnx", "b.onnx"),
		Entry("a missing one", "", "a.onnx", "a.onnx"),
		Entry("a flag that does nothing", "--tract-fp16", "--tract-fp16 has no effect without --tract",
			identity),
	)

	DescribeTable("give one side or two", func(line string, files []string, want ...string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		subjects, err := f.OneOrTwo(files, &inputflags.Flags{})
		Expect(err).NotTo(HaveOccurred())
		Expect(sources(subjects)).To(Equal(want))
	},
		Entry("a model alone", "", []string{"a.onnx"}, "ort.Engine()"),
		Entry("a model in an engine", "--tract", []string{"a.onnx"}, "tract.Engine()"),
		Entry("two engines", "--tract --onnxrt", []string{"a.onnx"}, "tract.Engine()", "ort.Engine()"),
		Entry("two models", "", []string{"a.onnx", "b.onnx"}, "ort.Engine()", "ort.Engine()"),
		Entry("options of the expected side", "--tract --expected-tract-fp16", []string{"a.onnx"},
			"tract.Engine()", "tract.Engine(tract.FP16())"),
	)
})

var _ = DescribeTable("what is to be built says what is in the way", func(line, out, says string,
	files ...string) {
	f, err := given(line)
	Expect(err).NotTo(HaveOccurred())
	_, err = f.ToBuild(files, out, loaders.Selection{}, &inputflags.Flags{})
	Expect(err).To(MatchError(ContainSubstring(says)))
},
	Entry("no model", "", "e.plan", "convert takes one model, got 0"),
	Entry("nowhere to write it", "", "", "add -o ENGINE.plan", identity),
	Entry("a model to write", "", "e.ONNX", "convert writes a TensorRT engine, not an ONNX file",
		identity),
	Entry("an engine to build from", "", "e.plan", "convert takes an ONNX model, got a.plan",
		"a.plan"),
	Entry("another engine's flag", "--providers cpu", "e.plan", "--providers has no effect without",
		identity),
	Entry("a missing model", "", "e.plan", "missing.onnx", "missing.onnx"),
)

var _ = It("builds a model in TensorRT, with tensors marked and a place to write it", func() {
	f, err := given("--fp16")
	Expect(err).NotTo(HaveOccurred())
	Expect(f.Set("--trt")).To(Succeed())
	s, err := f.ToBuild([]string{identity}, "e.plan", loaders.Selection{All: true},
		&inputflags.Flags{})
	Expect(err).NotTo(HaveOccurred())
	Expect(s.Engine.GoString()).To(Equal(`trt.Engine(trt.FP16(), trt.SavePlan("e.plan"))`))
	Expect(s.Model.Name()).To(HaveSuffix("identity_float.onnx"))
})
