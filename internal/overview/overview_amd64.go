//go:build !purego

package overview

import (
	"math"

	"golang.org/x/sys/cpu"
)

var wide = cpu.X86.HasAVX2

// foldAVX2 adds n values, a multiple of 16 that is not 0, to the sums; finite is 0 unless all of
// them are.
//
//go:noescape
func foldAVX2(values *float32, n int, sums *lanes) (least, greatest, finite uint32)

// foldWide is [finite32Go] of whole rows of 16, of which there is one at least.
func foldWide(values []float32, sums *lanes) (least, greatest float32, finite bool) {
	low, high, ok := foldAVX2(&values[0], len(values), sums)
	return math.Float32frombits(low), math.Float32frombits(high), ok != 0
}
