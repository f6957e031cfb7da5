//go:build !amd64 || purego

package compare

func factsAtOnce(*stripFacts, []float32, []float32, []float32, []float32, float32,
	*sidesBefore) bool {
	return false
}

func (p *pair) surveyAtOnce(*[2]*tally[uint32]) stripTally[uint32] { return nil }
