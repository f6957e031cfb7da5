// Package reported has tests that fail, whose reports the tests of package pages read.
package reported

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/report/ginkgoreport"
	"github.com/modelparity/modelparity/report/pages"
	"github.com/modelparity/modelparity/report/plots"
	"github.com/modelparity/modelparity/tensor"
)

var (
	model  = loaders.ONNX("../../../../example_test/digits/testdata/digits.onnx")
	inputs = fixtures.Random(model, fixtures.Seed(1), fixtures.Shape("image", 1, 1, 8, 8))
	zeros  = fake.Engine(fake.Output("logits", tensor.Of(make([]float32, 10)...)),
		fake.Output("probabilities", tensor.Of(make([]float32, 10)...)))
)

// differs fails, because no logit is zero.
func differs(t testing.TB, g Gomega, report func(*OutputsMatcher) *OutputsMatcher) {
	ort.Require(t)
	m := MatchOutputs().Under(compare.Options{AnyShape: true}).Of(backends.RunIn(t.Context(), zeros, model, inputs))
	g.Expect(ort.Run(t.Context(), model, inputs)).To(report(m))
}

func TestPlain(t *testing.T) {
	g := NewWithT(t)
	g.Expect(tensor.Of(1.)).To(MatchOutputs().Of(tensor.Of(1.)).ReportTo(pages.In(t)))
	differs(t, g, func(m *OutputsMatcher) *OutputsMatcher {
		return m.ReportTo(pages.In(t, plots.Draw))
	})
}

var (
	_ = ginkgoreport.Suite()
	_ = ginkgoreport.Page("page.html")
)

func TestSuite(t *testing.T) {
	RegisterFailHandler(Fail)
	ginkgoreport.Artifacts(t)
	RunSpecs(t, "reported")
}

var _ = Describe("A suite", func() {
	It("differs", func() {
		differs(GinkgoTB(), Default, func(m *OutputsMatcher) *OutputsMatcher {
			return m.ReportTo(ginkgoreport.Save("pictures", plots.Draw))
		})
	})

	It("runs in this version", ComponentSemVerConstraint("onnxruntime", ">= 1.18"), func() {
		ort.Require(GinkgoT())
	})

	It("waits for another version", ComponentSemVerConstraint("onnxruntime", ">= 90"), func() {
		ort.Require(GinkgoT())
		Fail("the version is too old")
	})
})
