package matchers_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/golden"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A golden file that holds a sample", func() {
	const n, path = 200_000, "testdata/golden/net.json"
	values := func() []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(math.Sin(float64(i)))
		}
		return all
	}
	of := func(all []float32) *backends.Run {
		return run(set("y", shaped(f32(all...), 2, n/2), "small", f32(1, 2)))
	}
	sampled := func() *GoldenMatcher { return MatchGolden("net").Sampled(1000) }
	var said *gbytes.Buffer
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		GinkgoT().Setenv("CI", "")
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		said = gbytes.NewBuffer()
		DeferCleanup(AnnounceTo(said))
		Expect(golden.Write(path, of(values()), golden.Options{
			Layout: golden.Layout{Sample: 1000}})).To(Succeed())
		GinkgoT().Setenv("GOLDEN_UPDATE", "")
	})

	It("is small, says what it holds, and is the same file each time", func() {
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(len(text)).To(BeNumerically("<", 10_000), "of 800 kB of data")
		Expect(string(text)).To(ContainSubstring(`"needs": ["sample","tree"]`))
		Expect(string(text)).To(ContainSubstring("which holds a sample of its outputs"))
		Expect(os.Remove(path)).To(Succeed())
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		Expect(of(values())).To(sampled())
		Expect(os.ReadFile(path)).To(Equal(text))
	})

	It("says what it vouches for at every pass, whatever the spec says", func() {
		Expect(of(values())).To(MatchGolden("net"))
		Expect(said).To(gbytes.Say(
			"golden sampled: the golden file .*: y: only a sample is stored, but all 200000 elements have " +
				"the same checksum"))
		near := values()
		near[150_000] += 1e-4
		var shown compare.Pair
		Expect(of(near)).To(MatchGolden("net").Within(1e-3, 0, Elementwise).
			ReportTo(func(o compare.Pair) { shown = o }))
		const words = "y: only the stored sample was compared, 1000 of 200000 elements (0.5 %); " +
			"indices are positions in the sample; " +
			"of the whole output, 3 of 4 blocks are bit-identical"
		Expect(string(said.Contents())).To(ContainSubstring(words))
		Expect(shown.Report.Text()).To(ContainSubstring("note: " + words + "\n"))
		text, err := json.Marshal(shown)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring(words))
		var read compare.Pair
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		Expect(read.Report.Notes).To(Equal([]string{words}))
		Expect(negated(MatchGolden("net").Within(1e-3, 0, Elementwise), of(near))).To(
			ContainSubstring("note: " + words))
	})

	DescribeTable("pairs outputs of other names", func(under compare.Options) {
		renamed := func(add float32) *backends.Run {
			all := values()
			for i := range all {
				all[i] += add
			}
			return run(set("out", shaped(f32(all...), 2, n/2), "tiny", f32(1, 2)))
		}
		m := MatchGolden("net").Within(1e-6, 0, Elementwise).Under(under)
		Expect(renamed(0)).To(m)
		Expect(said).To(gbytes.Say("y: only a sample is stored, but all 200000 elements have the same " +
			"checksum"))
		Expect(renamed(9)).NotTo(m)
		Expect(renamed(0)).NotTo(MatchGolden("net"))
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		near := renamed(5e-7)
		Expect(near).To(m)
		Expect(said).To(gbytes.Say("golden kept: .*: within tolerance, moved by at most 5.* .y."))
		Expect(said).NotTo(gbytes.Say(" new"))
		Expect(golden.Write(path, of(values()), golden.Options{})).To(Succeed())
		Expect(near).To(m)
		Expect(said).To(gbytes.Say("golden kept: .*: within tolerance, moved by at most 5.* .y."))
		Expect(said).NotTo(gbytes.Say(" new"))
		Expect(golden.Write("testdata/golden/far.json", of(values()), golden.Options{})).To(Succeed())
		far := MatchGolden("far").Under(under)
		Expect(renamed(1)).To(far)
		Expect(said).To(gbytes.Say("golden rewritten: .*max abs change 1 .y., small unchanged"))
		GinkgoT().Setenv("GOLDEN_UPDATE", "")
		Expect(renamed(1)).To(far)
		Expect(of(values())).NotTo(MatchGolden("far"))
	},
		Entry("by name", compare.Options{Names: map[string]string{"out": "y", "tiny": "small"}}),
		Entry("by position", compare.Options{ByPosition: true}))

	It("fails where elements of the sample differ, wherever they lie", func() {
		for part := range 20 { // any region of a hundredth is looked at
			all := values()
			for i := range n / 100 {
				all[part*n/20+i] += 1
			}
			Expect(of(all)).NotTo(MatchGolden("net").Within(1e-3, 0, Elementwise), "part %d", part)
		}
		all := values()
		Expect(failure(MatchGolden("net"), of(append(all[1:], 0)))).To(
			ContainSubstring("y: only the stored sample was compared, 1000 of 200000 elements (0.5 %); " +
				"indices are positions in the sample"))
	})

	It("fails where NaN or an infinity comes in outside of the sample", func() {
		hidden := 0
		for i := range 40 {
			all := values()
			all[5000*i+1] = float32(math.NaN())
			Expect(of(all)).NotTo(MatchGolden("net").Within(1, 1, Elementwise))
			if text := failure(MatchGolden("net").Within(1, 1, Elementwise), of(all)); len(text) > 0 {
				hidden++
			}
		}
		Expect(hidden).To(Equal(40))
		all := values()
		all[77] = float32(math.Inf(1))
		Expect(failure(MatchGolden("net").Within(1, 1, Elementwise), of(all))).To(ContainSubstring(
			"0 NaN and 1 infinities among all 200000 elements, expected 0 and 0"))
	})

	It("fails where the sums or the extremes of all elements show a difference elsewhere", func() {
		all := values()
		all[150_000] += 1e-4
		Expect(failure(MatchGolden("net"), of(all))).To(ContainSubstring("the rule allows no " +
			"difference, but an element outside the golden file's sample differs " +
			"(bit-identical blocks of the output: 3 of 4)"))
		all[150_000] = 3
		Expect(failure(MatchGolden("net").Within(1e-3, 1e-3, Elementwise), of(all))).To(MatchRegexp(
			"the maximum of all 200000 elements is 3, expected .*: an element outside the golden " +
				"file's sample is out"))
		all[150_000] = -3
		Expect(failure(MatchGolden("net").Within(1e-3, 1e-3, Max), of(all))).To(ContainSubstring(
			"the minimum of all 200000 elements is -3"))
		for _, lax := range []*GoldenMatcher{MatchGolden("net").Within(3, 0, Elementwise),
			MatchGolden("net").Within(1e-3, 1e-3, Mean), MatchGolden("net").Within(1e-3, 4, Elementwise)} {
			Expect(of(all)).To(lax)
		}
	})

	Describe("and a run that differs outside of the sample only", func() {
		// Every 3rd element of each iteration is another one, but never an element of the sample.
		differing := func(file *backends.Run, of func(i int) int64) *backends.Run {
			index := make([]float32, n)
			for i := range index {
				index[i] = float32(i)
			}
			Expect(golden.Write("testdata/golden/index.json", run(set("y", shaped(f32(index...), n))),
				golden.Options{Layout: golden.Layout{Sample: 1000}})).To(Succeed())
			r, err := golden.ReadReference(GinkgoT().Context(), "testdata/golden/index.json")
			Expect(err).NotTo(HaveOccurred())
			kept, _ := r.Run.Outputs()[0].Get("y")
			Expect(golden.Write(path, file, golden.Options{
				Layout: golden.Layout{Sample: 1000}})).To(Succeed())
			all := make([]int64, n)
			for i := range all {
				all[i] = int64(i % 3)
				if i%3 == 1 && !slices.Contains(kept.Float64s(), float64(i)) {
					all[i] = of(i)
				}
			}
			return run(set("y", shaped(tensor.Of(all...), 2, n/2)))
		}
		whole := func() *backends.Run {
			all := make([]int64, n)
			for i := range all {
				all[i] = int64(i % 3)
			}
			return run(set("y", shaped(tensor.Of(all...), 2, n/2)))
		}
		swapped := func(int) int64 { return 2 }

		DescribeTable("fails under any rule that allows no difference", func(check compare.Check) {
			Expect(failure(MatchGolden("net").With(check), differing(whole(), swapped))).To(
				ContainSubstring("the rule allows no difference, but an element outside the golden " +
					"file's sample differs"))
			Expect(whole()).To(MatchGolden("net").With(check))
		},
			Entry("units", compare.ULP(0)), Entry("sums of tolerances", compare.WithinSum(0, 0)),
			Entry("the mean", compare.Within(0, 0, Mean)), Entry("norms", compare.NormRelative(0)),
			Entry("the last quantile", compare.Within(0, 0, Quantile(1))),
			Entry("defaults of integers", compare.Defaults()),
			Entry("less than 1 of integers", compare.Within(0.5, 0.1, Elementwise)))

		DescribeTable("cannot be judged by a rule on all elements", func(check compare.Check) {
			m := MatchGolden("net").With(check)
			_, err := m.Match(differing(whole(), swapped))
			Expect(err).To(MatchError(ContainSubstring(
				"needs the complete output, but the golden file contains only a sample: update it without")))
			Expect(whole()).To(m)
		},
			Entry("indices", compare.Indices(0)), Entry("leaders", compare.TopKAgreement(1, 0.9)),
			Entry("a sum", compare.L2(1)), Entry("a function", compare.AtMost("own", 1,
				func(_, _ *tensor.Tensor) (float64, error) { return 0, nil })))

		It("cannot be judged by its top-k", func() {
			_, err := MatchGolden("net").Under(compare.Options{TopK: map[string]compare.TopK{
				"y": {K: 1, Axis: -1}}}).Match(differing(whole(), swapped))
			Expect(err).To(MatchError(ContainSubstring("top-k needs the whole output")))
		})

		It("fails in a sequence, and in every iteration of an average", func() {
			y, _ := whole().Outputs()[0].Get("y")
			other, _ := differing(whole(), swapped).Outputs()[0].Get("y")
			sequence := func(t *tensor.Tensor) *backends.Run {
				return run(set("s.length", tensor.Scalar[int64](1), "s[0]", t))
			}
			Expect(golden.Write(path, sequence(y), golden.Options{
				Layout: golden.Layout{Sample: 1000}})).To(Succeed())
			Expect(sequence(y)).To(MatchGolden("net"))
			Expect(sequence(other)).NotTo(MatchGolden("net"))
			twice := run(set("y", y))
			twice.Append(backends.Iteration{Outputs: set("y", y)})
			Expect(golden.Write(path, twice, golden.Options{
				Layout: golden.Layout{Sample: 1000}})).To(Succeed())
			late := run(set("y", y))
			late.Append(backends.Iteration{Outputs: set("y", other)})
			average := MatchGolden("net").Within(0, 0, Mean).Under(compare.Options{Average: true})
			Expect(twice).To(average)
			Expect(late).NotTo(average)
		})

		It("fails if it has the shape of the sample", func() {
			Expect(golden.Write(path, run(set("y", shaped(f32(make([]float32, n)...), 2, n/2))),
				golden.Options{Layout: golden.Layout{Sample: 1000}})).To(Succeed())
			Expect(failure(MatchGolden("net").Within(1e-3, 0, Elementwise),
				run(set("y", f32(make([]float32, 1000)...))))).To(ContainSubstring(
				"the run returns float32[1000], expected float32[2,100000]"))
		})
	})

	It("fails where the shape or the type differs, and says of what it is a sample", func() {
		other := run(set("y", shaped(f32(values()...), n/2, 2), "small", f32(1, 2)))
		Expect(failure(MatchGolden("net"), other)).To(ContainSubstring(
			"y: the file contains a sample of float32[2,100000], the run returns float32[100000,2]"))
	})

	It("is kept by an update where its sample holds", func() {
		near := values()
		near[150_000] += 1e-4
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		before, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(of(near)).To(sampled().Within(1e-3, 0, Elementwise))
		Expect(os.ReadFile(path)).To(Equal(before))
	})

	It("is rewritten as a sample", func() {
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		far := values()
		for i := range far {
			far[i] += 1
		}
		Expect(of(far)).To(sampled().Within(1e-3, 0, Elementwise))
		Expect(said).To(gbytes.Say("golden rewritten: .*max abs change 1 .y., small unchanged"))
		GinkgoT().Setenv("GOLDEN_UPDATE", "")
		Expect(of(far)).To(MatchGolden("net"))
		Expect(string(said.Contents())).To(ContainSubstring("golden sampled"))
	})

	It("is refused if a rule needs whole outputs", func() {
		_, err := MatchDecisions(decisions.TopK{K: 1}).OfGolden("net").Match(of(values()))
		Expect(err).To(MatchError(ContainSubstring("comparing decisions needs complete outputs")))
		_, err = MatchGolden("net").Sampled(0).Match(of(values()))
		Expect(err).To(MatchError(ContainSubstring("Sampled(0): a sample needs at least 1 element")))
		_, err = MatchOutputs().OfFile(path).Match(of(values()))
		Expect(err).To(MatchError(ContainSubstring("only MatchGolden can compare with it")))
	})

	It("works with data in separate files", func() {
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		Expect(of(values())).To(MatchGolden("other").Sampled(1000).Inline(4))
		GinkgoT().Setenv("GOLDEN_UPDATE", "")
		Expect("testdata/golden/other.data").To(BeADirectory())
		Expect(of(values())).To(MatchGolden("other"))
	})
})
