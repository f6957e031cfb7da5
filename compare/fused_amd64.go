//go:build !purego

package compare

// factsAVX512 takes n elements, a multiple of 16, and asks for what follows as well. The errors go
// to abs and rel. Of before it takes the squares of as many elements.
//
//go:noescape
func factsAVX512(f *stripFacts, a, b *float32, n int, zero float32, abs, rel *float32,
	beforeA, beforeB *float32)

// factsAtOnce is [floatErrors32], [fold32] and [sums32] in one look at a strip, and [squares32] of
// the strip before, which is as long or empty; it reports whether it could.
func factsAtOnce(f *stripFacts, abs, rel, a, b []float32, zero float32, before *sidesBefore) bool {
	n := len(a)
	if !hasAVX512 || n == 0 || n%16 != 0 || min(len(b), len(abs), len(rel)) < n {
		return false
	}
	beforeA, beforeB := &a[0], &b[0] // whose squares nobody asks for
	if len(before.a) == n && len(before.b) == n {
		beforeA, beforeB, f.means = &before.a[0], &before.b[0], meansOf(before.sums, n)
	}
	factsAVX512(f, &a[0], &b[0], n, zero, &abs[0], &rel[0], beforeA, beforeB)
	return true
}
