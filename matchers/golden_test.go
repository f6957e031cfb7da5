package matchers_test

import (
	"context"
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("MatchGolden", func() {
	nan := float32(math.NaN())
	logits := func(values ...float32) *backends.Run { return run(set("logits", f32(values...))) }

	var path string
	var notices *gbytes.Buffer
	BeforeEach(func() {
		// A module with one package, as go test would run it.
		module := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(module, "go.mod"), nil, 0o644)).To(Succeed())
		Expect(os.Mkdir(filepath.Join(module, "digits"), 0o755)).To(Succeed())
		GinkgoT().Chdir(filepath.Join(module, "digits"))
		GinkgoT().Setenv("CI", "")
		GinkgoT().Setenv("GOLDEN_UPDATE", "")
		path = filepath.Join("testdata", "golden", "digits.json")
		notices = gbytes.NewBuffer()
		DeferCleanup(AnnounceTo(notices))
	})
	updating := func(mode string) { GinkgoT().Setenv("GOLDEN_UPDATE", mode) }
	store := func(r *backends.Run) {
		GinkgoHelper()
		Expect(golden.Write(path, r, golden.Options{})).To(Succeed())
	}
	accept := func(r *backends.Run) {
		GinkgoHelper()
		updating("1")
		Expect(r).To(MatchGolden("digits"))
		updating("")
	}
	bytes := func() string {
		GinkgoHelper()
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		return string(text)
	}

	Describe("reading", func() {
		It("wants every element equal unless told otherwise", func() {
			store(logits(1, 2))
			ended, cancel := context.WithCancel(context.Background())
			cancel() // as of a run of a BeforeAll
			Expect(logits(1, 2).Under(ended)).To(MatchGolden("digits"))
			next := math.Nextafter32(2, 3)
			Expect(logits(1, 2)).To(MatchGolden("digits"))
			Expect(logits(1, next)).NotTo(MatchGolden("digits"))
			Expect(logits(1, next)).To(MatchGolden("digits").Within(1e-6, 0, Elementwise))
			Expect(logits(1, next)).To(MatchGolden("digits").ForOutput("logits", 1e-6, 0, Max))
			Expect(logits(1, next)).To(MatchOutputsWithin(1e-6, 0, Max).OfGolden("digits"))
		})

		It("ends with the command that writes a missing file, and fails NotTo as well", func() {
			const missing = "MatchGolden: golden: testdata/golden/digits.json: no such file or directory; "
			const says = missing + "to write it from this run, together with all other changes " +
				"in the package (to select this spec alone, add var _ = ginkgoreport.Suite() to the suite): " +
				"go test -v ./digits -golden.update"
			_, err := MatchGolden("digits").Match(logits(1))
			Expect(err).To(MatchError(says))
			negated := InterceptGomegaFailure(func() {
				Expect(logits(1)).NotTo(MatchGolden("digits"))
			})
			Expect(negated).To(MatchError(missing + "an update cannot write it from this run: an update " +
				"never writes from inside NotTo, where a spec can pass although MatchGolden fails; to update " +
				"the file, assert MatchGolden alone"))
			Expect("testdata").NotTo(BeAnExistingFile())
		})

		It("ends with the command where the file is damaged", func() {
			store(logits(1))
			Expect(os.Truncate(path, int64(len(bytes())/2))).To(Succeed())
			_, err := MatchGolden("digits").Match(logits(1))
			Expect(err).To(MatchError(And(
				HavePrefix("MatchGolden: golden: testdata/golden/digits.json: "),
				ContainSubstring("; to write it again from this run, together with all other changes in the "),
				HaveSuffix(" to the suite): go test -v ./digits -golden.update"))))
			spec := golden.Begin("digits", "-ginkgo.focus=^digits$")
			_, err = MatchGolden("digits").Match(logits(1))
			Expect(spec.End(false)).To(BeEmpty())
			Expect(err).To(MatchError(HaveSuffix("; to write it again from this run: " +
				"go test -v ./digits -golden.update -ginkgo.focus='^digits$'")))
		})

		It("refuses a name that leaves the folder", func() {
			_, err := MatchGolden("../digits").Match(logits(1))
			Expect(err).To(MatchError(HaveSuffix(`"../digits" leads outside testdata/golden`)),
				"which no update mends")
		})

		DescribeTable("advises no update that would not write a missing file",
			func(matcher types.GomegaMatcher, actual any, why string) {
				Expect(failed(func(g Gomega) { g.Expect(actual).To(matcher) })).To(And(
					HaveSuffix(": no such file or directory; an update cannot write it from this run: "+why),
					Not(ContainSubstring("-golden.update"))))
			},
			Entry("of NoWorseThan", NoWorseThan(precision.FP16).OfGolden("digits"), logits(1),
				"NoWorseThan only reads it; to write it, use MatchGolden with a float32 run"),
			Entry("inside Or", Or(MatchGolden("digits"), MatchGolden("other")), logits(1),
				"an update never writes from inside Or, where a spec can pass although MatchGolden "+
					"fails; to update the file, assert MatchGolden alone"),
			Entry("inside And", And(MatchOutputs().OfGolden("digits"), BeFinite()), logits(1),
				"MatchOutputs is combined with other matchers; to update the file, assert it alone, add "+
					"var _ = ginkgoreport.Suite() to the suite, or add .In(t) to the matcher"),
			Entry("of a tensor", MatchGolden("digits"), f32(1),
				"a golden file records the engine that made it, so pass a *backends.Run to Expect, not a "+
					"tensor"),
			Entry("of NaN", MatchGolden("digits").AllowNonFinite(), logits(1, nan),
				"the run would not match its own golden file; if it may contain NaN or infinities, the "+
					"matcher needs .AllowNonFinite() and .Under(compare.Options{NaNEqual: true, "+
					"InfinitiesEqual: true})"),
		)

		It("advises no update where a mismatch is inside Eventually", func() {
			store(logits(1))
			Expect(failed(func(g Gomega) {
				g.Eventually(func() any { return logits(2) }).WithTimeout(0).Should(MatchGolden("digits"))
			})).To(HaveSuffix("\nan update cannot accept the change: an update never writes from inside " +
				"Eventually or Consistently, where a spec can pass although MatchGolden fails; to update " +
				"the file, assert MatchGolden alone"))
		})

		It("advises no update where none writes the file", func() {
			Expect(os.MkdirAll(path, 0o755)).To(Succeed())
			_, err := MatchGolden("digits").Match(logits(1))
			Expect(err).To(MatchError(HaveSuffix("not a regular file but a folder")))
			updating("1")
			_, err = MatchGolden("digits").Match(logits(1))
			Expect(err).To(MatchError(HaveSuffix("not a regular file but a folder")))
			updating("")
			Expect(os.Remove(path)).To(Succeed())
			Expect(os.Symlink("digits.json", path)).To(Succeed()) // which leads to itself
			_, err = MatchGolden("digits").Match(logits(1))
			Expect(err).To(MatchError(HaveSuffix("too many levels of symbolic links")))
		})

		It("says what changed, from what, and which command accepts it", func() {
			before := run(set("logits", f32(1, 2, 3, 4), "label", tensor.Of[int64](3)))
			before.Provenance.Version = "1.30.0"
			store(before)
			now := run(set("logits", f32(1, 2, 3.5, 4), "label", tensor.Of[int64](3)))
			now.Provenance.ModelSHA256 = "ffffffffffffffff"
			now.Provenance.Inputs = "random, seed 2, values in [0,1)"
			expectText("golden", failure(MatchGolden("digits").Within(1e-5, 1e-5, Elementwise), now))
		})

		It("names itself by its file", func() {
			Expect(MatchGolden("digits").String()).To(Equal("match the golden file " + path +
				" within elementwise: abs ≤ 0 or rel ≤ 0"))
		})
	})

	Describe("accepting", func() {
		It("writes a file that is missing, says so, and passes with it from then on", func() {
			accept(logits(1, 2))
			Expect(notices).To(gbytes.Say("golden created: testdata/golden/digits.json\n"))
			Expect(logits(1, 2)).To(MatchGolden("digits"))
		})

		It("rewrites a file that differs and says how far each output moved", func() {
			store(run(set("logits", f32(1, 2), "label", tensor.Of[int64](7))))
			now := run(set("logits", f32(1, 2.5), "label", tensor.Of[int64](7)))
			var outcome compare.Pair
			updating("1")
			Expect(now).To(MatchGolden("digits").ReportTo(func(o compare.Pair) { outcome = o }))
			const said = "golden rewritten: testdata/golden/digits.json, " +
				"max abs change 0.5 (logits), label unchanged"
			Expect(outcome.Golden).To(Equal(said))
			// What the first update of a process advises for git may follow.
			Expect(string(notices.Contents())).To(HavePrefix(said + "\n"))
			updating("")
			Expect(now).To(MatchGolden("digits"))
		})

		It("keeps a file that is within the spec's own tolerance, and says how far it moved", func() {
			store(logits(1, 2))
			before := bytes()
			updating("1")
			Expect(logits(1, 2.0078125)).To(MatchGolden("digits").Within(0.01, 0, Elementwise))
			Expect(bytes()).To(Equal(before))
			Expect(notices).To(gbytes.Say("^golden kept: testdata/golden/digits.json: " +
				`within tolerance, moved by at most 0.007812 \(logits\)\n$`))

			updating("all")
			Expect(logits(1, 2.0078125)).To(MatchGolden("digits").Within(0.01, 0, Elementwise))
			Expect(bytes()).NotTo(Equal(before))
		})

		It("rewrites a file that one of two checks does not take", func() {
			store(run(set("logits", f32(1, 2), "label", f32(1))))
			updating("1")
			now := run(set("logits", f32(1, 2), "label", f32(1.125)))
			Expect(now).To(MatchGolden("digits").Within(0.25, 0, Elementwise).
				ForOutput("label", 0.0625, 0, Max))
			Expect(notices).To(gbytes.Say("golden rewritten: "))
		})

		It("leaves a file alone that holds the run already", func() {
			accept(logits(1, 2))
			said := len(notices.Contents())
			accept(logits(1, 2))
			Expect(notices.Contents()).To(HaveLen(said))
		})

		It("keeps a list for those who report", func() {
			before := len(Updated())
			accept(logits(1, 2))
			Expect(Updated()[before:]).To(HaveExactElements(HaveField("Path", path)))
		})

		DescribeTable("refuses what would be worthless as a reference",
			func(m func() *GoldenMatcher, actual func() any, says string) {
				updating("1")
				Expect(failed(func(g Gomega) { g.Expect(actual()).To(m()) })).To(
					ContainSubstring(says))
				Expect("testdata").NotTo(BeAnExistingFile())
			},
			Entry("NaN", func() *GoldenMatcher { return MatchGolden("digits") },
				func() any { return logits(1, nan) }, `output "logits" has 1 NaN at [1], which usually `+
					`means a broken run; if the model is meant to produce them, add AllowNonFinite, and `+
					`compare with the options NaNEqual and InfinitiesEqual`),
			Entry("NaN that would not match itself",
				func() *GoldenMatcher { return MatchGolden("digits").AllowNonFinite() },
				func() any { return logits(1, nan) },
				"may contain NaN or infinities, the matcher needs .AllowNonFinite() and .Under("),
			Entry("a run without iterations", func() *GoldenMatcher { return MatchGolden("digits") },
				func() any { return run() }, "number of iterations: actual 0, expected 0"),
			Entry("a run without outputs", func() *GoldenMatcher { return MatchGolden("digits") },
				func() any { return run(set()) }, "iteration 0 has no outputs on either side"),
			Entry("an iteration without outputs",
				func() *GoldenMatcher { return MatchGolden("digits") },
				func() any { return run(set("logits", f32(1)), set()) },
				"iteration 1 has no outputs on either side"),
			Entry("a tensor without a run", func() *GoldenMatcher { return MatchGolden("digits") },
				func() any { return f32(1) }, "pass a *backends.Run to Expect"),
			Entry("a tolerance for an output that the run lacks", func() *GoldenMatcher {
				return MatchGolden("digits").ForOutput("logit", 1, 1, Max)
			}, func() any { return logits(1) }, `names "logit", which matches no output`),
		)

		It("takes NaN where it is allowed and equals itself", func() {
			m := MatchGolden("digits").AllowNonFinite().Under(compare.Options{NaNEqual: true})
			updating("1")
			Expect(logits(1, nan)).To(m)
			updating("")
			Expect(logits(1, nan)).To(m)
			Expect(logits(1, 2)).NotTo(m)
		})

		It("advises no update that would refuse the run", func() {
			updating("1")
			nans := MatchGolden("digits").AllowNonFinite().Under(compare.Options{NaNEqual: true})
			Expect(logits(1, nan)).To(nans)
			updating("")
			m := MatchGolden("digits").AllowNonFinite()
			Expect(failure(m, logits(1, nan))).To(And(ContainSubstring("set NaNEqual"),
				HaveSuffix("an update cannot accept the change: the run would not match its own golden "+
					"file; if it may contain NaN or infinities, the matcher needs .AllowNonFinite() and "+
					".Under(compare.Options{NaNEqual: true, InfinitiesEqual: true})")))
			Expect(logits(1, nan)).To(m.Under(compare.Options{NaNEqual: true, InfinitiesEqual: true}))
		})

		It("mends a damaged file", func() {
			store(logits(1))
			before := bytes()
			Expect(os.WriteFile(path, []byte("{"), 0o644)).To(Succeed())
			accept(logits(1))
			Expect(bytes()).To(Equal(before))
			Expect(notices).To(gbytes.Say("the old file could not be read"))
		})

		It("is refused on CI, To and NotTo alike", func() {
			updating("1")
			GinkgoT().Setenv("CI", "true")
			for _, assert := range []func(Gomega){
				func(g Gomega) { g.Expect(logits(1)).To(MatchGolden("digits")) },
				func(g Gomega) { g.Expect(logits(1)).NotTo(MatchGolden("digits")) },
			} {
				Expect(failed(assert)).To(ContainSubstring("changes made on CI are not reviewed"))
			}
			Expect("testdata").NotTo(BeAnExistingFile())
		})
	})
})
