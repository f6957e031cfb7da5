package ort_test

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/fixtures"
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
			b, err := open(model("identity_float"))
			Expect(err).NotTo(HaveOccurred())
			Expect(b.Close()).To(Succeed())
		})).To(BeFalse())
	})
})
