package decode_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/loaders"
)

// costVariable names a Python that has onnxruntime. make decode-cost sets it.
const costVariable = "MODELPARITY_DECODE_COST"

var _ = Describe("The cost of a thousand tokens", Serial, Label("cost"), func() {
	python := os.Getenv(costVariable)
	if python == "" {
		return // timings need a quiet machine
	}

	It("is at most 1.1 times the time of ONNX Runtime's loop with IO binding", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		const count = 1000
		const path = "testdata/llama.onnx"
		ids := make([]int64, count)
		for i := range ids {
			ids[i] = int64(1 + i%50)
		}
		model := loaders.ONNX(path)
		engine := ort.Engine(ort.Threads(1))
		var theirs, ours, copies []time.Duration
		for range 5 {
			out, err := exec.CommandContext(ctx, python, "testdata/loop.py", path,
				strconv.Itoa(count), "1").Output()
			Expect(err).NotTo(HaveOccurred())
			var seconds, sum float64
			Expect(fmt.Sscan(string(out), &seconds, &sum)).To(Equal(2))
			theirs = append(theirs, time.Duration(seconds*float64(time.Second)))

			run := must(decode.Run(ctx, engine, model, decode.Tokens(ids)))
			logits, _ := run.Outputs()[0].Get("logits")
			last := 0.0
			for i := range 60 {
				last += logits.Float64At((count-1)*60 + i)
			}
			Expect(last).To(BeNumerically("~", sum, 1e-3), "the loops decode the same")
			var start time.Time
			watching := decode.Watch(ctx, func(done, all int) {
				switch done {
				case 1:
					start = time.Now()
				case all:
					ours = append(ours, time.Since(start))
				}
			})
			must(decode.Run(watching, engine, model, decode.Tokens(ids)))
			watching = decode.Watch(ctx, func(done, all int) {
				switch done {
				case 1:
					start = time.Now()
				case all:
					copies = append(copies, time.Since(start))
				}
			})
			must(decode.Run(watching, engine, model, decode.Tokens(ids), decode.Copying()))
		}
		a, b, c := slices.Min(theirs), slices.Min(ours), slices.Min(copies)
		text := fmt.Sprintf("ONNX Runtime's loop %v, ours %v (%.2f), with copies %v (%.2f)", a, b,
			float64(b)/float64(a), c, float64(c)/float64(a))
		AddReportEntry(text)
		GinkgoWriter.Println(text)
		Expect(float64(b)).To(BeNumerically("<=", 1.1*float64(a)), text)
	})
})
