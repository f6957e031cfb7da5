package ort_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/leaks"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A loop", func() {
	begun := func() (backends.Backend, backends.Loop) {
		GinkgoHelper()
		b, err := open(model("identity_float"))
		Expect(err).NotTo(HaveOccurred())
		l, err := backends.CapabilitiesOf(ort.Engine()).Loop(b)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() {
			Expect(l.Close()).To(Succeed())
			Expect(l.Close()).To(Succeed())
			Expect(b.Close()).To(Succeed())
		})
		return b, l
	}
	x := func() *tensor.Set {
		set, err := tensor.NewSet(in("x", tensor.Of[float32](1, 2, 3)))
		Expect(err).NotTo(HaveOccurred())
		return set
	}
	none := func() *tensor.Set {
		set, err := tensor.NewSet()
		Expect(err).NotTo(HaveOccurred())
		return set
	}
	keep := map[string]string{"y": "x"}

	It("feeds what it kept", func(ctx SpecContext) {
		_, l := begun()
		given, err := l.Step(ctx, x(), nil, keep)
		Expect(err).NotTo(HaveOccurred())
		Expect(given.Len()).To(BeZero())
		elem, shape, err := l.Kept("x")
		Expect(err).NotTo(HaveOccurred())
		Expect(elem).To(Equal(tensor.Float32))
		Expect(shape).To(Equal(tensor.Shape{3}))
		for range 3 {
			given, err = l.Step(ctx, none(), []string{"y"}, keep)
			Expect(err).NotTo(HaveOccurred())
			y, _ := given.Get("y")
			Expect(y.Float64s()).To(Equal([]float64{1, 2, 3}))
		}
		read, err := l.Read("x")
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Float64s()).To(Equal([]float64{1, 2, 3}))
		Expect(l.Provenance().Backend).To(Equal("onnxruntime"))
	})

	It("says what is missing, and ends with its session", func(ctx SpecContext) {
		b, l := begun()
		_, err := l.Step(ctx, none(), []string{"y"}, nil)
		Expect(err).To(MatchError(ContainSubstring("x")))
		_, _, err = l.Kept("x")
		Expect(err).To(MatchError(ContainSubstring(`no step has set input "x"`)))
		_, err = l.Read("x")
		Expect(err).To(MatchError(ContainSubstring(`no step has set input "x"`)))
		Expect(b.Close()).To(Succeed())
		_, err = l.Step(ctx, x(), nil, keep)
		Expect(err).To(MatchError(backends.ErrClosed))
	})

	It("frees what it kept", Serial, func(ctx SpecContext) {
		b, _ := begun()
		first, rest := x(), none()
		Expect(leaks.Found(GinkgoT(), 3000, 1000, func() {
			l, err := backends.CapabilitiesOf(ort.Engine()).Loop(b)
			Expect(err).NotTo(HaveOccurred())
			_, err = l.Step(ctx, first, nil, keep)
			Expect(err).NotTo(HaveOccurred())
			_, err = l.Step(ctx, rest, nil, keep)
			Expect(err).NotTo(HaveOccurred())
			Expect(l.Close()).To(Succeed())
		})).To(BeFalse())
	})
})
