package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/modelparity/modelparity/tensor"
)

// distributed are pairs whose errors gather where a sample has a hard time: at few values, at zero,
// in a corner of the tensor, next to NaN and infinities.
var distributed = map[string]func(r *rand.Rand, i, n int) (x, y float64){
	"noise": func(r *rand.Rand, _, _ int) (x, y float64) {
		y = r.NormFloat64()
		return y * (1 + 1e-5*r.Float64()), y
	},
	"far from zero": func(r *rand.Rand, _, _ int) (x, y float64) {
		y = 1e3 * (1 + r.Float64())
		return y + r.NormFloat64(), y
	},
	"equal": func(r *rand.Rand, _, _ int) (x, y float64) { y = r.NormFloat64(); return y, y },
	"half equal": func(r *rand.Rand, _, _ int) (x, y float64) {
		y = 1 + r.Float64()
		return y + float64(r.IntN(2))*r.Float64(), y
	},
	"few steps": func(r *rand.Rand, _, _ int) (x, y float64) { return 1 + float64(r.IntN(7)), 1 },
	"rare steps": func(r *rand.Rand, _, _ int) (x, y float64) {
		return 1 + math.Floor(math.Exp2(-8*r.Float64())*40), 1
	},
	"a corner": func(r *rand.Rand, i, n int) (x, y float64) {
		if i < n/16 {
			return 2 + 1e6*r.Float64(), 1
		}
		return 1 + 1e-4*r.Float64(), 1
	},
	"growing":  func(_ *rand.Rand, i, _ int) (x, y float64) { return 1 + float64(i), 1 },
	"periodic": func(_ *rand.Rand, i, _ int) (x, y float64) { return 1 + float64(i%64), 1 },
	"odd": func(r *rand.Rand, _, _ int) (x, y float64) {
		y = r.NormFloat64()
		return []float64{y, y + 1e-3, math.NaN(), math.Inf(1), 2 * y}[r.IntN(5)], y
	},
	"infinite": func(r *rand.Rand, _, _ int) (x, y float64) {
		return []float64{math.Inf(-1), 3}[r.IntN(2)], 1 + r.Float64()
	},
	"infinite next to infinite": func(r *rand.Rand, _, _ int) (x, y float64) {
		return []float64{math.Inf(1), 3, 5}[r.IntN(3)], []float64{math.Inf(1), 3, 4}[r.IntN(3)]
	},
	"NaN alone": func(*rand.Rand, int, int) (x, y float64) { return math.NaN(), 1 },
	"tiny": func(r *rand.Rand, _, _ int) (x, y float64) {
		return float64(r.IntN(9)) * math.SmallestNonzeroFloat32, 0
	},
}

func pairsOf(draw func(r *rand.Rand, i, n int) (x, y float64), n int) []pair {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	wideX, wideY := make([]float64, n), make([]float64, n)
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		wideX[i], wideY[i] = draw(r, i, n)
		x[i], y[i] = float32(wideX[i]), float32(wideY[i])
	}
	var pairs []pair
	for _, sides := range [][2]*tensor.Tensor{{tensor.Of(x...), tensor.Of(y...)},
		{tensor.Of(wideX...), tensor.Of(wideY...)}} {
		pairs = append(pairs, pairOf(sides[0], sides[1], equality{}))
	}
	return pairs
}

// sortedErrors is the absolute and the relative errors in ascending order, NaN last.
func sortedErrors(p *pair) (all [2][]float64) {
	for i := range p.n {
		abs, rel := p.errorsAt(i)
		all[0], all[1] = append(all[0], abs), append(all[1], rel)
	}
	for which := range all {
		slices.SortFunc(all[which], func(x, y float64) int {
			return cmp.Compare(math.Float64bits(math.Abs(x)), math.Float64bits(math.Abs(y)))
		})
	}
	return all
}

