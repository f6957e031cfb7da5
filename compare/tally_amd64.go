//go:build !purego

package compare

// The loops of a tally over float32 errors. n is a multiple of 8, and below are edges minus 1,
// since the processor has "greater" alone.

// countAVX2 takes up to ten edges.
//
//go:noescape
func countAVX2(keys *uint32, n int, below *[10][8]int32, above *[10]int, edges int)

// sieveAVX2 takes four brackets, lower and upper end by turns, or looks at the first alone.
//
//go:noescape
func sieveAVX2(keys *uint32, n int, below *[8]int32, above *[4]int, kept *uint32, one bool) int

func kernels32() kernels[uint32] {
	if hasAVX2 {
		return kernels[uint32]{count32, sieve32}
	}
	return kernels[uint32]{countGo[uint32], sieveGo[uint32]}
}

func count32(keys, edges []uint32, above []int) {
	if hasAVX512 {
		keys = keys[count512(keys, edges, above):]
	}
	if whole := len(keys) &^ 7; whole > 0 {
		for from := 0; from < len(edges); from += 10 {
			n := min(10, len(edges)-from)
			var below [10][8]int32
			var counts [10]int
			for i, edge := range edges[from : from+n] {
				for lane := range below[i] {
					below[i][lane] = int32(edge - 1)
				}
			}
			countAVX2(&keys[0], whole, &below, &counts, n)
			add(above[from:from+n], counts[:n])
		}
		keys = keys[whole:]
	}
	countGo(keys, edges, above)
}

func sieve32(keys []uint32, brackets []bracket[uint32], above []int, kept []uint32) (n int) {
	if hasAVX512 {
		whole, n := sieve512(keys, brackets, above, kept)
		return n + sieveGo(keys[whole:], brackets, above, kept[n:])
	}
	whole := len(keys) &^ 7
	if whole == 0 || len(brackets) == 0 || len(brackets) > 4 || len(kept) < len(keys) {
		return sieveGo(keys, brackets, above, kept)
	}
	below, counts := [8]int32{}, [4]int{}
	for i := range below {
		below[i] = 0x7fffffff // an empty bracket
	}
	for i, b := range brackets {
		below[2*i], below[2*i+1] = int32(b.lo-1), int32(b.hi-1)
	}
	n = sieveAVX2(&keys[0], whole, &below, &counts, &kept[0], len(brackets) == 1)
	for i := range brackets {
		above[i] += counts[i]
	}
	return n + sieveGo(keys[whole:], brackets, above, kept[n:])
}
