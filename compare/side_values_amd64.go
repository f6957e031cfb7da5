//go:build !purego

package compare

// The loops over the sides' float32. n is a multiple of 16.

//go:noescape
func sumLanesAVX2(values *float32, n int, l *sideLanes)

//go:noescape
func squareLanesAVX2(values *float32, n int, mean float64, l *sideLanes)

func sums32(a, b []float32) [2]float64 {
	var l [2]sideLanes
	if whole := len(a) &^ 15; hasAVX2 && whole > 0 && len(b) >= whole {
		if hasAVX512 {
			sumLanesAVX512(&a[0], &b[0], whole, &l[0], &l[1])
		} else {
			sumLanesAVX2(&a[0], whole, &l[0])
			sumLanesAVX2(&b[0], whole, &l[1])
		}
		a, b = a[whole:], b[whole:]
	}
	sumLanesGo(a, &l[0])
	sumLanesGo(b, &l[1])
	return [2]float64{l[0].sum(), l[1].sum()}
}

func squares32(a, b []float32, means [2]float64) [2]float64 {
	var l [2]sideLanes
	if whole := len(a) &^ 15; hasAVX2 && whole > 0 && len(b) >= whole {
		if hasAVX512 {
			squareLanesAVX512(&a[0], &b[0], whole, means[0], means[1], &l[0], &l[1])
		} else {
			squareLanesAVX2(&a[0], whole, means[0], &l[0])
			squareLanesAVX2(&b[0], whole, means[1], &l[1])
		}
		a, b = a[whole:], b[whole:]
	}
	squareLanesGo(a, means[0], &l[0])
	squareLanesGo(b, means[1], &l[1])
	return [2]float64{l[0].sum(), l[1].sum()}
}
