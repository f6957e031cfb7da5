//go:build linux && cgo

package trt_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/testing/trtmock"
)

// recorder is a testing.T that ends a spec by panicking with how it ended.
type recorder struct{ skipped, failed string }

func (*recorder) Helper()                             {}
func (r *recorder) Skipf(format string, args ...any)  { r.skipped = fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

var _ = Describe("opening TensorRT", Label("mock"), func() {
	DescribeTable("says what is missing and what to do",
		func(ctx SpecContext, options func() []trt.Option, want string) {
			_, err := trt.New(ctx, chain("c", 1, 1), none, options()...)
			var missing *backends.Missing
			Expect(err).To(BeAssignableToTypeOf(missing))
			Expect(err).To(MatchError(MatchRegexp("^trt is missing: " + want)))
		},
		Entry("no driver", func() []trt.Option {
			return []trt.Option{trt.Driver("/nowhere/libcuda.so.1"), trt.Library(mock(10, 6))}
		}, "no usable CUDA driver: /nowhere/libcuda.so.1: cannot open shared object file.*; run on "+
			"a machine with an NVIDIA GPU and its driver$"),
		Entry("no GPU", func() []trt.Option {
			setenv("MOCK_CUDA_DEVICES", "0")
			return []trt.Option{trt.Driver(otherDriver()), trt.Library(mock(10, 6))}
		}, `no usable CUDA driver: cuInit: CUDA_ERROR_NO_DEVICE \(no CUDA-capable device`),
		Entry("a file that is not a driver", func() []trt.Option {
			return []trt.Option{trt.Driver("libm.so.6"), trt.Library(mock(10, 6))}
		}, "no usable CUDA driver: libm.so.6 lacks cuInit"),
		Entry("no library in a folder", func() []trt.Option {
			return on("testdata")
		}, "the option trt.Library is set to the folder testdata, which contains none of "+
			"libnvinfer.so.10, libnvinfer.so.11; set it to the folder that contains "+
			"TensorRT's libraries"),
		Entry("a path to nothing", func() []trt.Option {
			return on("/nowhere/libnvinfer.so.10")
		}, "TensorRT: /nowhere/libnvinfer.so.10: cannot open shared object file"),
		Entry("a file that is not a library", func() []trt.Option {
			return on("libm.so.6")
		}, "TensorRT: libm.so.6 has no getInferLibVersion; install TensorRT with"),
		Entry("an old major version", func() []trt.Option {
			return on(filepath.Join(mock(9, 3), "libnvinfer.so.9"))
		}, `TensorRT: .*: unsupported version: TensorRT 9.3.2.7; 10 \(but not 10.8\) or 11 is needed; `+
			"install TensorRT with `pip install tensorrt-cu12`, or give its path in "+
			"MODELPARITY_TENSORRT_LIBRARY_PATH"),
		Entry("10.8", func() []trt.Option {
			return on(mock(10, 8))
		}, "TensorRT: .*TensorRT 10.8.2.7 has an incompatible interface, which NVIDIA "+
			"reverted in 10.9; use a different 10.x"),
		Entry("TensorRT-RTX", func() []trt.Option {
			return on(filepath.Join(mock(1, 2), "libnvinfer.so.1"))
		}, "TensorRT: .*this is TensorRT-RTX 1.2.2.7, a different product with a different interface"),
		Entry("the variable", func() []trt.Option {
			setenv(trt.LibraryVariable, "/nowhere")
			return []trt.Option{trt.Driver(mockDriver())}
		}, "TensorRT: /nowhere: cannot open"),
	)

	It("asks CUDA before it opens TensorRT", func(ctx SpecContext) {
		// Without a driver TensorRT must not be touched: the real one aborts.
		_, err := trt.New(ctx, chain("c", 1, 1), none, trt.Driver("/nowhere/libcuda.so.1"),
			trt.Library("/nowhere/libnvinfer.so.10"))
		Expect(err).To(MatchError(ContainSubstring("no usable CUDA driver")))
		Expect(err).NotTo(MatchError(ContainSubstring("libnvinfer")))
	})

	It("finds the library by the variable", func(ctx SpecContext) {
		setenv(trt.LibraryVariable, mock(10, 6))
		run, err := trt.Run(ctx, chain("c", 1, 1), feed(floats([]int{1}, 1)),
			trt.Driver(mockDriver()), trt.NoEngineCache())
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.String()).To(Equal("tensorrt 10.6.2.7 (Mock GPU 0)"))
	})

	It("finds the library of an active Python environment", func(ctx SpecContext) {
		python(map[string]string{"tensorrt_libs": mock(11, 1)})
		run, err := trt.Run(ctx, chain("c", 1, 1), feed(floats([]int{1}, 1)),
			trt.Driver(mockDriver()), trt.NoEngineCache())
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Version).To(Equal("11.1.2.7"))
	})

	It("refuses a GPU that is not there", func(ctx SpecContext) {
		_, err := trt.New(ctx, chain("c", 1, 1), none, on(mock(10, 6), trt.Device(3))...)
		Expect(err).To(MatchError(ContainSubstring("unknown device 3; this machine has 0 to 0")))
	})

	It("refuses the lean runtime, which cannot build engines", func() {
		folder := mock(10, 6, "-DMOCK_LEAN")
		Expect(trt.Available(on(folder)...)).To(MatchError(ContainSubstring(
			"has no createInferBuilder_INTERNAL; install TensorRT with")))
	})

	It("finds TensorRT in an active Python environment", func(ctx SpecContext) {
		python(map[string]string{"tensorrt_libs": mock(11, 1)})
		run, err := trt.Run(ctx, chain("c", 1, 1), feed(floats([]int{1}, 1)),
			trt.Driver(mockDriver()), trt.NoEngineCache())
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Version).To(Equal("11.1.2.7"))
	})

	Describe("Require", func() {
		It("does nothing where TensorRT is there", func() {
			t := &recorder{}
			trt.Require(t, on(mock(10, 6))...)
			Expect(*t).To(Equal(recorder{}))
		})
		It("skips where it is not", func() {
			t := &recorder{}
			setenv(backends.RequireVariable, "ort")
			trt.Require(t, on("/nowhere")...)
			Expect(t.skipped).To(HavePrefix("trt is missing: "))
			Expect(t.failed).To(BeEmpty())
		})
		It("fails where it is not and must be", func() {
			t := &recorder{}
			setenv(backends.RequireVariable, "ort,trt")
			trt.Require(t, on("/nowhere")...)
			Expect(t.failed).To(HavePrefix("trt is missing: "))
			Expect(t.skipped).To(BeEmpty())
		})
	})
})

// python gives python3 packages that are links to folders.
func python(packages map[string]string) {
	GinkgoHelper()
	if _, err := exec.LookPath("python3"); err != nil {
		Skip("python3 is missing")
	}
	folder := GinkgoT().TempDir()
	setenv("PYTHONPATH", folder)
	setenv(trt.LibraryVariable, "")
	for name, to := range packages {
		Expect(os.Symlink(to, filepath.Join(folder, name))).To(Succeed())
	}
}

// otherDriver builds a second driver, which a spec may restart. It has no name of its own, so that
// the mocks of TensorRT are not linked with it.
func otherDriver() string {
	GinkgoHelper()
	folder := temporary()
	Expect(trtmock.Driver(module, folder, "")).To(Succeed())
	return filepath.Join(folder, "libcuda.so.1")
}
