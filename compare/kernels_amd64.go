//go:build !purego

package compare

import "golang.org/x/sys/cpu"

// Plain Go decides 20 M float32 pairs at a quarter of the speed at which this machine reads memory,
// since the compiler does not vectorise; RATIONALE.md has the figures that these loops are worth.
var (
	hasAVX2 = cpu.X86.HasAVX2
	hasF16C = cpu.X86.HasAVX2 && f16c()
)

// f16c reports whether the processor converts float16 (CPUID leaf 1, ECX bit 29).
func f16c() bool

// The loops take lengths that are a multiple of 8 (32 for mismatchesAVX2), which their callers see
// to; the rest goes to plain Go.

//go:noescape
func mismatchesAVX2(a, b *float32, n int, atol, rtol, zero float32) int

//go:noescape
func errorsAVX2(abs, rel, a, b *float32, n int, zero float32)

//go:noescape
func foldAVX2(values *float32, n int, most float32, l *lanes) (greatest float32, hasNaN bool)

//go:noescape
func halvesF16C(dst *float32, src *uint16, n int)

func mismatches32(a, b []float32, atol, rtol, zero float32) int {
	count, whole := 0, len(a)&^31
	if hasAVX2 && whole > 0 && len(b) >= whole {
		count = mismatchesAVX2(&a[0], &b[0], whole, atol, rtol, zero)
		a, b = a[whole:], b[whole:]
	}
	return count + mismatchesGo(a, b, atol, rtol, zero)
}

func floatErrors32(abs, rel, a, b []float32, zero float32) {
	whole := len(a) &^ 7
	if hasAVX2 && whole > 0 && min(len(abs), len(rel), len(b)) >= whole {
		errorsAVX2(&abs[0], &rel[0], &a[0], &b[0], whole, zero)
		abs, rel, a, b = abs[whole:], rel[whole:], a[whole:], b[whole:]
	}
	errorsGo(abs, rel, a, b, zero)
}

func fold32(values []float32, most float32, l *lanes) float32 {
	whole := len(values) &^ 7
	if hasAVX2 && whole > 0 && most == most {
		greatest, hasNaN := foldAVX2(&values[0], whole, most, l)
		values, most = values[whole:], greatest
		if hasNaN {
			most = float32(nan)
		}
	}
	return foldGo(values, most, l)
}

func widenHalves(dst []float32, src []uint16) {
	whole := len(src) &^ 7
	if hasF16C && whole > 0 && len(dst) >= whole {
		halvesF16C(&dst[0], &src[0], whole)
		dst, src = dst[whole:], src[whole:]
	}
	halvesGo(dst, src)
}