func TestRanksAreThoseOfASort(t *testing.T) {
	for name, draw := range distributed {
		for _, n := range []int{1, 1000, sortable + 1, 3*block + 77} {
			for _, p := range pairsOf(draw, n) {
				sorted, all := sortedErrors(&p), []int{}
				for _, q := range []float64{0, 1e-4, 0.25, 0.5, 0.51, 0.9, 0.95, 0.99, 0.999, 1} {
					lower, upper, _ := quantileRanks(q, n)
					all = append(all, lower, upper)
					ranksOfASort(t, name, &p, sorted, []int{lower, upper})
				}
				ranksOfASort(t, name, &p, sorted, all)
			}
		}
	}
}

func ranksOfASort(t *testing.T, name string, p *pair, sorted [2][]float64, ranks []int) {
	t.Helper()
	got := p.rank([2][]int{ranks, ranks}, [2][]uint64{}).at
	for which := range got {
		for _, rank := range ranks {
			if at := sorted[which][rank]; fmt.Sprint(got[which][rank]) != fmt.Sprint(at) {
				t.Errorf("%s, %d elements, wide %v, error %d, rank %d of %d: %v, a sort has %v", name, p.n,
					p.wide, which, rank, ranks, got[which][rank], at)
			}
		}
	}
}

// TestHistogramsAreThoseOfEveryElement holds counting at edges to the formula of a bin.
func TestHistogramsAreThoseOfEveryElement(t *testing.T) {
	for name, draw := range distributed {
		for _, n := range []int{1, 1000, block + 77} {
			for _, p := range pairsOf(draw, n) {
				f := p.facts(nil, true)
				var s Statistics
				s.Abs, s.FiniteAbs = p.errors(&f.abs)
				s.Rel, s.FiniteRel = p.errors(&f.rel)
				p.distributions([2][]*Errors{{&s.Abs, &s.FiniteAbs}, {&s.Rel, &s.FiniteRel}}, f, nan)
				abs, rel := everyBin(&p, f.abs.max, f.rel.max)
				if got, want := fmt.Sprint(s.FiniteAbs.Histogram, s.FiniteRel.Histogram),
					fmt.Sprint(abs, rel); got != want {
					t.Errorf("%s, %d elements, wide %v: %s, element by element %s", name, n, p.wide, got, want)
				}
			}
		}
	}
}

func everyBin(p *pair, absMost, relMost float64) (abs, rel [bins]int) {
	bin := func(counts *[bins]int, v, most float64) {
		switch perBin := bins / most; {
		case !(v <= most): // not finite
		case most == 0:
			counts[0]++
		case perBin > math.MaxFloat64:
			counts[min(int(math.Ldexp(v, 200)*(bins/math.Ldexp(most, 200))), bins-1)]++
		default:
			counts[min(int(v*perBin), bins-1)]++
		}
	}
	for i := range p.n {
		a, r := p.errorsAt(i)
		bin(&abs, a, absMost)
		bin(&rel, r, relMost)
	}
	return abs, rel
}

// TestHistogramOfTinyErrors spreads errors below 1e-307 over all bins.
func TestHistogramOfTinyErrors(t *testing.T) {
	for _, most := range []float64{1e-307, 1e-308, 1e-320} {
		x, y := make([]float64, 1000), make([]float64, 1000)
		for i := range x {
			x[i] = most * float64(i) / 999
		}
		report, err := Sets(setOf(t, tensor.Of(x...)), setOf(t, tensor.Of(y...)),
			Options{Checks: []Check{Within(1, 0, Elementwise)}})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range report.Outputs[0].Statistics().FiniteAbs.Histogram {
			if n < 90 || n > 110 {
				t.Errorf("greatest %g: bin %d has %d of 1000", most, i, n)
			}
		}
	}
}

func setOf(t *testing.T, x *tensor.Tensor) *tensor.Set {
	set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: x})
	if err != nil {
		t.Fatal(err)
	}
	return set
}
