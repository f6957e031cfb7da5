//go:build linux && cgo

package trt_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
)

var _ = Describe("The memory of a device", func() {
	It("is told by the engine that takes it, until it is closed", func(ctx SpecContext) {
		b, err := trt.New(ctx, chain("c", 1, 2), none, on(mock(10, 13))...)
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		Expect(b.DeviceMemory()).To(BeEquivalentTo(512))
		Expect(b.Close()).To(Succeed())
		_, err = b.DeviceMemory()
		Expect(err).To(MatchError(backends.ErrClosed))
	})

	It("is not told by TensorRT 10.0", func(ctx SpecContext) {
		b, err := trt.New(ctx, chain("c", 1, 2), none, on(mock(10, 0))...)
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		_, err = b.DeviceMemory()
		Expect(err).To(MatchError(HavePrefix("tensorrt: ")))
	})
})
