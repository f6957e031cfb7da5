//go:build !purego

package compare

import "golang.org/x/sys/cpu"

// The order statistics and the full report have more to do with each element than memory takes to
// bring it, so their loops exist in AVX-512 too: sixteen elements at a time, comparisons that make
// masks, and one instruction that packs what a mask leaves.
var hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX2

// The loops take lengths that are a multiple of 16 (of 64 for the mismatches).

//go:noescape
func mismatchesAVX512(a, b *float32, n int, atol, rtol, zero float32) int

// errorsAVX512 asks for the strip behind as well.
//
//go:noescape
func errorsAVX512(abs, rel, a, b *float32, n int, zero float32)

//go:noescape
func foldAVX512(abs, rel *float32, n int, absSums, relSums *lanes) (greatestAbs, greatestRel uint32)

// countAVX512 takes up to ten edges, or looks at the first two alone.
//
//go:noescape
func countAVX512(keys *uint32, n int, edges *[10]uint32, above *[10]int, two bool)

// sieveAVX512 takes four brackets, or looks at the first alone. Behind what it has kept it may
// write as many keys as it has looked at.
//
//go:noescape
func sieveAVX512(keys *uint32, n int, los, widths *[4]uint32, above *[4]int, kept *uint32,
	one bool) int

//go:noescape
func sumLanesAVX512(a, b *float32, n int, la, lb *sideLanes)

//go:noescape
func squareLanesAVX512(a, b *float32, n int, meanA, meanB float64, la, lb *sideLanes)

// count512 counts as many keys as it can, and gives how many these are.
func count512(keys, edges []uint32, above []int) (whole int) {
	whole = len(keys) &^ 15
	for from := 0; from < len(edges) && whole > 0; from += 10 {
		part, counts := [10]uint32{}, [10]int{}
		for i := range part {
			part[i] = 1 << 31 // which no key reaches
		}
		n := copy(part[:], edges[from:])
		countAVX512(&keys[0], whole, &part, &counts, n <= 2)
		add(above[from:from+n], counts[:n])
	}
	return whole
}

// sieve512 sieves as many keys as it can, and gives how many these are and how many it has kept.
func sieve512(keys []uint32, brackets []bracket[uint32], above []int, kept []uint32) (
	whole, n int) {
	whole = len(keys) &^ 15
	if whole == 0 || len(brackets) == 0 || len(brackets) > 4 || len(kept) < len(keys) {
		return 0, 0
	}
	los, widths, counts := [4]uint32{}, [4]uint32{}, [4]int{}
	for i, b := range brackets {
		los[i], widths[i] = b.lo, max(b.lo, b.hi)-b.lo
	}
	n = sieveAVX512(&keys[0], whole, &los, &widths, &counts, &kept[0], len(brackets) == 1)
	add(above, counts[:len(brackets)])
	return whole, n
}
