package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/modelparity/modelparity/tensor"
)

// distributed are pairs whose errors gather where a sample has a hard time: at few values, at zero,
// in a corner of the tensor, beside NaN and infinities.
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
	"infinite beside infinite": func(r *rand.Rand, _, _ int) (x, y float64) {
		return []float64{math.Inf(1), 3, 5}[r.IntN(3)], []float64{math.Inf(1), 3, 4}[r.IntN(3)]
	},
	"NaN alone": func(*rand.Rand, int, int) (x, y float64) { return math.NaN(), 1 },
	"tiny": func(r *rand.Rand, _, _ int) (x, y float64) {
		return float64(r.IntN(9)) * math.SmallestNonzeroFloat32, 0
	},
}

func pairsOf(t *testing.T, draw func(r *rand.Rand, i, n int) (x, y float64), n int) []pair {
	t.Helper()
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
		p, err := pairOf(sides[0], sides[1], equality{})
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func TestRanksOfASurveyAreThoseOfASort(t *testing.T) {
	for name, draw := range distributed {
		for _, n := range []int{sortable + 1, 3*block + 77} {
			for _, p := range pairsOf(t, draw, n) {
				var ranks [2][]int
				for _, q := range []float64{0, 1e-4, 0.25, 0.5, 0.51, 0.9, 0.95, 0.99, 0.999, 1} {
					lower, upper, _ := quantileRanks(q, n)
					ranks[0], ranks[1] = append(ranks[0], lower, upper), append(ranks[1], lower, upper)
				}
				want, wantNaN := p.sorted(ranks)
				counted := p.counted(ranks, 0)
				got, gotNaN := p.ordered(ranks, 0)
				if gotNaN != wantNaN {
					t.Fatalf("%s: NaN %v, want %v", name, gotNaN, wantNaN)
				}
				for which := range ranks {
					if wantNaN[which] {
						continue // ranks of what is no number are not looked at
					}
					if !slices.Equal(got[which], want[which]) {
						t.Errorf("%s, %d elements, wide %v, error %d: %v, a sort has %v", name, n, p.wide, which,
							got[which], want[which])
					}
					if !slices.Equal(counted[which], want[which]) {
						t.Errorf("%s, %d elements, wide %v, error %d: counted %v, a sort has %v", name, n, p.wide,
							which, counted[which], want[which])
					}
				}
			}
		}
	}
}

// TestHistogramsAreThoseOfEveryElement holds counting at edges to the formula of a bin.
func TestHistogramsAreThoseOfEveryElement(t *testing.T) {
	for name, draw := range distributed {
		for _, n := range []int{1, 1000, block + 77} {
			for _, p := range pairsOf(t, draw, n) {
				drawn := p.newSample()
				f := p.facts(nil, true, drawn)
				var s Statistics
				s.Abs, s.FiniteAbs = p.errors(&f.abs)
				s.Rel, s.FiniteRel = p.errors(&f.rel)
				p.distributions([2][]*Errors{{&s.Abs, &s.FiniteAbs}, {&s.Rel, &s.FiniteRel}}, f, nan,
					drawn)
				drawn.release()
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
		case most == 0 || perBin > math.MaxFloat64:
			counts[0]++
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

// TestASurveyFindsOrdinaryRanks fails where the sample does not find the ranks of ordinary errors,
// and every median would be counted digit by digit.
func TestASurveyFindsOrdinaryRanks(t *testing.T) {
	for _, name := range []string{"noise", "far from zero", "equal", "half equal", "few steps",
		"rare steps", "a corner", "growing", "periodic"} {
		for _, p := range pairsOf(t, distributed[name], 1<<20) {
			var ranks [2][]int
			for _, q := range []float64{0.5, 0.9, 0.95, 0.99} {
				lower, upper, _ := quantileRanks(q, p.n)
				ranks[0], ranks[1] = append(ranks[0], lower, upper), append(ranks[1], lower, upper)
			}
			drawn := p.drawSample(0)
			if _, found := p.sampledSurvey(ranks, [2][]uint64{}, 0, drawn); !found {
				t.Errorf("%s, wide %v: the sample misses a rank", name, p.wide)
			}
			drawn.release()
		}
	}
}

// TestASampleIsTheSameOnTheWay holds the sample that a report's first look draws to one of its own.
func TestASampleIsTheSameOnTheWay(t *testing.T) {
	for _, n := range []int{sortable + 1, block, 3*block + 77, 70 * block} {
		for _, p := range pairsOf(t, distributed["noise"], n) {
			var keys [2]string
			for i, draw := range []func(s *sample){
				func(s *sample) { p.facts(nil, true, s) },
				func(s *sample) {
					s.release()
					*s = *p.drawSample(0)
				},
			} {
				s := p.newSample()
				draw(s)
				if p.wide {
					keys[i] = fmt.Sprint(s.wide.sample)
				} else {
					keys[i] = fmt.Sprint(s.narrow.sample)
				}
				s.release()
			}
			if keys[0] != keys[1] || len(keys[0]) < n/64 {
				t.Errorf("%d elements, wide %v: a sample on the way differs", n, p.wide)
			}
		}
	}
}

func TestTallyKernelsEqualGo(t *testing.T) { eachKernel(t, tallyKernelsEqualGo) }

func tallyKernelsEqualGo(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	k := kernels32()
	for n := range 150 {
		keys := make([]uint32, n)
		for i := range keys {
			keys[i] = uint32(r.IntN(50))
			if r.IntN(4) == 0 {
				keys[i] = []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
					0x7fffffff, 0xffffffff}[r.IntN(8)]
			}
		}
		edge := func() uint32 {
			return []uint32{0, 1, uint32(r.IntN(50)), 0x7f800000, 0x7f800001, 0x7fffffff,
				1 << 31}[r.IntN(7)]
		}
		for m := range 15 {
			edges, brackets := make([]uint32, m), make([]bracket[uint32], m)
			for i := range edges {
				edges[i], brackets[i] = edge(), bracket[uint32]{edge(), edge()}
			}
			got, want := make([]int, m), make([]int, m)
			k.count(keys, edges, got)
			countGo(keys, edges, want)
			if !slices.Equal(got, want) {
				t.Fatalf("%v of %v: %v, plain Go has %v", edges, keys, got, want)
			}
			gotKept, wantKept := make([]uint32, n), make([]uint32, n)
			gotN := k.sieve(keys, brackets, got, gotKept)
			wantN := sieveGo(keys, brackets, want, wantKept)
			if !slices.Equal(got, want) || !slices.Equal(gotKept[:gotN], wantKept[:wantN]) {
				t.Fatalf("%v of %v: %v %v, plain Go has %v %v", brackets, keys, got, gotKept[:gotN],
					want, wantKept[:wantN])
			}
		}
	}
}

func TestSumsOfSidesEqualGo(t *testing.T) { eachKernel(t, sumsOfSidesEqualGo) }

func sumsOfSidesEqualGo(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	draw := func(n int) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(r.NormFloat64() * math.Exp2(float64(r.IntN(60)-30)))
			if r.IntN(1000) == 0 {
				values[i] = float32(math.Inf(1))
			}
		}
		return values
	}
	for n := range 200 {
		values, others := draw(n), draw(n)
		for _, mean := range []float64{0, 1e-3, 1e30} {
			means := [2]float64{mean, -mean}
			got := [2][2]float64{sums32(values, others), squares32(values, others, means)}
			want := [2][2]float64{sumsGo(values, others), squaresGo(values, others, means)}
			for i := range 4 {
				if x, y := got[i/2][i%2], want[i/2][i%2]; math.Float64bits(x) != math.Float64bits(y) {
					t.Fatalf("%d values, mean %v: %v, plain Go has %v", n, mean, got, want)
				}
			}
		}
	}
}
