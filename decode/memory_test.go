//go:build !race

package decode_test

import (
	"runtime"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
)

// The race detector's own memory grows with what it watches.
var _ = Describe("Memory", Serial, func() {
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
		// What is kept for the run is there from the first step on.
		Expect(sizes[3]).To(BeNumerically("<", sizes[0]+256<<10), "%v", sizes)
	})
})
