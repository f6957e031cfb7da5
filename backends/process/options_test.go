package process_test

import (
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/skips"
)

func TestEveryOptionPrintsItselfAsGo(t *testing.T) {
	skips.Long(t)
	enginetest.Printed(t,
		process.Engine(process.Command("python3", "-u", "serve.py"),
			process.Env("A", "1"), process.Timeout(90*time.Second), process.WarmUp(2)),
		process.Engine(process.Script("original.py:run"), process.Python("/opt/bin/python")),
		process.Engine(process.PyTorch(), process.File("net.pt2"), process.Timeout(0)),
		process.Engine(process.TensorFlow(process.Keras), process.Timeout(3*time.Nanosecond)),
		process.Engine(process.TensorFlow(process.AnyTensorFlow)), process.Engine(process.JAX()),
		process.Engine(process.ONNXReference(), process.Timeout(2*time.Minute)),
		process.Model("net.keras", process.TensorFlow(process.Keras)),
		process.Model("net", process.TensorFlow(process.Checkpoint), process.CheckpointName("last"),
			process.Outputs("logits:0", "hidden")),
	)
}

var _ = Describe("A program as an engine", func() {
	It("is a value", func() {
		Expect(process.Engine(process.PyTorch(), process.File("a.pt"))).To(BeIdenticalTo(
			process.Engine(process.File("a.pt"), process.PyTorch(), process.PyTorch())))
		Expect(process.Model("a.pt", process.PyTorch())).To(BeIdenticalTo(
			process.Model("a.pt", process.PyTorch())))
		Expect(process.Model("a.pt", process.PyTorch()).String()).To(Equal("process model a.pt PyTorch"))
		Expect(process.Engine(process.ONNXReference()).Text()).To(Equal(
			`process {"runner":"runner_onnx"}`))
	})

	It("tells all that is wrong with its options at once, when it is opened", func(ctx SpecContext) {
		_, err := process.Engine(process.Command("a"), process.PyTorch(), process.Timeout(-1),
			process.Env("A=B", ""), process.TensorFlow("uff")).Open(ctx, negation(), fixtures.Inputs{})
		Expect(err).To(MatchError(And(
			ContainSubstring("process.PyTorch(): the engine already runs a; an engine runs only one "+
				"program"),
			ContainSubstring("process.Timeout(-1): the duration must be 0 or more"),
			ContainSubstring(`process.Env("A=B", ""): "A=B" cannot be the name of an environment variable`),
			ContainSubstring(`unknown kind of model "uff"`))))
		_, err = process.Engine(process.Outputs(), process.CheckpointName("")).Open(ctx, negation(),
			fixtures.Inputs{})
		Expect(err).To(MatchError(And(
			ContainSubstring("process.Outputs(): expected one or more names, none of them empty"),
			ContainSubstring(`process.CheckpointName(""): the name is empty`))))
		_, err = process.Engine(process.PyTorch(), process.Outputs("y")).Open(ctx, negation(),
			fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring(
			"are for TensorFlow, but the program is PyTorch; drop them")))
		_, err = process.Model("net.pb", process.TensorFlow(process.Frozen),
			process.CheckpointName("last")).Open(ctx, negation(), fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring("but the model has kind frozen")))
		_, err = process.Engine().Open(ctx, negation(), fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring("no program to run; set process.Command")))
		_, err = process.Model("a.pt", process.PyTorch(), process.File("b.pt")).Open(ctx, negation(),
			fixtures.Inputs{})
		Expect(err).To(MatchError(ContainSubstring("remove the option")))
	})

	It("declares the inputs that its program tells", func() {
		inputs, err := process.Model(executable(), peer("none")...).Inputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(inputs).To(HaveLen(1))
		Expect(inputs[0].String()).To(Equal("x tensor(float32)[n,?,3]"))
	})
})
