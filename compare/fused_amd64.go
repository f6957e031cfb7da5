//go:build !purego

package compare

// stripFacts is what one look at a strip finds for [facts]; the errors go where the pointers point.
type stripFacts struct {
	abs, rel *float32
	greatest [2]uint32
	errors   [2]lanes
	sides    [2]sideLanes
}

// factsAVX512 takes n elements, a multiple of 16, and asks for the strip behind as well.
//
//go:noescape
func factsAVX512(f *stripFacts, a, b *float32, n int, zero float32)

// factsAtOnce is [floatErrors32], [fold32] and [sums32] in one look at a strip, where ok.
func factsAtOnce(abs, rel, a, b []float32, zero float32) (most [2]float32, errors [2]lanes,
	sums [2]float64, ok bool) {
	n := len(a)
	if !hasAVX512 || n == 0 || n%16 != 0 || min(len(b), len(abs), len(rel)) < n {
		return most, errors, sums, false
	}
	f := stripFacts{abs: &abs[0], rel: &rel[0]}
	factsAVX512(&f, &a[0], &b[0], n, zero)
	for i, key := range f.greatest {
		most[i], sums[i] = frombits32(key), f.sides[i].sum()
	}
	return most, f.errors, sums, true
}
