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
	var tallies [2]*tally[uint32]
	for which, most := range []float64{f.abs.max, f.rel.max} {
		t := &tally[uint32]{kernels: kernels32()}
		for _, edge := range p.edges(most) {
			t.edges = append(t.edges, uint32(edge))
		}
		t.binned = len(t.edges)
		for i := range 4 {
			lo := errorKeyOf[uint32](most * (0.2 + 0.2*float64(i)))
			t.brackets = append(t.brackets, bracket[uint32]{lo, lo + 1<<14})
		}
		tallies[which] = t
	}
	worker := p.surveyAtOnce(&tallies)
	if worker == nil {
		inMemory := newStrips(p.errors32, &tallies)
		worker = &inMemory
	}
	var kept [2][strip]uint32
	survey := func(b *testing.B) {
		b.SetBytes(8 * strip)
		for b.Loop() {
			worker.take(0, strip, s, &kept)
		}
	}
	b.Run("survey", survey)
	for i := range 8 { // as of errors that are so many ulps
		tallies[0].edge(uint32(0x34000000 + i<<18))
	}
	if worker = p.surveyAtOnce(&tallies); worker == nil {
		inMemory := newStrips(p.errors32, &tallies)
		worker = &inMemory
	}
	b.Run("survey, steps", survey)
}
