package pairing

import "math"

// folded returns, by output channel, the weights and the bias into which the chain's nodes combine.
func (c *Chain) folded() (rows [][]float64, bias []float64) {
	bias = append([]float64(nil), c.bias...)
	rows = make([][]float64, len(c.rows))
	for k := range c.rows {
		gain := 1.0
		for _, l := range c.links {
			gain *= l.gain[k]
			bias[k] = float64(bias[k]*l.gain[k]) + l.shift[k]
		}
		for _, v := range c.rows[k] {
			rows[k] = append(rows[k], gain*v)
		}
	}
	return rows, bias
}

// Guilty looks for a single node of the chain that can account for all differences from the
// expected chain, because one of its constants or the convolution's attributes are wrong. It
// returns the node and the reason. ok is false if there is no such node, or more than one.
//
//   - If only the weights differ, by more than a factor per channel, the linear node is guilty.
//   - If the weights differ by a factor per channel and the bias is equal, the linear node is
//     guilty. If the bias differs as a changed scale would make it, the scaling node is guilty.
//   - If only the bias differs, a shifting node is guilty.
func (c *Chain) Guilty(expected *Chain) (node int, why string, ok bool) {
	ours, bias := c.folded()
	theirs, want := expected.folded()
	if len(ours) != len(theirs) || len(ours) == 0 || len(ours[0]) != len(theirs[0]) {
		return 0, "", false
	}
	weights, biases := compareRows(ours, theirs), compareRows([][]float64{bias}, [][]float64{want})
	if weights == unclear || biases == unclear {
		return 0, "", false
	}
	if c.form != expected.form {
		return c.Linear, "its attributes differ (" + c.form + ", expected " + expected.form + ")",
			weights == equal && biases == equal
	}
	type suspect struct {
		node int
		why  string
	}
	var suspects []suspect
	switch {
	case weights == equal && biases == equal:
		return 0, "", false
	case weights == equal:
		if c.biased {
			suspects = append(suspects, suspect{c.Linear, "its bias differs"})
		}
		for _, l := range c.links {
			if l.shifts {
				suspects = append(suspects, suspect{l.node, "its offset differs"})
			}
		}
	default:
		if biases == equal {
			suspects = append(suspects, suspect{c.Linear, "its weights differ"})
		}
		factors, proportional := factorsOf(ours, theirs)
		for i, l := range c.links {
			if !proportional || !l.scales {
				continue
			}
			switch compareRows([][]float64{c.rescaled(i, factors)}, [][]float64{want}) {
			case unclear:
				return 0, "", false
			case equal:
				suspects = append(suspects, suspect{l.node, "its scale differs"})
			}
		}
	}
	if len(suspects) != 1 {
		return 0, "", false
	}
	return suspects[0].node, suspects[0].why, true
}

// rescaled returns the bias that results if the gain of link i is multiplied by factors.
func (c *Chain) rescaled(i int, factors []float64) []float64 {
	other := *c
	other.links = append([]link(nil), c.links...)
	l := c.links[i]
	gain, shift := make([]float64, len(l.gain)), append([]float64(nil), l.shift...)
	for k := range gain {
		gain[k] = float64(l.gain[k] * factors[k])
		if l.mean != nil {
			shift[k] += float64(l.mean[k] * (l.gain[k] - gain[k]))
		}
	}
	other.links[i].gain, other.links[i].shift = gain, shift
	_, bias := other.folded()
	return bias
}

// agreement is the result of comparing two lists of numbers.
type agreement int

const (
	equal agreement = iota
	unclear
	differs
)

// The limits of relative differences. Folding in float32 changes a weight by about 1e-7 of the
// largest weight; a difference that shows in a result is far larger.
const (
	mostFolding   = 1e-5
	leastDiffers  = 1e-4
	proportionate = 1e-5
)

// compareRows compares the rows of a and b. Differences are relative to the largest number in a
// row.
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

// factorsOf returns, for each channel, the factor that turns ours into theirs. ok is false if no
// factor does.
func factorsOf(ours, theirs [][]float64) (factors []float64, ok bool) {
	for k := range ours {
		dot, norm, greatest := 0.0, 0.0, 0.0
		for i := range ours[k] {
			dot += float64(ours[k][i] * theirs[k][i])
			norm += float64(ours[k][i] * ours[k][i])
			greatest = max(greatest, math.Abs(theirs[k][i]))
		}
		if norm == 0 {
			return nil, false
		}
		factor := dot / norm
		for i := range ours[k] {
			if math.Abs(float64(factor*ours[k][i])-theirs[k][i]) > proportionate*greatest {
				return nil, false
			}
		}
		factors = append(factors, factor)
	}
	return factors, true
}
