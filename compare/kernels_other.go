//go:build !amd64 || purego

package compare

import "github.com/modelparity/modelparity/internal/overview"

func widenHalves(wide []float32, halves []uint16) { overview.WidenHalves(wide, halves) }

func mismatches32(a, b []float32, atol, rtol, zero float32) int {
	return mismatchingFloats(a, b, atol, rtol, zero)
}

func floatErrors32(abs, rel, a, b []float32, zero float32, of *[2]errorTotals) {
	errorsGo(abs, rel, a, b, zero)
	addErrorsGo(abs, &of[0])
	addErrorsGo(rel, &of[1])
}

func tally(keys, kept []uint32, by *group, below *[5]uint32) (done, copied int) { return 0, 0 }
