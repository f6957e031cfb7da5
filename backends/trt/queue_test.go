//go:build linux && cgo

package trt_test

import (
	"context"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/gpuqueue"
)

var _ = Describe("Processes that take turns on the GPU", func() {
	var folder string
	BeforeEach(func() {
		setenv("XDG_CACHE_HOME", GinkgoT().TempDir())
		setenv(gpuqueue.Variable, "all")
		folder = filepath.Join(os.Getenv("XDG_CACHE_HOME"), "modelparity", "gpu", "0")
	})
	places := func() []string {
		found, _ := filepath.Glob(filepath.Join(folder, "0*"))
		return found
	}

	It("have a place from opening to closing, one for all that is open", func(ctx SpecContext) {
		first, err := trt.New(ctx, chain("c", 1, 2), none, on(mock(10, 13))...)
		Expect(err).NotTo(HaveOccurred())
		plan := filepath.Join(GinkgoT().TempDir(), "c.plan")
		Expect(first.Save(plan)).To(Succeed())
		second, err := trt.Load(plan, on(mock(10, 13))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(places()).To(HaveLen(1))
		Expect(first.Close()).To(Succeed())
		Expect(places()).To(HaveLen(1))
		Expect(second.Close()).To(Succeed())
		Expect(places()).To(BeEmpty())
		_, err = trt.New(ctx, chain("c", 1, 2), none,
			on(mock(10, 13), trt.SavePlan(GinkgoT().TempDir()))...)
		Expect(err).To(HaveOccurred())
		Expect(places()).To(BeEmpty())
	})

	It("wait for those that came before, and say how long", func(ctx SpecContext) {
		Expect(os.MkdirAll(folder, 0o700)).To(Succeed())
		other, err := os.Create(filepath.Join(folder, "000000000001"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { _ = other.Close() })
		_, err = other.WriteString("other 1 in\n")
		Expect(err).NotTo(HaveOccurred())
		Expect(filelock.Try(other)).To(BeTrue())

		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err = trt.New(short, chain("c", 1, 2), none, on(mock(10, 13))...)
		Expect(err).To(MatchError(ContainSubstring("gave up waiting for GPU 0")))

		gpuqueue.TakeWaits()
		time.AfterFunc(200*time.Millisecond, func() { _ = other.Close() })
		b, err := trt.New(ctx, chain("c", 1, 2), none, on(mock(10, 13))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(b.Close()).To(Succeed())
		waits := gpuqueue.TakeWaits()
		Expect(waits).To(HaveLen(1))
		Expect(waits[0].GPU).To(Equal("0"))
		Expect(waits[0].Waited).To(BeNumerically(">", 50*time.Millisecond))
	}, SpecTimeout(time.Minute))
})
