//go:build !purego

package compare

import (
	"math"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/modelparity/modelparity/internal/overview"
)

// Without assembly, comparing 20 M float32 pairs uses only a quarter of the memory bandwidth,
// because the Go compiler does not vectorise. RATIONALE.md has the figures.
var (
	hasAVX2 = cpu.X86.HasAVX2
	hasF16C = hasAVX2 && f16c()
)

// f16c reports whether the processor converts float16 (CPUID leaf 1, ECX bit 29).
func f16c() bool

// Lengths must be a multiple of 8, and of 32 for mismatches. The callers ensure this and leave the
// remaining elements to plain Go.

//go:noescape
func mismatchesAVX2(a, b *float32, n int, atol, rtol, zero float32) int

//go:noescape
func errorsAVX2(abs, rel, a, b *float32, n int, zero float32, absSums, relSums *lanes) (
	greatestAbs, greatestRel uint32)

//go:noescape
func finiteAVX2(errors *float32, n int, sums *lanes, odd *[2]uint32) (greatest uint32)

//go:noescape
func tallyAVX2(keys, kept *uint32, n int, by *group, below *[5]uint32) int

//go:noescape
func widenF16C(wide *float32, halves *uint16, n int)

// widenHalves converts IEEE binary16 numbers to float32. Without assembly, the conversion takes
// more than ten times as long as the comparison.
func widenHalves(wide []float32, halves []uint16) {
	if whole := len(halves) &^ 7; hasF16C && whole > 0 && len(wide) >= whole {
		widenF16C(&wide[0], &halves[0], whole)
		wide, halves = wide[whole:], halves[whole:]
	}
	overview.WidenHalves(wide, halves)
}

func mismatches32(a, b []float32, atol, rtol, zero float32) int {
	count, whole := 0, len(a)&^31
	if hasAVX2 && whole > 0 && len(b) >= whole {
		count = mismatchesAVX2(&a[0], &b[0], whole, atol, rtol, zero)
		a, b = a[whole:], b[whole:]
	}
	return count + mismatchingFloats(a, b, atol, rtol, zero)
}

// floatErrors32 does the work of errorsGo. It also adds the absolute errors to of[0] and the
// relative errors to of[1].
func floatErrors32(abs, rel, a, b []float32, zero float32, of *[2]errorTotals) {
	if whole := len(a) &^ 7; hasAVX2 && whole > 0 && min(len(abs), len(rel), len(b)) >= whole {
		earlier := [2]lanes{of[0].sums, of[1].sums}
		x, y := errorsAVX2(&abs[0], &rel[0], &a[0], &b[0], whole, zero, &of[0].sums, &of[1].sums)
		of[0].takeVectors(abs[:whole], x, &earlier[0])
		of[1].takeVectors(rel[:whole], y, &earlier[1])
		abs, rel, a, b = abs[whole:], rel[whole:], a[whole:], b[whole:]
	}
	errorsGo(abs, rel, a, b, zero)
	addErrorsGo(abs, &of[0])
	addErrorsGo(rel, &of[1])
}

// takeVectors counts errors that errorsAVX2 has added to t.sums. greatest contains the bits of the
// largest error. If that is not finite, takeVectors restores the earlier sums and adds only the
// finite errors.
func (t *errorTotals) takeVectors(errors []float32, greatest uint32, earlier *lanes) {
	var odd [2]uint32 // the number of errors that are not finite, and the number of NaN among them
	if greatest > bits32(math.MaxFloat32) {
		t.sums = *earlier
		greatest = finiteAVX2(&errors[0], len(errors), &t.sums, &odd)
	}
	t.count(len(errors), int(odd[0]), int(odd[1]), float64(frombits32(greatest)))
}

// tally sets below[i] to the number of keys that are less than by.points[i]. It also copies some
// keys to the slice kept, which must have room for them: the keys that are at least by.first and at
// most by.last. It ignores the keys' sign bits. tally handles eight keys at a time, so it may leave
// out up to seven keys at the end of the slice keys. done is the number of keys that it handled,
// and copied is the number of keys that it copied. Without AVX2, tally does nothing.
func tally(keys, kept []uint32, by *group, below *[5]uint32) (done, copied int) {
	done = len(keys) &^ 7
	if !hasAVX2 || done == 0 {
		return 0, 0
	}
	return done, tallyAVX2(&keys[0], unsafe.SliceData(kept), done, by, below)
}
