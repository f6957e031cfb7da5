//go:build !amd64 || purego

package compare

func mismatches32(a, b []float32, atol, rtol, zero float32) int {
	return mismatchesGo(a, b, atol, rtol, zero)
}

func floatErrors32(abs, rel, a, b []float32, zero float32) { errorsGo(abs, rel, a, b, zero) }

func fold32(values []float32, most float32, l *lanes) float32 { return foldGo(values, most, l) }

func widenHalves(dst []float32, src []uint16) { halvesGo(dst, src) }
