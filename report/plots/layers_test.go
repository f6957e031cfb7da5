package plots_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/report/plots"
)

var _ = Describe("the error along the layers", func() {
	finding := func(errors ...float64) *locate.Finding {
		f := &locate.Finding{Actual: "a", Expected: "b", Cause: "node <b>\x00 parts"}
		for i, e := range errors {
			p := locate.Point{Tensor: fmt.Sprintf("t%d", i), Verdict: compare.Pass, Error: locate.Number(e)}
			if e > 1e-3 {
				p.Verdict = compare.Fail
			}
			f.Tensors = append(f.Tensors, p)
		}
		return f
	}
	draw := func(f *locate.Finding) []byte {
		GinkgoHelper()
		picture, err := plots.Layers(f)
		Expect(err).NotTo(HaveOccurred())
		_, err = png.Decode(bytes.NewReader(picture))
		Expect(err).NotTo(HaveOccurred())
		return picture
	}

	It("is drawn for all numbers", func() {
		for _, f := range []*locate.Finding{finding(), finding(0), finding(0, 0), finding(math.NaN()),
			finding(math.Inf(1), 1), finding(1e-7, 2e-7, 0, 3e-2, math.NaN(), math.Inf(1), 5e-324)} {
			Expect(draw(f)).To(Equal(draw(f)))
		}
	})

	It("marks the first tensor out of tolerance, and the nodes alone", func() {
		plain := finding(1e-7, 1e-7, 1e-1, 2e-1)
		marked := finding(1e-7, 1e-7, 1e-1, 2e-1)
		marked.First = &marked.Tensors[2]
		alone := finding(1e-7, 1e-7, 1e-1, 2e-1)
		alone.Tensors[1].Own = &locate.Own{Verdict: compare.Fail, Error: 1}
		Expect(draw(marked)).NotTo(Equal(draw(plain)))
		Expect(draw(alone)).NotTo(Equal(draw(plain)))
	})

	It("omits tensors that were not compared", func() {
		f := finding(1e-7, 2)
		f.Tensors[1].Verdict = ""
		g := finding(1e-7, 3)
		g.Tensors[1].Verdict = ""
		Expect(draw(f)).To(Equal(draw(g)))
	})
})
