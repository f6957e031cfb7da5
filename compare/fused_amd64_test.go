//go:build !purego

package compare

import (
	"fmt"
	"testing"

	"github.com/modelparity/modelparity/tensor"
)

// looksAt is what a report's looks at a pair find, each number in the digits that it takes.
func looksAt(p *pair) string {
	drawn := p.newSample()
	defer drawn.release()
	f := p.facts(nil, true, drawn)
	var ranks [2][]int
	for _, q := range []float64{0.5, 0.9, 0.95, 0.99} {
		lower, upper, _ := quantileRanks(q, p.n)
		ranks[0], ranks[1] = append(ranks[0], lower, upper), append(ranks[1], lower, upper)
	}
	edges := [2][]uint64{p.edges(f.abs.max), p.edges(f.rel.max)}
	s, known := p.sampledSurvey(ranks, edges, 0, drawn)
	alone, hasNaN := p.ordered(ranks, 0)
	return fmt.Sprintf("%+v %+v %v %v %v", *f, s, known, alone, hasNaN)
}

// TestOneLookEqualsSeveral holds the loops that compute errors and count them in one look to those
// that do one thing each, also where sixteen elements are not aligned, or end behind the tensor.
func TestOneLookEqualsSeveral(t *testing.T) {
	if !hasAVX512 {
		t.Skip("this processor has no AVX-512")
	}
	defer func() { hasAVX512 = true }()
	for name, draw := range distributed {
		for _, n := range []int{1, 16, 1000, 2048, sortable + 1, block + 77, 2 * block} {
			p := pairsOf(t, draw, n+1)[0]
			x, y := view[float32](p.actual, 1, n+1), view[float32](p.expected, 1, n+1)
			p, err := pairOf(tensor.Of(x...), tensor.Of(y...), equality{})
			if err != nil {
				t.Fatal(err)
			}
			hasAVX512 = true
			got := looksAt(&p)
			hasAVX512 = false
			if want := looksAt(&p); got != want {
				t.Errorf("%s, %d elements: %s, by several looks %s", name, n, got, want)
			}
		}
	}
}

// TestScalesGiveABinOrTheOneBelow holds the product that finds a bin to the edges of histograms.
func TestScalesGiveABinOrTheOneBelow(t *testing.T) {
	p := pair{}
	for _, most := range []float32{1, 1.2345e-6, 0.1, 3e38, 1e-30, 0x1p-126, 3 * 0x1p-149} {
		var edges []uint32
		for _, edge := range p.edges(float64(most)) {
			edges = append(edges, uint32(edge))
		}
		if len(edges) == 0 {
			continue
		}
		if _, ok := binScale(edges); ok != (most > 0x1p-100) {
			t.Errorf("errors up to %v, edges %v: %v", most, edges, ok)
		}
		edges[4] += edges[8] - edges[6] // not a histogram's any more
		if _, ok := binScale(edges); ok {
			t.Errorf("errors up to %v have a scale for edges that are not a histogram's", most)
		}
	}
}
