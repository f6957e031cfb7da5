//go:build !amd64 || purego

package compare

func sum32(values []float32) float64 { return sumGo(values) }

func squares32(values []float32, mean float64) float64 { return squaresGo(values, mean) }
