package openvino_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/leaks"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Native memory", Serial, func() {
	needed()

	leaks := func(times, limit int, step func()) bool {
		GinkgoHelper()
		return leaks.Found(GinkgoT(), times, limit, step)
	}

	relu := unary("Relu", f32, "n")
	// A context that cannot end keeps the work on this thread.
	background := context.Background()

	It("of a run is freed", func(ctx SpecContext) {
		b, err := openvino.Engine().Open(ctx, relu, fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		once := x(tensor.Of(make([]float32, 50)...))
		// A tensor of 200 bytes that is not freed shows as 2 MB or more.
		Expect(leaks(5000, 1000, func() {
			_, err := b.Run(background, once)
			Expect(err).NotTo(HaveOccurred())
		})).To(BeFalse())
	})

	It("of a failure is freed", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("a", f32, "n"), io("b", f32, "m")},
			[]onnxtest.Value{io("y", f32, nil)}, nil, node("Add", names("a", "b"), names("y")))
		b, err := openvino.Engine().Open(ctx, m, fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		once := feed(in("a", tensor.Of[float32](1, 2, 3)), in("b", tensor.Of[float32](2, 2)))
		Expect(leaks(3000, 1000, func() {
			_, err := b.Run(background, once)
			Expect(err).To(HaveOccurred())
		})).To(BeFalse())
	})

	It("of a model is freed", func(ctx SpecContext) {
		m := model([]onnxtest.Value{io("x", f32, 2)}, []onnxtest.Value{io("y", f32, 2)},
			[]onnxtest.Tensor{floats("w", 1, 2)}, node("Add", names("x", "w"), names("y")))
		Expect(leaks(100, 2000, func() {
			b, err := backends.Unshared(openvino.Engine()).Open(background, m, fixtures.Inputs{})
			Expect(err).NotTo(HaveOccurred())
			Expect(b.Close()).To(Succeed())
		})).To(BeFalse())
	})

	It("of compiled shapes is freed", func(ctx SpecContext) {
		b, err := openvino.Engine(openvino.StaticShapes()).Open(ctx, relu, x(tensor.Of[float32](1)))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		n := 0
		Expect(leaks(100, 2000, func() {
			n = n%40 + 1
			_, err := b.Run(background, x(tensor.Of(make([]float32, n)...)))
			Expect(err).NotTo(HaveOccurred())
		})).To(BeFalse())
	})
})
