package openvino_test

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/tensor"
)

// resident is the memory of this process in KiB, Go's heap included.
func resident() int {
	GinkgoHelper()
	runtime.GC()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	Expect(err).NotTo(HaveOccurred())
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	Expect(err).NotTo(HaveOccurred())
	return kib
}

var _ = Describe("Native memory", Serial, func() {
	needed()

	BeforeEach(func() {
		if runtime.GOOS != "linux" {
			Skip("resident memory is read from /proc")
		}
	})

	// leaks runs step often and reports whether the process grew by limit KiB or more each time. A
	// leak grows every time; an allocator's pools and the race detector do so only at first. The C
	// library keeps a pool for each thread, so the steps stay on one.
	leaks := func(times, limit int, step func()) bool {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for range 6 {
			before := resident()
			for range times {
				step()
			}
			if resident()-before < limit {
				return false
			}
		}
		return true
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
			b, err := openvino.Engine().Open(background, m, fixtures.Inputs{})
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
