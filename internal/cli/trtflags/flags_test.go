package trtflags_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/cli/trtflags"
	"github.com/modelparity/modelparity/internal/testing/flagtest"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// given sets the flags of a command line.
func given(line string) (*trtflags.Flags, error) {
	var f trtflags.Flags
	err := flagtest.Set(f.List(), line)
	return &f, err
}

var _ = Describe("TensorRT's flags", func() {
	DescribeTable("become options", func(line, want string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		options, err := f.Options(map[string]tensor.Shape{"x": {1, 2}})
		Expect(err).NotTo(HaveOccurred())
		Expect(trt.Engine(options...).GoString()).To(Equal("trt.Engine(" + want + ")"))
	},
		Entry("none", "", ""),
		Entry("a switch", "--fp16", "trt.FP16()"),
		Entry("several, which the engine puts in order", "--tf32 --fp16", "trt.FP16(), trt.TF32()"),
		Entry("a size in powers of 1024", "--workspace 2K", `trt.PoolLimit("WORKSPACE", 2048)`),
		Entry("a pool", "--pool-limit workspace:1M", `trt.PoolLimit("WORKSPACE", 1048576)`),
		Entry("a layer's type", "--layer-precisions conv:0:float16",
			`trt.LayerPrecision("conv:0", tensor.Float16)`),
		Entry("TensorRT's own word for a type", "--tensor-dtypes x:fp8",
			`trt.TensorType("x", tensor.Float8E4M3FN)`),
		Entry("every tensor's type", "--all-tensor-dtypes float16",
			`trt.TensorType("*", tensor.Float16)`),
		Entry("layouts, one with the comma of Polygraphy's help", "--all-tensor-formats CHW32,",
			`trt.TensorFormats("*", "CHW32")`),
		Entry("all tensors marked", "--trt-outputs mark all", "trt.MarkAll()"),
		Entry("some tensors marked", "--trt-outputs a b*", `trt.MarkOnly("a"), trt.MarkOnly("b*")`),
		Entry("half of the weights", "--weight-streaming-budget 50%", "trt.WeightStreamingPercent(50)"),
		Entry("all of the weights", "--weight-streaming-budget None", ""),
		Entry("the legacy calibrator, with Polygraphy's numbers",
			"--int8 --calib-base-cls IInt8LegacyCalibrator --quantile 0.9",
			"trt.INT8(), trt.LegacyCalibration(0.9, 0.5)"),
		Entry("one side of a profile: min = opt = max", "--trt-min-shapes x:[1,2]",
			`trt.Profile(trt.Range("x", []int{1, 2}, []int{1, 2}, []int{1, 2}))`),
		Entry("the highest side is the likely one, and an input of its own",
			"--trt-min-shapes x:[1,2] a:[5] --trt-opt-shapes x:[2,2]",
			`trt.Profile(trt.Range("a", []int{5}, []int{5}, []int{5}), `+
				`trt.Range("x", []int{1, 2}, []int{2, 2}, []int{2, 2}))`),
		Entry("a scalar", "--trt-min-shapes s:[] x:[1,2]",
			`trt.Profile(trt.Range("s", []int{}, []int{}, []int{}), `+
				`trt.Range("x", []int{1, 2}, []int{1, 2}, []int{1, 2}))`),
		Entry("a profile whose least shape is the input's", "--trt-max-shapes x:[4,2]",
			`trt.Profile(trt.Range("x", []int{1, 2}, []int{1, 2}, []int{4, 2}))`),
		Entry("a second profile that goes on from the first",
			"--trt-min-shapes x:[1,2] --trt-opt-shapes x:[2,2] --trt-max-shapes x:[3,2] "+
				"--trt-min-shapes x:[1,2] --trt-max-shapes x:[5,2]",
			`trt.Profile(trt.Range("x", []int{1, 2}, []int{2, 2}, []int{3, 2})), `+
				`trt.Profile(trt.Range("x", []int{1, 2}, []int{1, 2}, []int{5, 2}))`),
	)

	DescribeTable("say what to write", func(line, says string) {
		f, err := given(line)
		if err == nil {
			_, err = f.Options(nil)
		}
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("an unknown flag", "--frobnicate", "unknown flag --frobnicate"),
		Entry("a switch with a word", "--fp16=yes", "--fp16 takes no value"),
		Entry("a missing word", "--workspace", "--workspace needs a value"),
		Entry("no words at all", "--plugins", "--plugins needs a value"),
		Entry("a size", "--workspace huge", `"huge" is not a size; write 512M, 1G`),
		Entry("a type without its layer", "--layer-precisions float16",
			"is not NAME:TYPE, such as conv1:float16"),
		Entry("a calibrator", "--int8 --calib-base-cls Mine", `unknown value "Mine"`),
		Entry("a quantile without the legacy calibrator", "--int8 --quantile 0.9",
			"are for the legacy calibrator"),
		Entry("a profile without its lowest side", "--trt-opt-shapes z:[1] --trt-max-shapes a:[1]",
			"the lowest shape of a, z is missing; add it to --trt-min-shapes"),
		Entry("a count", "--max-aux-streams -1", `"-1" is not a whole number of at least 0`),
	)

	It("leave the outputs that are not wanted out of the engine", func() {
		m := loaders.ONNXBytes("m.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1}, {Name: "aux", Elem: 1}}}}.Bytes())
		for want, wanted := range map[string][]string{"trt.Engine()": nil,
			`trt.Engine(trt.Unmark("aux"))`: {"y"}} {
			var f trtflags.Flags
			Expect(f.Keep(m, wanted)).To(Succeed())
			options, err := f.Options(nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(trt.Engine(options...).GoString()).To(Equal(want))
		}
	})

	It("know which were given, and take options that no flag stands for", func() {
		f, err := given("--fp16 --workspace 1G")
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Given()).To(Equal([]string{"--fp16", "--workspace"}))
		f.Add(trt.Unmark("aux"))
		options, err := f.Options(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(trt.Engine(options...).GoString()).To(ContainSubstring(`trt.Unmark("aux")`))
	})
})
