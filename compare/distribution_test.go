package compare

import (
	"math"
	"testing"
)

// TestQuantilesAgreeWithSciPy compares with scipy.stats.f.isf(p, d1, d2) of SciPy 1.17.1, where d2
// is 7, 10.5, 70 and 2212.
func TestQuantilesAgreeWithSciPy(t *testing.T) {
	for _, row := range []struct {
		p, d1 float64
		x     [4]float64
	}{
		{0.3, 1, [4]float64{1.25251715, 1.18859624, 1.09028793, 1.07469799}},
		{0.3, 1.5, [4]float64{1.38086654, 1.30480733, 1.18823367, 1.16978975}},
		{0.3, 10, [4]float64{1.51066255, 1.39483291, 1.20989487, 1.17907902}},
		{0.3, 316, [4]float64{1.49926638, 1.36411915, 1.11268749, 1.04349648}},
		{0.01, 1, [4]float64{12.2463833, 9.83298749, 7.0113989, 6.6463613}},
		{0.01, 1.5, [4]float64{10.5274331, 8.26418587, 5.67786439, 5.34955181}},
		{0.01, 10, [4]float64{6.62006267, 4.68431177, 2.58522578, 2.32891593}},
		{0.01, 316, [4]float64{5.68303171, 3.77965745, 1.59317496, 1.21104121}},
		{1e-4, 1, [4]float64{62.166669, 36.6839155, 17.0302289, 15.1920572}},
		{1e-4, 1.5, [4]float64{51.1330561, 29.15138, 12.7884687, 11.3073069}},
		{1e-4, 10, [4]float64{28.4547686, 13.8835967, 4.3350649, 3.57863292}},
		{1e-4, 316, [4]float64{23.5090066, 10.4799723, 2.14846765, 1.35385865}},
		{1e-9, 1, [4]float64{1827.63113, 404.895914, 49.7442099, 37.650148}},
		{1e-9, 1.5, [4]float64{1485.33878, 314.517127, 35.5682227, 26.5892326}},
		{1e-9, 10, [4]float64{797.818245, 138.438698, 9.45145534, 6.37330448}},
		{1e-9, 316, [4]float64{651.495266, 101.09333, 3.68271618, 1.61478811}},
	} {
		for i, d2 := range []float64{7, 10.5, 70, 2212} {
			if got := fQuantile(row.p, row.d1, d2); math.Abs(got/row.x[i]-1) > 1e-8 {
				t.Errorf("P(F(%v,%v) > x) is %v at %v, not at %v", row.d1, d2, row.p, row.x[i], got)
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
