package compare

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// A region is reported if it holds nine tenths of the mismatches, and if mismatches scattered at
// random would cluster there with a probability of less than one in a million.
const (
	gatheredShare    = 0.9
	gatheredEvidence = 13.8 // ln 1e6
)

// longAxis is the greatest axis length for which mismatches are counted at every index. On a longer
// axis, they are counted per half and per index modulo period, which is a common multiple of the
// strides.
const (
	longAxis = 1 << 16
	period   = 6720
)

var strides = []int{2, 3, 4, 5, 6, 7, 8, 16, 32, 64}

// along holds the number of mismatches at each index of one axis.
type along struct {
	length int
	counts []int // by index, or modulo period on a long axis
	lower  int   // mismatches in the first half
}

// slice describes a part of an axis that holds mismatches.
type slice struct {
	count    int     // mismatches in the part
	share    float64 // the part's length as a fraction of the axis
	evidence float64
	text     string // as a NumPy slice: "5", "8:16", "2::4"
	words    string
}

// gathered returns one line that says where the mismatches cluster, or "" if they do not.
func (p *pair) gathered(by elementRule, mismatches int) string {
	shape := p.actual.Shape()
	if by == nil || mismatches < 2 || mismatches == p.n || len(shape) == 0 {
		return ""
	}
	axes := p.alongAxes(by)
	parts := make([]slice, len(axes))
	best := -1
	for i := range axes {
		parts[i] = axes[i].slice(mismatches, i, len(shape))
		if parts[i].text != "" && (best < 0 || parts[i].evidence > parts[best].evidence) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	index, words := make([]string, len(axes)), []string(nil)
	for i, part := range parts {
		index[i] = "*"
		if i == best || part.text != "" && part.count == mismatches && parts[best].count == mismatches {
			index[i] = part.text
			words = append(words, part.words)
		}
	}
	many := fmt.Sprintf("%d of %d", parts[best].count, mismatches)
	if parts[best].count == mismatches {
		many = fmt.Sprintf("all %d", mismatches)
	}
	return fmt.Sprintf("%s mismatches lie %s: [%s]", many, strings.Join(words, " and "),
		strings.Join(index, ","))
}

// alongAxes counts the mismatches along every axis.
func (p *pair) alongAxes(by elementRule) []along {
	shape := p.actual.Shape()
	axes := make([]along, len(shape))
	for i, length := range shape {
		axes[i] = along{length: length, counts: make([]int, length)}
		if length > longAxis {
			axes[i].counts = make([]int, period)
		}
	}
	s := new(scratch)
	for lo := 0; lo < p.n; lo += strip {
		for _, flat := range p.mismatchesIn(by, lo, min(lo+strip, p.n), s) {
			for axis := len(axes) - 1; axis >= 0; axis-- {
				axes[axis].add(flat % shape[axis])
				flat /= shape[axis]
			}
		}
	}
	return axes
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
		if !(d <= rule.atol) && !(rel[i] <= rule.rtol) {
			at = append(at, lo+i)
		}
	}
	return at
}

// add counts a mismatch at index i.
func (a *along) add(i int) {
	a.counts[i%len(a.counts)]++
	if 2*i < a.length {
		a.lower++
	}
}

// slice returns the part of the axis in which the n mismatches cluster. Its text is "" if they do
// not cluster.
func (a *along) slice(n, axis, rank int) slice {
	var best slice
	consider := func(s slice, hypotheses int) {
		q := float64(s.count) / float64(n)
		if q < gatheredShare || s.share >= q {
			return
		}
		// The tail probability of a binomial distribution is at most exp(−n·KL(q‖p)).
		divergence := float64(q * math.Log(q/s.share))
		if q < 1 {
			divergence += float64((1 - q) * math.Log((1-q)/(1-s.share)))
		}
		s.evidence = float64(float64(n)*divergence) - math.Log(float64(hypotheses))
		if s.evidence >= gatheredEvidence && s.evidence > best.evidence {
			best = s
		}
	}
	if a.length <= longAxis && a.length > 1 {
		most := 0
		for i, c := range a.counts {
			if c > a.counts[most] {
				most = i
			}
		}
		consider(slice{count: a.counts[most], share: 1 / float64(a.length), text: fmt.Sprint(most),
			words: placed(most, axis, rank)}, a.length)
	}
	if half := (a.length + 1) / 2; a.length >= 4 {
		consider(slice{count: a.lower, share: float64(half) / float64(a.length),
			text: fmt.Sprintf("0:%d", half), words: "in the first half of " + called(axis, rank)}, 2)
		consider(slice{count: n - a.lower, share: 1 - float64(half)/float64(a.length),
			text:  fmt.Sprintf("%d:%d", half, a.length),
			words: "in the second half of " + called(axis, rank)}, 2)
	}
	for _, stride := range strides {
		if a.length < 2*stride {
			break
		}
		residues := make([]int, stride)
		for i, c := range a.counts {
			residues[i%stride] += c
		}
		for from, c := range residues {
			consider(slice{count: c, share: 1 / float64(stride), text: fmt.Sprintf("%d::%d", from, stride),
				words: fmt.Sprintf("at every %s index of %s", ordinal(stride), called(axis, rank))},
				len(strides)*stride)
		}
	}
	return best
}

func called(axis, rank int) string {
	if rank == 1 {
		return "the output"
	}
	return fmt.Sprintf("axis %d", axis)
}

// placed returns text that names one index of an axis, such as "in row 3".
func placed(i, axis, rank int) string {
	switch {
	case rank == 2 && axis == 0, rank > 2 && axis == rank-2:
		return fmt.Sprintf("in row %d", i)
	case rank >= 2 && axis == rank-1:
		return fmt.Sprintf("in column %d", i)
	case rank == 4 && axis == 1:
		return fmt.Sprintf("at index %d of axis 1 (the channel in NCHW)", i)
	}
	return fmt.Sprintf("at index %d of %s", i, called(axis, rank))
}

// ordinal returns "2nd", "3rd", "4th" and so on.
func ordinal(n int) string {
	return fmt.Sprint(n) + cmp.Or(map[int]string{2: "nd", 3: "rd", 32: "nd"}[n], "th")
}
