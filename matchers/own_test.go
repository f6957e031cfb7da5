package matchers_test

import (
	"fmt"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	. "github.com/modelparity/modelparity/matchers"
)

var _ = Describe("A golden file without a name", func() {
	old, now := run(set("logits", f32(1))), run(set("logits", f32(2)))
	const path = "testdata/golden/digits-still-match-3545f21c.json"
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		GinkgoT().Setenv("CI", "")
		GinkgoT().Setenv(goldentree.EnvUpdate, "")
		DeferCleanup(AnnounceTo(gbytes.NewBuffer()))
	})
	// in asserts inside a spec of that text that passes, and gives the message of a failure.
	in := func(text string, assert func(g Gomega)) (message string) {
		GinkgoHelper()
		spec := golden.Begin(text, "-ginkgo.focus= "+text+"$")
		g := NewGomega(func(said string, _ ...int) { message += said })
		assert(g)
		_, err := spec.End(message == "")
		Expect(err).NotTo(HaveOccurred())
		return message
	}

	It("is called by the spec's text, and says so", func() {
		GinkgoT().Setenv(goldentree.EnvUpdate, "1")
		Expect(in("digits still match", func(g Gomega) { g.Expect(old).To(MatchGolden()) })).To(BeEmpty())
		Expect(path).To(BeARegularFile())
		GinkgoT().Setenv(goldentree.EnvUpdate, "")
		Expect(in("digits still match", func(g Gomega) { g.Expect(old).To(MatchGolden()) })).To(BeEmpty())
		Expect(in("digits still match", func(g Gomega) {
			g.Expect(now).To(MatchOutputsWithin(0.5, 0, Elementwise).OfGolden())
		})).To(And(ContainSubstring("the golden file "+filepath.FromSlash(path)+
			", named after the spec's text\n"), HaveSuffix("-ginkgo.focus=' digits still match$'")))
		var outcome compare.Pair
		Expect(in("digits still match", func(g Gomega) {
			g.Expect(now).NotTo(MatchGolden().ReportTo(func(o compare.Pair) { outcome = o }))
		})).To(BeEmpty())
		Expect(outcome.Expected).To(ContainSubstring(filepath.FromSlash(path)))
	})

	It("that is missing says where its name is from", func() {
		Expect(in("digits still match", func(g Gomega) { g.Expect(old).To(MatchGolden()) })).To(
			And(ContainSubstring(filepath.FromSlash(path) + ": no such file or directory; the file " +
				"is named after the spec's text: if you changed the text, rename the file; " +
				"to write it from this run: ")))
	})

	It("is one for each match, so a second is an error", func() {
		GinkgoT().Setenv(goldentree.EnvUpdate, "1")
		Expect(in("digits still match", func(g Gomega) {
			for range 2 {
				g.Expect(old).To(MatchGolden())
			}
		})).To(ContainSubstring(`two unnamed matchers in the spec "digits still match"`))
		Expect(path).NotTo(BeAnExistingFile(), "the spec failed")
	})

	It("serves the copies of one match, and one that is polled", func() {
		Expect(golden.Write(path, old, golden.Options{})).To(Succeed())
		Expect(in("digits still match", func(g Gomega) {
			m := MatchGolden()
			g.Expect(old).To(m)
			g.Expect(now).To(m.Within(1, 0, Elementwise))
			g.Eventually(old).Should(m)
		})).To(BeEmpty())
	})

	It("needs a spec, or a test that says how it ends", func() {
		_, err := MatchGolden().Match(old)
		Expect(err).To(MatchError(ContainSubstring("MatchGolden: a matcher without a name uses the " +
			"golden file named after its spec, which is unknown here")))
		t := &ending{name: "TestDigits/batch of 8"}
		_, err = MatchGolden().In(t).Match(old)
		Expect(err).To(MatchError(ContainSubstring(goldentree.OwnName(t.name) + ".json: no such file")))
		t.end()
	})

	It("has one name at most", func() {
		_, err := MatchGolden("a", "b").Match(old)
		Expect(err).To(MatchError("MatchGolden: want one name for the golden file, got 2: a, b"))
		_, err = MatchGolden("").Match(old)
		Expect(err).To(MatchError(ContainSubstring(`the name "" does not name a file`)))
		Expect(MatchGolden()).To(HaveField("String()",
			HavePrefix("match the golden file named after the spec's text within ")))
		_, err = os.Stat("testdata")
		Expect(err).To(MatchError(os.ErrNotExist))
	})
})

// ending is a test that has not ended.
type ending struct {
	name     string
	cleanups []func()
}

func (t *ending) Name() string            { return t.name }
func (*ending) Failed() bool              { return false }
func (*ending) Skipped() bool             { return false }
func (t *ending) Cleanup(f func())        { t.cleanups = append(t.cleanups, f) }
func (*ending) Errorf(f string, a ...any) { Fail(fmt.Sprintf(f, a...)) }

func (t *ending) end() {
	for _, f := range t.cleanups {
		f()
	}
}
