//go:build !amd64 || purego

package compare

func factsAtOnce(_, _, _, _ []float32, _ float32) (most [2]float32, errors [2]lanes,
	sums [2]float64, ok bool) {
	return most, errors, sums, false
}

func (p *pair) surveyAtOnce(*[2]*tally[uint32]) stripTally[uint32] { return nil }
