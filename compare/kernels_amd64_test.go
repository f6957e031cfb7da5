//go:build !purego

package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/modelparity/modelparity/internal/overview"
)

// odd are the float32 values that a vector loop gets wrong first.
var odd = []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32, -math.MaxFloat32,
	math.SmallestNonzeroFloat32, 0x1p-126, epsilon, float32(math.Inf(1)), float32(math.Inf(-1)),
	float32(math.NaN()), frombits32(0xffc00001), 1e-5, 1.00001}

func oddFloats(r *rand.Rand, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		if values[i] = float32(r.NormFloat64()); r.IntN(4) == 0 {
			values[i] = odd[r.IntN(len(odd))]
		}
	}
	return values
}

// near is b with some elements moved a little, so that both tolerances decide some elements.
func near(r *rand.Rand, b []float32) []float32 {
	a := oddFloats(r, len(b))
	for i := range a {
		if r.IntN(3) > 0 {
			a[i] = b[i] * (1 + float32(r.IntN(9)-4)*5e-6)
		}
	}
	return a
}

func same(x, y float32) bool { return bits32(x) == bits32(y) || x != x && y != y }

var everyTolerance = []float32{0, math.SmallestNonzeroFloat32, 1e-38, 0x1p-100, 1e-9, 5e-6, 1e-5,
	1.0000001e-5, 2e-5, 0.5, 1, 2, math.MaxFloat32, float32(math.Inf(1))}

func TestAssemblyEqualsGo(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2, so plain Go is what runs")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		b := oddFloats(r, n)
		a := near(r, b)
		for _, zero := range []float32{0, epsilon} {
			for _, atol := range everyTolerance {
				for _, rtol := range everyTolerance {
					got := mismatches32(a, b, atol, rtol, zero)
					if want := mismatchingFloats(a, b, atol, rtol, zero); got != want {
						t.Fatalf("n %d atol %v rtol %v: %d mismatches, plain Go has %d", n, atol, rtol,
							got, want)
					}
				}
			}
			abs, rel := make([]float32, n), make([]float32, n)
			abs2, rel2 := make([]float32, n), make([]float32, n)
			got := [2]errorTotals{{sums: lanes{1, 2}}, {most: 1}}
			want := [2]errorTotals{{sums: lanes{1, 2}}, {most: 1}}
			floatErrors32(abs, rel, a, b, zero, &got)
			errorsGo(abs2, rel2, a, b, zero)
			for i := range abs {
				if !same(abs[i], abs2[i]) || !same(rel[i], rel2[i]) {
					t.Fatalf("errors of %v and %v: %v %v, plain Go has %v %v", a[i], b[i], abs[i],
						rel[i], abs2[i], rel2[i])
				}
			}
			addErrorsGo(abs2, &want[0])
			addErrorsGo(rel2, &want[1])
			if got != want {
				t.Fatalf("%v %v: %v, plain Go has %v", abs, rel, got, want)
			}
		}
	}
}

func TestAssemblyTalliesLikeGo(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2, so plain Go is what runs")
	}
	r := rand.New(rand.NewPCG(5, 6))
	key := func() uint32 {
		if r.IntN(2) == 0 {
			return []uint32{0, 1, 2, 1<<31 - 1, 1<<31 - 2, bits32(odd[9]), bits32(odd[9]) + 1}[r.IntN(7)]
		}
		return r.Uint32() >> (1 + r.IntN(31))
	}
	for range 20_000 {
		keys := make([]uint32, 8*(1+r.IntN(20)))
		for i := range keys {
			keys[i] = key() | uint32(r.IntN(2))<<31
		}
		by := group{first: key(), last: key()}
		for i := range by.points {
			by.points[i] = key()
		}
		var below, want [5]uint32
		var wantKept []uint32
		for _, k := range keys {
			k &^= 1 << 31
			for i, point := range by.points {
				if k < point {
					want[i]++
				}
			}
			if by.first <= k && k <= by.last {
				wantKept = append(wantKept, k)
			}
		}
		kept := make([]uint32, len(keys))
		done, copied := tally(keys, kept, &by, &below)
		if done != len(keys) || below != want || !slices.Equal(kept[:copied], wantKept) {
			t.Fatalf("%d of %d keys, %d below, %x kept; plain Go has %d below, %x kept, of %x by %x",
				done, len(keys), below, kept[:copied], want, wantKept, keys, by)
		}
	}
}

func TestAssemblyWidensEveryHalf(t *testing.T) {
	if !hasF16C {
		t.Skip("this processor has no F16C, so plain Go is what runs")
	}
	halves := make([]uint16, 1<<16)
	for i := range halves {
		halves[i] = uint16(i)
	}
	for _, n := range []int{0, 1, 7, 8, 9, 1<<16 - 1, 1 << 16} {
		got, want := make([]float32, n), make([]float32, n)
		widenHalves(got, halves[:n])
		overview.WidenHalves(want, halves[:n])
		for i := range got {
			if !same(got[i], want[i]) {
				t.Fatalf("%d of %d: %v, plain Go has %v", i, n, got[i], want[i])
			}
		}
	}
}
