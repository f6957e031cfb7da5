//go:build !purego

package compare

// The loops over one side's float32. n is a multiple of 16.

//go:noescape
func sumLanesAVX2(values *float32, n int, l *sideLanes)

//go:noescape
func squareLanesAVX2(values *float32, n int, mean float64, l *sideLanes)

func sum32(values []float32) float64 {
	var l sideLanes
	if whole := len(values) &^ 15; hasAVX2 && whole > 0 {
		sumLanesAVX2(&values[0], whole, &l)
		values = values[whole:]
	}
	sumLanesGo(values, &l)
	return l.sum()
}

func squares32(values []float32, mean float64) float64 {
	var l sideLanes
	if whole := len(values) &^ 15; hasAVX2 && whole > 0 {
		squareLanesAVX2(&values[0], whole, mean, &l)
		values = values[whole:]
	}
	squareLanesGo(values, mean, &l)
	return l.sum()
}
