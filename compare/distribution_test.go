package compare

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestQuantilesAgreeWithGonum(t *testing.T) {
	for _, p := range []float64{0.3, 0.01, 1e-4, 1e-9} {
		for _, d1 := range []float64{1, 1.5, 10, 316} {
			for _, d2 := range []float64{7, 10.5, 70, 2212} {
				x := fQuantile(p, d1, d2)
				if got := (distuv.F{D1: d1, D2: d2}).Survival(x); math.Abs(got/p-1) > 1e-6 {
					t.Errorf("P(F(%v,%v) > %v) is %v, not %v", d1, d2, x, got, p)
				}
			}
		}
	}
}

func TestQuantilesAgreeWithTables(t *testing.T) {
	// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: t(0.975; 7) and t(0.975; 100).
	for freedom, expected := range map[float64]float64{7: 2.365, 100: 1.984} {
		if got := math.Sqrt(fQuantile(0.05, 1, freedom)); math.Abs(got-expected) > 1e-3 {
			t.Errorf("the 97.5 %% quantile of Student's t with %v is %v, not %v", freedom, got, expected)
		}
	}
}
