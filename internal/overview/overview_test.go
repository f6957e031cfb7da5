package overview

import (
	"math"
	"math/rand/v2"
	"testing"
)

// plain is what the numbers hold, by the words of [Part] and [Numbers].
func plain(values []float64) Part {
	p, sums := nothing(), lanes{}
	for i, v := range values {
		switch {
		case math.IsNaN(v):
			p.NaN++
		case math.IsInf(v, 0):
			p.Inf++
		default:
			p.Finite++
			p.Least, p.Greatest = math.Min(p.Least, v), math.Max(p.Greatest, v)
			sums[i%16] += v
		}
	}
	p.Sum = sums.sum()
	return p
}

func float64s[T any](values []T, of func(T) float64) []float64 {
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = of(v)
	}
	return all
}

func TestFloatsOfEveryLengthAndKind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0,
		math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32}
	for n := range 200 {
		values := make([]float32, n+1)[1:] // at an odd place
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
		for _, v := range append([]float32{1}, odd...) {
			if n > 0 {
				values[r.IntN(n)] = v
			}
			want := plain(float64s(values, func(v float32) float64 { return float64(v) }))
			if got := Numbers(values); got != want {
				t.Errorf("%d float32 with %v: %+v, want %+v", n, v, got, want)
			}
			wide := float64s(values, func(v float32) float64 { return float64(v) })
			if got := Numbers(wide); got != want {
				t.Errorf("%d float64 with %v: %+v, want %+v", n, v, got, want)
			}
		}
	}
}

// half is what the bits of a binary16 stand for, by IEEE 754.
func half(bits int) float64 {
	sign, exponent, fraction := 1-2*float64(bits>>15), bits>>10&31, float64(bits&1023)
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * fraction * 0x1p-24
	}
	return sign * math.Ldexp(1+fraction/1024, exponent-15)
}

func TestEveryNarrowFloat(t *testing.T) {
	all, want := make([]uint16, 1<<16), make([]float64, 1<<16)
	for bits := range all {
		all[bits], want[bits] = uint16(bits), half(bits)
	}
	wide := make([]float32, len(all))
	WidenHalves(wide, all)
	for bits, v := range wide {
		w := want[bits]
		if math.Float64bits(float64(v)) != math.Float64bits(w) && !(v != v && w != w) {
			t.Fatalf("float16 %#x: %v, want %v", bits, v, w)
		}
	}
	widenBFloat16s(wide, all)
	for bits, v := range wide {
		if math.Float32bits(v)>>16 != uint32(bits) {
			t.Fatalf("bfloat16 %#x: %v", bits, v)
		}
	}
	for _, n := range []int{0, 1, 15, 16, 17, 2047, 2048} {
		if got := Halves(all[:n]); got != plain(want[:n]) {
			t.Errorf("%d float16: %+v, want %+v", n, got, plain(want[:n]))
		}
	}
	if got, w := Halves(all), plain(want); got.Finite != w.Finite || got.NaN != w.NaN ||
		got.Inf != w.Inf || got.Least != w.Least || got.Greatest != w.Greatest || got.Sum != 0 {
		t.Errorf("all float16: %+v, want %+v", got, w)
	}
	if got := BFloat16s([]uint16{0x3f80, 0x7f80, 0xff80, 0x7fc0, 0xc000}); got !=
		(Part{-2, 1, -1, 2, 1, 2}) {
		t.Errorf("bfloat16: %+v", got)
	}
}

func TestIntegersAreSummedExactly(t *testing.T) {
	many := make([]uint32, 1<<20)
	for i := range many {
		many[i] = math.MaxUint32
	}
	want := Part{math.MaxUint32, math.MaxUint32, (1 << 20) * float64(math.MaxUint32), 1 << 20, 0, 0}
	if got := Integers(many); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := Integers([]int8{-128, 127, 5}), (Part{-128, 127, 4, 3, 0, 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	want = Part{-1 << 62, 3, -1<<62 + 3, 2, 0, 0}
	if got := Numbers([]int64{-1 << 62, 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Integers([]int16{}); got != nothing() {
		t.Errorf("%+v", got)
	}
}

func TestPartsJoinInOrder(t *testing.T) {
	a, b := Numbers([]float64{1, math.NaN(), -3}), Numbers([]float64{math.Inf(1), 8})
	if got, want := a.And(b), (Part{-3, 8, 6, 3, 1, 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := nothing().And(a); got != a {
		t.Errorf("%+v, want %+v", got, a)
	}
}

func BenchmarkFloat32(b *testing.B) {
	values := make([]float32, 4096)
	for i := range values {
		values[i] = float32(i)
	}
	b.SetBytes(4 * 4096)
	for b.Loop() {
		Numbers(values)
	}
}
