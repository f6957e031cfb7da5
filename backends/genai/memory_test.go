//go:build !race

package genai_test

import (
	"fmt"
	"runtime/debug"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/memory"
)

// The race detector's own memory grows with what it watches.
var _ = Describe("The memory of ONNX Runtime GenAI", Serial, func() {
	BeforeEach(func() { genai.Require(GinkgoT()) })

	resident := func() uint64 {
		GinkgoHelper()
		debug.FreeOSMemory()
		size, known := memory.Resident()
		Expect(known).To(BeTrue())
		return size
	}

	// With a plan of its memory for each length, which ONNX Runtime keeps unless the configuration
	// says otherwise, it grows by 30 MB.
	It("stays flat over 3,000 tokens", func(ctx SpecContext) {
		ids := make([]int64, 3000)
		for i := range ids {
			ids[i] = int64(1 + i%50)
		}
		var sizes []uint64
		watching := decode.Watch(ctx, func(done, _ int) {
			if done%1000 == 0 {
				sizes = append(sizes, resident())
			}
		})
		must(decode.Run(watching, genai.Engine(), exported("llama"), decode.Tokens(ids),
			decode.TopK(5)))
		Expect(sizes).To(HaveLen(3))
		AddReportEntry("resident bytes", fmt.Sprint(sizes))
		Expect(sizes[2]).To(BeNumerically("<", sizes[0]+16<<20), "%v", sizes)
	})

	It("is given back: models and texts that are opened again and again", func(ctx SpecContext) {
		again := func(n int) uint64 {
			for range n {
				must(decode.Run(ctx, genai.Engine(), exported("llama"), texts()))
			}
			return resident()
		}
		// A generator has room for 131,072 tokens, half a megabyte.
		sizes := []uint64{again(10), again(60)}
		AddReportEntry("resident bytes", fmt.Sprint(sizes))
		Expect(sizes[1]).To(BeNumerically("<", sizes[0]+24<<20), "%v", sizes)
	})
})
