package matchers_test

import (
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"github.com/onsi/gomega/gcustom"
	"github.com/onsi/gomega/gstruct"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	. "github.com/modelparity/modelparity/matchers"
)

// form is one way to assert a matcher: of a run that differs from the golden file.
type form func(g Gomega, run *backends.Run, m *GoldenMatcher)

// What a form may do to the golden file: write it at once; write it once it is told that its spec
// passed; never write it.
const (
	atOnce = "at once"
	atEnd  = "when the spec has passed"
	never  = "never"
)

var _ = Describe("An update through", func() {
	const path = "testdata/golden/digits.json"
	old, now := run(set("logits", f32(1))), run(set("logits", f32(2)))
	var before string
	// isWritten holds the file to whether it should be written.
	isWritten := func(wanted bool) {
		GinkgoHelper()
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		if wanted {
			Expect(string(text)).NotTo(Equal(before), "the file should be written")
		} else {
			Expect(string(text)).To(Equal(before), "the file should be left alone")
		}
	}
	var said *gbytes.Buffer
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		GinkgoT().Setenv("CI", "")
		GinkgoT().Setenv("GOLDEN_UPDATE", "1")
		Expect(golden.Write(path, old, golden.Options{})).To(Succeed())
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		before = string(text)
		said = gbytes.NewBuffer()
		DeferCleanup(AnnounceTo(said))
	})
	// try asserts once in each way that a spec can end. Whether the assertion holds does not matter
	// here, only what becomes of the file.
	try := func(assert form, m *GoldenMatcher) {
		defer func() { _ = recover() }() // as a spec that fails by a panic
		assert(NewGomega(func(string, ...int) {}), now, m)
	}

	DescribeTable("this form of assertion writes", func(writes string, assert form) {
		By("the end of the spec is not reported")
		try(assert, MatchGolden("digits"))
		isWritten(writes == atOnce)
		Expect(golden.Write(path, old, golden.Options{})).To(Succeed())

		By("the spec fails")
		spec := golden.Begin("fails")
		try(assert, MatchGolden("digits"))
		isWritten(false)
		Expect(spec.End(false)).To(BeEmpty())
		isWritten(false)

		By("the spec passes")
		spec = golden.Begin("passes")
		try(assert, MatchGolden("digits"))
		isWritten(false)
		_, err := spec.End(true)
		Expect(err).NotTo(HaveOccurred())
		isWritten(writes != never)
	},
		Entry("To", atOnce, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(m)
		})),
		Entry("Should", atOnce, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Ω(r).Should(m)
		})),
		Entry("To with an offset and a description", atOnce,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.ExpectWithOffset(1, r).To(m, "batch of %d", 8)
			})),
		Entry("To of a run with its nil error", atOnce,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) { g.Expect(r, nil).To(m) })),
		Entry("To of a run with an error", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Expect(r, os.ErrClosed).To(m)
			})),
		Entry("To in a helper", atOnce, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			func() { g.Expect(r).To(m) }()
		})),
		Entry("And", atEnd, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(And(BeFinite(), m))
		})),
		Entry("SatisfyAll of And", atEnd, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(SatisfyAll(And(m, BeFinite()), BeFinite()))
		})),
		Entry("And after one that fails", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Expect(r).To(And(HaveOutput("other"), m))
			})),
		Entry("a transform", atEnd, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(1).To(WithTransform(func(int) *backends.Run { return r }, m))
		})),
		Entry("NotTo", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).NotTo(m)
		})),
		Entry("ToNot", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).ToNot(m)
		})),
		Entry("ShouldNot", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Ω(r).ShouldNot(m)
		})),
		Entry("Not", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(Not(m))
		})),
		Entry("Not of And", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(Not(And(m, BeNil())))
		})),
		Entry("And of Not", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(And(BeFinite(), Not(m)))
		})),
		Entry("Not of Not", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(Not(Not(m)))
		})),
		Entry("NotTo of And", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).NotTo(And(BeFinite(), m))
		})),
		Entry("Or", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(Or(m, MatchGolden("other")))
		})),
		Entry("SatisfyAny", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(SatisfyAny(BeNil(), m))
		})),
		Entry("And of Or", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(And(BeFinite(), Or(m, BeFinite())))
		})),
		Entry("Or of And", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(Or(And(BeFinite(), m), BeFinite()))
		})),
		Entry("ContainElement", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect([]*backends.Run{r}).To(ContainElement(m))
		})),
		Entry("ContainElements", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect([]*backends.Run{r}).To(ContainElements(m))
		})),
		Entry("ConsistOf", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect([]*backends.Run{r}).To(ConsistOf(m))
		})),
		Entry("HaveEach", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect([]*backends.Run{r}).To(HaveEach(m))
		})),
		Entry("HaveExactElements", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect([]*backends.Run{r}).To(HaveExactElements(m))
		})),
		Entry("HaveKeyWithValue", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(map[int]*backends.Run{1: r}).To(HaveKeyWithValue(1, m))
		})),
		Entry("HaveField", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(struct{ R *backends.Run }{r}).To(HaveField("R", m))
		})),
		Entry("HaveValue", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(&r).To(HaveValue(m))
		})),
		Entry("gstruct", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(struct{ R *backends.Run }{r}).To(
				gstruct.MatchAllFields(gstruct.Fields{"R": m}))
		})),
		Entry("Receive", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			c := make(chan *backends.Run, 1)
			c <- r
			g.Expect(c).To(Receive(m))
		})),
		Entry("Satisfy", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Expect(r).To(Satisfy(func(r *backends.Run) bool {
				ok, err := m.Match(r)
				return !ok && err == nil
			}))
		})),
		Entry("a transform to the verdict", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Expect(r).To(WithTransform(func(r *backends.Run) (bool, error) {
					return m.Match(r)
				}, BeFalse()))
			})),
		Entry("a matcher made by gcustom", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Expect(r).To(gcustom.MakeMatcher(func(r *backends.Run) (bool, error) {
					ok, err := m.Match(r)
					return !ok, err
				}))
			})),
		Entry("an assertion inside a matcher", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Expect(r).To(Satisfy(func(r *backends.Run) bool {
					return !NewGomega(func(string, ...int) {}).Expect(r).To(m)
				}))
			})),
		Entry("a matcher of the user's", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Expect(r).To(contrary{m})
			})),
		Entry("Match by hand", never, form(func(_ Gomega, r *backends.Run, m *GoldenMatcher) {
			_, _ = m.Match(r)
		})),
		Entry("InterceptGomegaFailure", never,
			form(func(_ Gomega, r *backends.Run, m *GoldenMatcher) {
				_ = InterceptGomegaFailure(func() { Expect(r).To(m) })
			})),
		Entry("InterceptGomegaFailures", never,
			form(func(_ Gomega, r *backends.Run, m *GoldenMatcher) {
				_ = InterceptGomegaFailures(func() { Expect(r).To(m) })
			})),
		Entry("a function that should panic", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Expect(func() {
					g.Expect(r).To(m)
					panic("as expected")
				}).To(Panic())
			})),
		Entry("Eventually", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Eventually(func() *backends.Run { return r }, soon).Should(m)
		})),
		Entry("Eventually, negated", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Eventually(func() *backends.Run { return r }, soon).ShouldNot(m)
			})),
		Entry("Consistently", never, form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
			g.Consistently(func() *backends.Run { return r }, soon).Should(m)
		})),
		Entry("an assertion in Eventually", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Eventually(func(inner Gomega) { inner.Expect(r).To(m) }, soon).Should(Succeed())
			})),
		Entry("an assertion in a negated Eventually", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Eventually(func(inner Gomega) { inner.Expect(r).To(m) }, soon).ShouldNot(Succeed())
			})),
		Entry("an assertion of the outer Gomega in Eventually", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Eventually(func() bool { return g.Expect(r).To(m) }, soon).Should(BeFalse())
			})),
		Entry("a goroutine of the user's", never,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				done := make(chan struct{})
				go func() {
					defer close(done)
					g.Expect(r).To(m)
				}()
				<-done
			})),
		Entry("a spec that panics after it", atOnce,
			form(func(g Gomega, r *backends.Run, m *GoldenMatcher) {
				g.Expect(r).To(m)
				panic("a spec that fails")
			})),
	)

	It("says what keeps it from writing, and how to write, in the failure and at once", func() {
		m := MatchGolden("digits")
		g := NewGomega(func(string, ...int) {})
		g.Expect([]*backends.Run{now}).To(ContainElement(m))
		const text = path + ": an update never writes from inside ContainElement, where a spec " +
			"can pass although MatchGolden fails; to update the file, assert MatchGolden alone"
		Expect(string(said.Contents())).To(Equal("golden not written: " + text + "\n"))
		Expect(m.FailureMessage(now)).To(HaveSuffix("\nnot written: " + text))
		Expect(m.FailureMessage(now)).NotTo(ContainSubstring("-golden.update"))

		Expect(failed(func(g Gomega) { g.Expect(now).To(And(BeFinite(), MatchGolden("new"))) })).To(
			HaveSuffix("no such file or directory; not written: testdata/golden/new.json: " +
				"MatchGolden is combined with other matchers; to update the file, assert it alone, " +
				"add var _ = ginkgoreport.Suite() to the suite, or add .In(t) to the matcher"))
		Expect(failed(func(g Gomega) { g.Expect(now).NotTo(MatchGolden("new")) })).To(
			ContainSubstring("not written: testdata/golden/new.json: an update never writes from " +
				"inside NotTo"))
	})

	It("says nothing where a mismatch is what the spec wants, or where there is none", func() {
		Expect(now).NotTo(MatchGolden("digits"))
		Expect(now).To(Not(MatchGolden("digits")))
		Expect([]*backends.Run{old}).To(ContainElement(MatchGolden("digits")))
		Expect(said.Contents()).To(BeEmpty())
	})

	It("reports in mode diff what the file is now, which the rest of the spec does not see", func() {
		GinkgoT().Setenv("GOLDEN_UPDATE", "diff")
		GinkgoT().Setenv(goldentree.EnvReview, GinkgoT().TempDir())
		Expect(os.WriteFile("go.mod", nil, 0o600)).To(Succeed())
		spec := golden.Begin("digits")
		for _, name := range []string{"digits", "missing"} {
			var outcome compare.Pair
			Expect(now).To(MatchGolden(name).ReportTo(func(o compare.Pair) { outcome = o }))
			Expect(outcome.Golden).To(HavePrefix("golden would be "))
			Expect(outcome.Report.Verdict).To(Equal(compare.Fail))
			if name == "digits" {
				Expect(outcome.Report.Outputs[0].Verdict).To(Equal(compare.Fail))
			} else {
				Expect(outcome.Report.Reason).To(Equal("the golden file does not exist"))
				Expect(outcome.Expected).To(Equal("the golden file testdata/golden/missing.json"))
			}
		}
		var kept compare.Pair
		Expect(now).To(MatchGolden("digits").Within(1, 0, Max).
			ReportTo(func(o compare.Pair) { kept = o }))
		Expect(kept.Report.Verdict).To(Equal(compare.Pass))
		_, err := spec.End(true)
		Expect(err).To(MatchError(ContainSubstring("digits.json does not match")))
		isWritten(false)
	})

	It("sees in the same spec what it will have written", func() {
		spec := golden.Begin("twice")
		Expect(now).To(MatchGolden("digits"))
		Expect(now).To(MatchGolden("digits"))
		near := run(set("logits", f32(2.25)))
		Expect(near).To(MatchGolden("digits").Within(0.5, 0, Elementwise))
		Expect(failed(func(g Gomega) { g.Expect(old).To(MatchGolden("digits")) })).To(
			ContainSubstring(`"twice" already produced different outputs in this test run`))
		spec.Again(true)
		Expect(old).To(MatchGolden("digits"))
		Expect(spec.End(true)).To(HaveExactElements(HaveField("Kind", golden.Kept)))
	})
})
