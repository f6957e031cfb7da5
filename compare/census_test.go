package compare

import (
	"math"
	"testing"

	"github.com/modelparity/modelparity/tensor"
)

// TestACensusMissesNoPlace puts what is not finite at every place of tensors, among values whose
// sum overflows too, and some of which the element type makes infinite.
func TestACensusMissesNoPlace(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	for _, n := range []int{1, 2, 3, 33, chunk + 5} {
		for _, rest := range []float64{1, math.MaxFloat32, math.MaxFloat64} {
			for _, elem := range []tensor.ElementType{tensor.Float16, tensor.BFloat16, tensor.Float32,
				tensor.Float64} {
				for at := 0; at < n; at += 1 + n/50 {
					wide := make([]float64, n)
					for i := range wide {
						wide[i] = rest
					}
					wide[at] = odd[at%3]
					all, err := tensor.Of(wide...).Convert(elem)
					if err != nil {
						t.Fatal(err)
					}
					first, total := -1, 0
					for i := n - 1; i >= 0; i-- {
						if v := all.Float64At(i); v-v != 0 {
							first, total = i, total+1
						}
					}
					if c := CensusOf(all); c.Total() != total || c.First()[0] != first {
						t.Fatalf("%v[%d], %v at %d among %v: %v, want %d from %d on", elem, n, wide[at], at,
							rest, c, total, first)
					}
				}
			}
		}
	}
}
