package compare

import (
	"fmt"
	"math"
	"strings"
)

// gatheredEvidence is ln 1e6. A region is reported only if it is unlikely to contain all mismatches
// by chance: for mismatches scattered at random, the probability must be below one in a million.
const gatheredEvidence = 13.8

// along describes the indices of the mismatches along one axis.
type along struct{ low, high, step int } // step divides every distance between two indices

// gathered returns one line that says in which part of the tensor all mismatches lie, or "" if they
// are scattered.
func (p *pair) gathered(by elementRule, mismatches int) string {
	if by == nil || mismatches < 2 || mismatches == p.n {
		return ""
	}
	slices := p.alongAxes(by, mismatches)
	if scattered(slices) {
		return ""
	}
	return fmt.Sprintf("all %d mismatches lie in [%s]", mismatches, strings.Join(slices, ","))
}

// scattered reports whether the slice of every axis is "*". If so, the mismatches are scattered
// along all axes.
func scattered(slices []string) bool { return strings.Trim(strings.Join(slices, ""), "*") == "" }

// alongAxes returns, for every axis, the smallest NumPy slice that contains the indices of all
// mismatches, such as "8:16", or "*" if they are scattered. It stops early once the mismatches are
// scattered along every axis, because further mismatches cannot change that.
func (p *pair) alongAxes(by elementRule, mismatches int) []string {
	shape := p.actual.Shape()
	axes, slices := make([]along, len(shape)), make([]string, len(shape))
	s, first := new(scratch), true
	chunks := (p.n + chunk - 1) / chunk
	for n := range chunks {
		// The last chunk comes first, because both ends of an axis soon show that it has no slice.
		lo := (n + chunks - 1) % chunks * chunk
		for _, flat := range p.mismatchesIn(by, lo, min(lo+chunk, p.n), s) {
			for axis := len(axes) - 1; axis >= 0; axis-- {
				i := flat % shape[axis]
				flat /= shape[axis]
				if first {
					axes[axis] = along{low: i, high: i}
				}
				axes[axis].add(i)
			}
			first = false
		}
		if first {
			continue
		}
		for axis := range axes {
			slices[axis] = axes[axis].slice(mismatches, shape[axis])
		}
		if scattered(slices) {
			break
		}
	}
	return slices
}

// mismatchesIn returns the flat indices of the elements in [lo,hi) that break the rule.
func (p *pair) mismatchesIn(by elementRule, lo, hi int, s *scratch) (at []int) {
	if by.mismatching(*p, lo, hi, s) == 0 {
		return nil
	}
	rule, ok := by.(within)
	if !ok || p.arith == inString {
		for i := lo; i < hi; i++ {
			if by.mismatching(*p, i, i+1, s) > 0 {
				at = append(at, i)
			}
		}
		return at
	}
	abs, rel := p.errors64(lo, hi, s)
	for i, d := range abs {
		if rule.brokenBy(d, rel[i]) {
			at = append(at, lo+i)
		}
	}
	return at
}

// add adds a mismatch at index i.
func (a *along) add(i int) {
	for rest := max(i-a.low, a.low-i); rest != 0; { // the greatest common divisor
		a.step, rest = rest, a.step%rest
	}
	a.low, a.high = min(a.low, i), max(a.high, i)
}

// slice returns the smallest NumPy slice that contains the indices of n mismatches, such as "5",
// "8:16" or "2::4". It returns "*" if n random indices could all lie in such a slice by chance.
func (a along) slice(n, length int) string {
	step := max(1, a.step)
	indices := (a.high-a.low)/step + 1
	// The union bound covers all slices: length choices for each of low, high and step.
	evidence := float64(float64(n)*math.Log(float64(length)/float64(indices))) -
		float64(3*math.Log(float64(length)))
	switch {
	case !(evidence >= gatheredEvidence):
		return "*"
	case indices == 1:
		return fmt.Sprint(a.low)
	case step == 1:
		return fmt.Sprintf("%d:%d", a.low, a.high+1)
	case a.low < step && a.high+step >= length:
		return fmt.Sprintf("%d::%d", a.low, step)
	}
	return fmt.Sprintf("%d:%d:%d", a.low, a.high+1, step)
}
