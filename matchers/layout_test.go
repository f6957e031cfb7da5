package matchers_test

import (
	"encoding/json"
	"math"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/golden"
	. "github.com/modelparity/modelparity/matchers"
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
			"golden sampled: the golden file .*: y: a sample, but all 200000 elements have the same bits"))
		near := values()
		near[150_000] += 1e-4
		var shown compare.Pair
		Expect(of(near)).To(MatchGolden("net").Within(1e-3, 0, Elementwise).
			ReportTo(func(o compare.Pair) { shown = o }))
		const words = "y: a sample, 1000 of 200000 elements were compared (0.5 %); " +
			"3 of 4 blocks have the same bits"
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
		Expect(said).To(gbytes.Say("y: a sample, but all 200000 elements have the same bits"))
		Expect(renamed(9)).NotTo(m)
		Expect(renamed(0)).NotTo(MatchGolden("net"))
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		near := renamed(5e-7)
		Expect(near).To(m)
		Expect(said).To(gbytes.Say("golden kept: .*: within tolerance, moved by 5.* at most .y."))
		Expect(said).NotTo(gbytes.Say(" new"))
		Expect(golden.Write(path, of(values()), golden.Options{})).To(Succeed())
		Expect(near).To(m)
		Expect(said).To(gbytes.Say("golden kept: .*: within tolerance, moved by 5.* at most .y."))
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
			ContainSubstring("y: a sample, 1000 of 200000 elements were compared"))
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
			"0 NaN and 1 infinities in all 200000 elements, expected 0 and 0"))
	})

	It("fails where the sums or the extremes of all elements show a difference elsewhere", func() {
		all := values()
		all[150_000] += 1e-4
		Expect(failure(MatchGolden("net"), of(all))).To(ContainSubstring("the rule allows no " +
			"difference, but an element outside the sample has other bits (3 of 4 blocks are the same)"))
		all[150_000] = 3
		Expect(failure(MatchGolden("net").Within(1e-3, 1e-3, Elementwise), of(all))).To(MatchRegexp(
			"the greatest of all 200000 elements is 3, expected .*: an element outside the sample is out"))
		all[150_000] = -3
		Expect(failure(MatchGolden("net").Within(1e-3, 1e-3, Max), of(all))).To(ContainSubstring(
			"the least of all 200000 elements is -3"))
		for _, lax := range []*GoldenMatcher{MatchGolden("net").Within(3, 0, Elementwise),
			MatchGolden("net").Within(1e-3, 1e-3, Mean), MatchGolden("net").Within(1e-3, 4, Elementwise)} {
			Expect(of(all)).To(lax)
		}
	})

	It("fails where the shape or the type differs, and says of what it is a sample", func() {
		other := run(set("y", shaped(f32(values()...), n/2, 2), "small", f32(1, 2)))
		Expect(failure(MatchGolden("net"), other)).To(ContainSubstring(
			"y: the file holds a sample of float32[2,100000], the run returns float32[100000,2]"))
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
		Expect(err).To(MatchError(ContainSubstring("not the whole outputs that decisions are")))
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
