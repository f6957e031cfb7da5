package locate_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/locate"
)

// attached is a context as Ginkgo's is, which remembers who reports progress.
type attached struct {
	context.Context
	text     func() string
	detached bool
}

func (a *attached) AttachProgressReporter(text func() string) func() {
	a.text = text
	return func() { a.detached = true }
}

// Value is the context itself where Ginkgo's is asked for, as in Ginkgo: the search runs in a
// context derived from it.
func (a *attached) Value(key any) any {
	if key == "GINKGO_SPEC_CONTEXT" {
		return a
	}
	return a.Context.Value(key)
}

var _ = Describe("a search's progress", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	faulty := func() locate.Options {
		o := strict()
		o.Isolate, o.Memory = true, 1 // one tensor at a time
		return o
	}

	It("is told as it gets on, and counts every tensor", func(ctx SpecContext) {
		var told []locate.Progress
		o := faulty()
		o.Progress = func(p locate.Progress) { told = append(told, p) }
		found, err := locate.Divergence(ctx, side("actual", network(4)), side("expected", network(4)), o)
		Expect(err).NotTo(HaveOccurred())
		n := len(found.Tensors)
		for _, doing := range []string{"comparing inner tensors", "running nodes alone"} {
			var steps []int
			for _, p := range told {
				if p.Doing == doing && p.Of > 0 {
					Expect(p.Of).To(BeNumerically("<=", n))
					steps = append(steps, p.Done)
				}
			}
			Expect(steps).To(HaveEach(BeNumerically(">=", 0)))
			Expect(len(steps)).To(BeNumerically(">", 3), doing)
			Expect(steps[0]).To(BeZero())
			Expect(steps[len(steps)-1]).To(BeNumerically(">", n/2))
		}
		Expect(told[0].String()).To(Equal("running the original models, 0s"))
		Expect(locate.Progress{Doing: "x", Done: 3, Of: 9}.String()).To(Equal("x: 3 of 9 tensors, 0s"))
	})

	It("is part of the spec's progress reports, and of none after it", func(ctx SpecContext) {
		spec := &attached{Context: ctx}
		var reported []string
		o := faulty()
		o.Progress = func(locate.Progress) { reported = append(reported, spec.text()) }
		_, err := locate.Divergence(spec, side("actual", network(2)), side("expected", network(2)), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(spec.detached).To(BeTrue())
		Expect(strings.Join(reported, "\n")).To(MatchRegexp(
			`(?m)^locating the first divergence: comparing inner tensors: \d+ of \d+ tensors, `))
	})
})
