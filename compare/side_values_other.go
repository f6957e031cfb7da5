//go:build !amd64 || purego

package compare

func sums32(a, b []float32) [2]float64 { return sumsGo(a, b) }

func squares32(a, b []float32, means [2]float64) [2]float64 { return squaresGo(a, b, means) }
