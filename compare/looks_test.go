package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/modelparity/modelparity/tensor"
)

// BenchmarkLooks is the two looks of a report at a strip that lies in the cache, and so what they
// compute; where a tensor takes longer, memory does.
func BenchmarkLooks(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float32, strip), make([]float32, strip)
	for i := range y {
		y[i] = 10 * float32(r.NormFloat64())
		x[i] = y[i] * (1 + 2e-6*(r.Float32()-0.5))
	}
	p, err := pairOf(tensor.Of(x...), tensor.Of(y...), equality{})
	if err != nil {
		b.Fatal(err)
	}
	s := new(scratch)
	b.Run("facts", func(b *testing.B) {
		f := newFacts()
		b.SetBytes(8 * strip)
		for b.Loop() {
			f.take32(&p, 0, strip, s)
		}
	})
	f := newFacts()
	f.take32(&p, 0, strip, s)
	ranks := []int{strip / 2, strip * 90 / 100, strip * 95 / 100, strip * 99 / 100}
	at, _ := p.sorted([2][]int{ranks, ranks})
	var tallies [2]*tally[uint32]
	for which, most := range []float64{f.abs.max, f.rel.max} {
		t := &tally[uint32]{kernels: kernels32(), binned: bins - 1}
		for _, edge := range p.edges(most) {
			t.edges = append(t.edges, uint32(edge))
		}
		t.edge(infinity32)
		for _, v := range at[which] {
			lo := errorKeyOf[uint32](v)
			t.brackets = append(t.brackets, bracket[uint32]{lo - 1<<10, lo + 1<<10})
		}
		tallies[which] = t
	}
	var kept [2][strip]uint32
	survey := func(b *testing.B) {
		p.errors32(0, strip, s)
		tallies[0].part(keysOf[uint32](s.abs32[:]))
		tallies[1].part(keysOf[uint32](s.rel32[:]))
		worker := p.surveyAtOnce(&tallies)
		if worker == nil {
			inMemory := newStrips(p.errors32, &tallies)
			worker = &inMemory
		}
		b.SetBytes(8 * strip)
		for b.Loop() {
			worker.take(0, strip, s, &kept)
		}
	}
	b.Run("survey", survey)
	for _, t := range tallies { // as of errors that are so many ulps
		for _, b := range t.brackets {
			t.edge(b.lo - 1)
			t.edge(b.hi + 1)
		}
	}
	b.Run("survey, steps", survey)
}
