package pairing

import (
	"math"
	"slices"
)

// Guilty looks for a node of the chain that alone accounts for all differences from the expected
// chain, because one of its constants or the convolution's attributes are wrong. It returns the
// node and the reason. ok is false if no node does, or more than one.
//
//   - If only the weights differ, and not just by a factor per channel, the linear node is guilty.
//   - If the weights differ by a factor per channel and the bias is equal, the linear node is
//     guilty. If the bias differs in the way that a changed scale causes, the scaling node is
//     guilty.
//   - If only the bias differs, a shifting node is guilty.
func (c *Chain) Guilty(expected *Chain) (node int, why string, ok bool) {
	if len(c.rows) != len(expected.rows) || len(c.rows) == 0 ||
		len(c.rows[0]) != len(expected.rows[0]) {
		return 0, "", false
	}
	weights := compareRows(c.rows, expected.rows)
	biases := compareRows([][]float64{c.bias}, [][]float64{expected.bias})
	if weights == unclear || biases == unclear {
		return 0, "", false
	}
	same := weights == equal && biases == equal
	if c.form != expected.form {
		return c.Linear, "its attributes differ (" + c.form + ", expected " + expected.form + ")", same
	}
	suspects := 0
	suspect := func(n int, text string) { suspects, node, why = suspects+1, n, text }
	switch {
	case same:
	case weights == equal:
		if c.biased {
			suspect(c.Linear, "its bias differs")
		}
		for _, l := range c.links {
			if l.shifts {
				suspect(l.node, "its offset differs")
			}
		}
	default:
		if biases == equal {
			suspect(c.Linear, "its weights differ")
		}
		factors, proportional := factorsOf(c.rows, expected.rows)
		for _, l := range c.links {
			if !proportional || !l.scales {
				continue
			}
			bias := slices.Clone(c.bias) // as it would be with the scale that the weights need
			for k := range bias {
				bias[k] += float64((factors[k] - 1) * l.scaled[k])
			}
			switch compareRows([][]float64{bias}, [][]float64{expected.bias}) {
			case unclear:
				return 0, "", false
			case equal:
				suspect(l.node, "its scale differs")
			}
		}
	}
	return node, why, suspects == 1
}

// agreement is the result of comparing two lists of numbers.
type agreement int

const (
	equal agreement = iota
	unclear
	differs
)

// Limits on relative differences. Folding in float32 changes a weight by about 1e-7 of the largest
// weight. A difference that shows in a result is far larger.
const (
	mostFolding   = 1e-5
	leastDiffers  = 1e-4
	proportionate = 1e-5
)

// compareRows compares each row of a with the same row of b. Differences are relative to the
// largest number in the row.
func compareRows(a, b [][]float64) agreement {
	worst := 0.0
	for k := range a {
		greatest, off := 0.0, 0.0
		for i := range a[k] {
			greatest = max(greatest, math.Abs(a[k][i]), math.Abs(b[k][i]))
			off = max(off, math.Abs(a[k][i]-b[k][i]))
		}
		if greatest > 0 {
			worst = max(worst, off/greatest)
		}
	}
	switch {
	case worst <= mostFolding:
		return equal
	case worst >= leastDiffers:
		return differs
	}
	return unclear
}

// factorsOf returns, for each channel, the factor by which to multiply the row of a to get the row
// of b. ok is false if there is no such factor.
func factorsOf(a, b [][]float64) (factors []float64, ok bool) {
	for k := range a {
		dot, norm, greatest := 0.0, 0.0, 0.0
		for i := range a[k] {
			dot += float64(a[k][i] * b[k][i])
			norm += float64(a[k][i] * a[k][i])
			greatest = max(greatest, math.Abs(b[k][i]))
		}
		if norm == 0 {
			return nil, false
		}
		factor := dot / norm
		for i := range a[k] {
			if math.Abs(float64(factor*a[k][i])-b[k][i]) > proportionate*greatest {
				return nil, false
			}
		}
		factors = append(factors, factor)
	}
	return factors, true
}
