package compare_test

import (
	"encoding/json"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
)

var _ = Describe("The time that a run took", func() {
	It("is over the iterations with a known time", func() {
		t, ok := compare.TimingOf("r", "",
			[]time.Duration{2 * time.Millisecond, -1, 4 * time.Millisecond})
		Expect(ok).To(BeTrue())
		Expect(t.String()).To(Equal("r: 2 iterations, mean 3 ms, 2 … 4 ms"))
		t, ok = compare.TimingOf("r", "", []time.Duration{0})
		Expect(ok).To(BeTrue())
		Expect(t.String()).To(Equal("r: 1 iteration, 0 ms"))
		_, ok = compare.TimingOf("r", "", []time.Duration{-1})
		Expect(ok).To(BeFalse())
	})

	It("is shown for each iteration, with the engine, if everything is shown", func() {
		t, _ := compare.TimingOf("r", "ort.Engine(ort.Threads(2))",
			[]time.Duration{2 * time.Millisecond, -1, 4 * time.Millisecond})
		d := compare.Document{Timings: []compare.Timing{t}}
		summary := "time: r: 2 iterations, mean 3 ms, 2 … 4 ms\n"
		Expect(d.Text(3)).To(Equal(summary))
		Expect(d.Text(4)).To(Equal("run: r: ort.Engine(ort.Threads(2))\n" +
			"time: r: iteration 0, 2 ms\ntime: r: iteration 2, 4 ms\n" + summary))
	})

	It("stands in a document, and in its text where that is asked for", func() {
		d := compare.Document{Timings: []compare.Timing{{Run: "r", Iterations: 1, Mean: 0.5, Min: 0.5,
			Max: 0.5}}}
		Expect(d.Text(1)).To(Equal("time: r: 1 iteration, 500 ms\n"))
		Expect(d.Text(0)).To(BeEmpty())
		text, err := json.Marshal(d)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring(
			`"timings":[{"run":"r","iterations":1,"mean":0.5,"min":0.5,"max":0.5}]`))
		var read compare.Document
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		Expect(read.Timings).To(Equal(d.Timings))
	})
})
