package engineflags_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
)

var _ = Describe("flags of programs", func() {
	DescribeTable("become engines", func(line string, want ...string) {
		Expect(engines(line)).To(Equal(want))
	},
		Entry("ONNX's evaluator, under two names", "--onnx --pluginref --warm-up 2",
			"process.Engine(process.ONNXReference(), process.WarmUp(2))",
			"process.Engine(process.ONNXReference(), process.WarmUp(2))"),
		Entry("scripts, each its own", "--model-runner a.py --model-runner b.py:infer",
			`process.Engine(process.Script("a.py"))`, `process.Engine(process.Script("b.py:infer"))`),
		Entry("a command, as a shell reads it", "--process ./serve.sh --process-timeout 90",
			`process.Engine(process.Command("/bin/sh", "-c", "./serve.sh"), `+
				`process.Timeout(90 * time.Second))`),
		Entry("the originals of an exported model",
			"--tf saved --pytorch net.pt2 --jax net.jax --python /opt/python",
			`process.Engine(process.File("saved"), process.Python("/opt/python"), `+
				`process.TensorFlow(process.AnyTensorFlow))`,
			`process.Engine(process.File("net.pt2"), process.PyTorch(), process.Python("/opt/python"))`,
			`process.Engine(process.File("net.jax"), process.JAX(), process.Python("/opt/python"))`),
		Entry("what servers have", "--served http://h:1/v2/models/m --served grpc://h:2/v2/models/m "+
			"--served-binary --served-header Authorization=TOKEN --warm-up 1",
			`served.Model("http://h:1/v2/models/m", served.Binary(), `+
				`served.Header("Authorization", "TOKEN"), served.WarmUp(1))`,
			`served.Model("grpc://h:2/v2/models/m", served.Binary(), `+
				`served.Header("Authorization", "TOKEN"), served.WarmUp(1))`),
		Entry("with what TensorFlow alone is told", "--tf saved --pytorch net.pt2 --ckpt last "+
			"--tf-outputs logits:0 hidden",
			`process.Engine(process.CheckpointName("last"), process.File("saved"), `+
				`process.Outputs("logits:0", "hidden"), process.TensorFlow(process.AnyTensorFlow))`,
			`process.Engine(process.File("net.pt2"), process.PyTorch())`),
		Entry("with every tensor of TensorFlow's", "--tf saved --tf-outputs mark all",
			`process.Engine(process.File("saved"), process.Outputs("*"), `+
				`process.TensorFlow(process.AnyTensorFlow))`),
		Entry("with the kind of file", "--tf net.bin --model-type keras",
			`process.Engine(process.File("net.bin"), process.TensorFlow(process.Keras))`),
	)

	DescribeTable("run a framework's own model", func(line, file, want string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		s, err := f.Only([]string{file}, &inputflags.Flags{})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Engine.GoString()).To(Equal(want))
		Expect(s.Model).To(BeEquivalentTo(s.Engine))
	},
		Entry("of Keras", "--tf", "net.keras",
			`process.Model("net.keras", process.TensorFlow(process.AnyTensorFlow))`),
		Entry("of TensorFlow, by its kind", "--tf --model-type ckpt", "net",
			`process.Model("net", process.TensorFlow(process.Checkpoint))`),
		Entry("of PyTorch", "--pytorch", "net.pt", `process.Model("net.pt", process.PyTorch())`),
		Entry("of JAX", "--jax", "net.jax", `process.Model("net.jax", process.JAX())`),
	)

	It("hold a framework's model to a script on the same file", func() {
		f, err := given("--pytorch --model-runner other.py")
		Expect(err).NotTo(HaveOccurred())
		a, e, err := f.Sides([]string{"net.pt"}, &inputflags.Flags{})
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Engine.GoString()).To(Equal(`process.Model("net.pt", process.PyTorch())`))
		Expect(e.Engine.GoString()).To(Equal(`process.Model("net.pt", process.Script("other.py"))`))
	})

	It("name what ran", func() {
		f, err := given("--model-runner a.py --tf x --model-runner b.py")
		Expect(err).NotTo(HaveOccurred())
		Expect([]string{f.RunnerName(0), f.RunnerName(1), f.RunnerName(2)}).To(Equal(
			[]string{"model-runner-runner-N0", "tf-runner-N0", "model-runner-runner-N1"}))
		Expect(f.Given()).To(Equal([]string{"--model-runner a.py", "--tf x", "--model-runner b.py"}))
	})

	DescribeTable("say what to write", func(line, file, says string) {
		f, err := given(line)
		if err == nil {
			_, err = f.Only([]string{file}, &inputflags.Flags{})
		}
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("a script's name", "--model-runner", "a.onnx", "--model-runner needs a value"),
		Entry("a word for none", "--onnx=a", "a.onnx", "--onnx takes no value"),
		Entry("an ONNX model in a framework", "--pytorch", "a.onnx",
			"--pytorch runs only models of its own framework, got a.onnx"),
		Entry("a framework's model in ONNX's evaluator", "--onnx --model-type ckpt", "a.onnx",
			"--model-type ckpt needs TensorFlow; add --tf"),
		Entry("a checkpoint of nothing", "--onnx --ckpt last", "a.onnx",
			"--ckpt has no effect without --tf"),
		Entry("outputs of nothing", "--pytorch --tf-outputs a", "net.pt",
			"--tf-outputs has no effect without --tf"),
		Entry("patience that is none", "--onnx --process-timeout x", "a.onnx",
			`--process-timeout: "x" is not a duration of 0 or more; write seconds, such as 0.5`),
	)

	It("vote where they are named, and only there", func() {
		for flag, want := range map[string]string{
			"--onnx":         "process.Engine(process.ONNXReference())",
			"--model-runner": `process.Engine(process.Script("a.py"))`,
		} {
			var engines []backends.Engine
			flags := engineflags.ProgramFlags(func(e backends.Engine) { engines = append(engines, e) })
			var words []string
			if flag == "--model-runner" {
				words = []string{"a.py"}
			}
			Expect(arguments.Give(flags, flag, words...)).To(Succeed())
			Expect(engines).To(HaveLen(1))
			Expect(engines[0].GoString()).To(Equal(want))
			Expect(arguments.Give(flags, flag, "a", "b")).NotTo(Succeed())
		}
		voters, err := engineflags.Available(0)
		Expect(err).NotTo(HaveOccurred())
		for _, e := range voters {
			Expect(e.GoString()).NotTo(HavePrefix("process."))
		}
	})
})
