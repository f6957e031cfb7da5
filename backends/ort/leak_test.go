//go:build !race

package ort_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/leaks"
	"github.com/modelparity/modelparity/tensor"
)

// The race detector has memory of its own that grows.
var _ = Describe("Native memory", Serial, func() {
	leaks := func(times, limit int, step func()) bool {
		GinkgoHelper()
		return leaks.Found(GinkgoT(), times, limit, step)
	}

	labels, _ := tensor.FromStrings(tensor.Shape{2}, []string{"a", strings.Repeat("b", 1000)})
	wide, _ := tensor.New(tensor.Shape{4, 2}, make([]float32, 8))

	DescribeTable("of a run is freed", func(ctx SpecContext, name string, inputs ...tensor.Entry) {
		b, err := open(model(name))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		once := feed(inputs...)
		run := func() {
			_, err := b.Run(ctx, once)
			Expect(err).NotTo(HaveOccurred())
		}
		// Run options that are not freed show as 100 bytes or more, an OrtValue as 300.
		Expect(leaks(10000, 800, run)).To(BeFalse())
	},
		Entry("tensors", "identity_float", in("x", tensor.Of[float32](1, 2, 3))),
		Entry("strings", "identity_string", in("x", labels)),
		Entry("sequences and maps", "zipmap", in("x", wide)),
		Entry("sequences in", "sequence_in", in("x[0]", tensor.Of[float32](1))),
	)

	DescribeTable("of a failure is freed", func(ctx SpecContext, name, expected string,
		inputs ...tensor.Entry) {
		b, err := open(model(name))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		once := feed(inputs...)
		fail := func(ctx context.Context, inputs fixtures.Inputs) {
			_, err := b.Run(ctx, inputs)
			Expect(err).To(MatchError(ContainSubstring(expected)))
		}
		Expect(leaks(4000, 1000, func() { fail(ctx, once) })).To(BeFalse())
	},
		Entry("inside a kernel", "fails_running", "cannot be reshaped",
			in("x", tensor.Of[float32](1, 2, 3)), in("shape", tensor.Of[int64](2, 2))),
		Entry("before the run", "sequence_in", "Unexpected input data type",
			in("x[0]", tensor.Of[int64](1))),
	)

	It("of a session is freed", func() {
		Expect(leaks(400, 2000, func() {
			b, err := backends.Unshared(ort.Engine()).Open(context.Background(),
				model("identity_float"), fixtures.Inputs{})
			Expect(err).NotTo(HaveOccurred())
			Expect(b.Close()).To(Succeed())
		})).To(BeFalse())
	})
})
