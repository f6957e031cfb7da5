//go:build !race

package decode_test

import (
	"fmt"
	"runtime"
	"runtime/debug"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/testing/skips"
)

// The race detector's own memory grows with the number of accesses.
var _ = Describe("Memory", Serial, func() {
	BeforeEach(func() { skips.Long(GinkgoT()) })

	It("of a loop stays flat over thousands of tokens", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		e := exportedAs("llama")
		ids := make([]int64, 2000)
		for i := range ids {
			ids[i] = int64(1 + i%50)
		}
		var sizes []uint64
		seen := 0
		watching := decode.Watch(ctx, func(done, _ int) {
			if seen++; done%500 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				sizes = append(sizes, m.HeapAlloc)
			}
		})
		must(decode.Run(watching, ort.Engine(), e.model, decode.Tokens(ids), decode.TopK(5)))
		Expect(seen).To(Equal(2000))
		// The run's outputs are allocated at the first step.
		Expect(sizes[3]).To(BeNumerically("<", sizes[0]+256<<10), "%v", sizes)
	})

	// The caches of 3,000 tokens take 1.5 MB. Leaking one cache per step would add gigabytes; a
	// memory plan per step, which ONNX Runtime keeps by default, would add 15 MB.
	DescribeTable("of the engine stays flat over 3,000 tokens", func(ctx SpecContext,
		options ...decode.Option) {
		ort.Require(GinkgoT())
		ids := make([]int64, 3000)
		for i := range ids {
			ids[i] = int64(1 + i%50)
		}
		var sizes []uint64
		watching := decode.Watch(ctx, func(done, _ int) {
			if done%1000 == 0 {
				debug.FreeOSMemory()
				size, known := memory.Resident()
				Expect(known).To(BeTrue())
				sizes = append(sizes, size)
			}
		})
		must(decode.Run(watching, ort.Engine(), exportedAs("llama").model, decode.Tokens(ids),
			append(options, decode.TopK(5))...))
		Expect(sizes).To(HaveLen(3))
		AddReportEntry("resident bytes after 1,000, 2,000 and 3,000 tokens", fmt.Sprint(sizes))
		Expect(sizes[2]).To(BeNumerically("<", sizes[0]+8<<20), "%v", sizes)
	},
		Entry("with the caches kept in it"),
		Entry("with the caches fed to each run", decode.Copying()),
	)
})
