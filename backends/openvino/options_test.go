package openvino_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/tensor"
)

func TestEveryOptionPrintsItselfAsGo(t *testing.T) {
	skips.Long(t)
	enginetest.Printed(t,
		openvino.Engine(),
		openvino.Engine(openvino.Threads(0), openvino.WarmUp(2)),
		openvino.Engine(openvino.Threads(-1)),
		openvino.Engine(openvino.Precision(openvino.BFloat16)),
		openvino.Engine(openvino.Precision(openvino.Float16)),
		openvino.Engine(openvino.Precision(openvino.Own),
			openvino.ExecutionMode(openvino.Performance)),
		openvino.Engine(openvino.Precision("f8"), openvino.ExecutionMode("fast")),
		openvino.Engine(openvino.Device("GPU.1"), openvino.StaticShapes()),
		openvino.Engine(openvino.Library(`C:\"a" /* b */`)),
		openvino.Engine(openvino.Property("NUM_STREAMS", "2"),
			openvino.Property("B", "\n")),
	)
}

var _ = Describe("Options", func() {
	It("make equal engines where they are equal, whatever their order and the defaults", func() {
		Expect(openvino.Engine(openvino.Precision(openvino.Float32), openvino.Threads(1),
			openvino.ExecutionMode(openvino.Accuracy), openvino.Device("CPU"), openvino.WarmUp(0),
			openvino.Option{})).To(BeIdenticalTo(openvino.Engine()))
		Expect(openvino.Engine(openvino.Property("B", "1"), openvino.Property("A", "2"),
			openvino.Threads(3), openvino.Property("B", "4"))).To(BeIdenticalTo(openvino.Engine(
			openvino.Property("B", "4"), openvino.Threads(3), openvino.Property("A", "2"))))
		Expect(openvino.Engine(openvino.Threads(3))).NotTo(BeIdenticalTo(openvino.Engine()))
	})

	It("say the engine in words, in Go and as text", func() {
		e := openvino.Engine(openvino.Precision(openvino.BFloat16), openvino.Threads(2))
		Expect(e.String()).To(Equal("openvino Precision(bfloat16), Threads(2)"))
		Expect(e.GoString()).To(Equal(
			"openvino.Engine(openvino.Precision(openvino.BFloat16), openvino.Threads(2))"))
		Expect(e.Text()).To(Equal(`openvino {"precision":"bfloat16","threads":2}`))
		Expect(openvino.Engine().Text()).To(Equal("openvino {}"))
		Expect(openvino.Engine().String()).To(Equal("openvino"))
	})

	It("tell all that is wrong with them at once, when the engine is opened", func(ctx SpecContext) {
		_, err := openvino.Run(ctx, unary("Relu", f32, 1), x(tensor.Of[float32](1)),
			openvino.Precision("f8"), openvino.Threads(-1), openvino.ExecutionMode("fast"),
			openvino.Device(""), openvino.Property("", "1"), openvino.Property("A", "\x00"),
			openvino.Library(""), openvino.WarmUp(-1))
		Expect(err).To(MatchError(`openvino: openvino.Precision(openvino.Type("f8")): unknown type ` +
			`"f8"; it must be float32, bfloat16, float16 or own (the model's type)
openvino.Threads(-1): the number must be between 0 and 1024; with 0, OpenVINO chooses it from ` +
			`the number of cores
openvino.ExecutionMode(openvino.Mode("fast")): unknown mode "fast"; it must be accuracy or ` +
			`performance
openvino.Device(""): invalid device name; pass a name such as CPU or GPU.0
openvino.Property("", "1"): the key is empty; pass one of OpenVINO's properties
openvino.Property("A", "\x00"): the key or the value contains a NUL byte; remove it
openvino.Library(""): the path is empty; pass the path of a libopenvino_c
openvino.WarmUp(-1): the number of warm-up runs must be 0 or more`))
		Expect(openvino.Available(openvino.Threads(-1))).To(MatchError(
			ContainSubstring("between 0 and 1024")))
	})

	It("of threads are for the CPU", func() {
		Expect(openvino.Available(openvino.Device("GPU"), openvino.Threads(2))).To(MatchError(
			"openvino: openvino.Threads applies only to the CPU, but the device is GPU; drop the option"))
	})

	Describe("with the library", func() {
		needed()

		It("name a device that is not there", func(ctx SpecContext) {
			_, err := openvino.Run(ctx, unary("Relu", f32, 1), x(tensor.Of[float32](1)),
				openvino.Device("HETERO:NPU,CPU"))
			Expect(err).To(MatchError(ContainSubstring(`Device with "NPU" name is not registered`)))
		})

		It("leave properties that OpenVINO does not know to its judgement", func(ctx SpecContext) {
			_, err := openvino.Run(ctx, unary("Relu", f32, 1), x(tensor.Of[float32](1)),
				openvino.Property("ACME_UNKNOWN", "1"))
			Expect(err).To(MatchError(ContainSubstring("ACME_UNKNOWN")))
		})

		It("refuse a second library in the process", func() {
			Expect(openvino.Available(openvino.Library("openvino_test.go"))).To(And(
				MatchError(openvino.ErrNoLibrary),
				MatchError(ContainSubstring("this process has already loaded ")),
				MatchError(HaveSuffix(", so it cannot load openvino_test.go"))))
		})
	})
})
