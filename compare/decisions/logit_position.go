package decisions

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/largest"
	"github.com/modelparity/modelparity/tensor"
)

// position is one row of logits on both sides, and the results for it.
type position struct {
	iteration, sequence, token, row int
	next                            int // the token that follows, or -1 if it is not known

	actual, expected int     // the token with the largest logit, or hasNaN or isFlat
	margin           float64 // the distance between the expected logits of the two tokens
	spread           float64 // the largest distance between two expected logits
	divergence       float64
	probability      float64    // the probability of the token that follows, actual minus expected
	surprise         [2]float64 // −ln of that probability, actual and expected
	slices           [len(sliceSizes)]float64
	wrong            error
	onExpected       bool
}

// place describes the position for messages, such as "sequence 0, token 17".
func (p *position) place() string {
	return fmt.Sprintf("sequence %d, token %d", p.sequence, p.token)
}

func (p *position) flip(f *Findings, margin float64) Flip {
	return Flip{Where: f.in(p.iteration, p.place()), Actual: topText(p.actual),
		Expected: topText(p.expected), Margin: p.margin, Excused: p.margin <= margin}
}

// earlier returns whichever of the two positions comes first, by iteration, then token, then
// sequence.
func (p *position) earlier(other *position) *position {
	if other == nil || cmp.Or(cmp.Compare(p.iteration, other.iteration),
		cmp.Compare(p.token, other.token), cmp.Compare(p.sequence, other.sequence)) < 0 {
		return p
	}
	return other
}

// sliceSizes lists how many of the largest expected logits are compared, as in AWS's logit
// validation for Neuron; 0 means all logits.
var sliceSizes = [...]int{5, 50, 1000, 0}

// sliceAtol is subtracted from an error before the error is divided by the largest logit, as in
// AWS's logit validation for Neuron.
const sliceAtol = 1e-5

// rowPair reads rows of two logit tensors, one position at a time.
type rowPair struct {
	actual, expected *tensor.Tensor
	a, e             []float64
	powers           []float64 // the exponentials of the expected row, divided by the largest
	all              []int     // the indices of the logits
	tail             float64
}

func newRows(actual, expected *tensor.Tensor, tail float64) *rowPair {
	words := expected.Shape()[len(expected.Shape())-1]
	return &rowPair{actual: actual, expected: expected, a: make([]float64, words),
		e: make([]float64, words), powers: make([]float64, words), all: places(words), tail: tail}
}

// look compares the logits at one position.
func (r *rowPair) look(p *position) {
	readRow(r.e, r.expected, p.row)
	readRow(r.a, r.actual, p.row)
	var zero, other float64
	if zero, p.wrong = normaliser(r.e, r.powers); p.wrong != nil {
		p.onExpected = true
		return
	}
	if other, p.wrong = normaliser(r.a, nil); p.wrong != nil {
		return
	}
	p.actual, _ = topIndex(r.a)
	if p.expected, p.spread = topIndex(r.e); p.expected >= 0 {
		p.margin = p.spread
		if p.actual >= 0 {
			p.margin = gap(r.e[p.expected], r.e[p.actual])
		}
	}
	total := 0.0
	for _, v := range r.powers {
		total += v
	}
	for i, power := range r.powers {
		log := r.e[i] - zero
		if power == 0 || r.tail > 0 && log <= -r.tail {
			continue
		}
		p.divergence += float64(power / total * (log - (r.a[i] - other)))
	}
	if p.next >= 0 {
		a, e := r.a[p.next]-other, r.e[p.next]-zero
		p.surprise = [2]float64{-a, -e}
		p.probability = math.Exp(a) - math.Exp(e)
	}
	r.slice(p)
}

// normaliser returns the logarithm of the sum of the exponentials of a row. If powers is not nil,
// normaliser fills it with these exponentials, each divided by the largest of them.
func normaliser(row, powers []float64) (float64, error) {
	top := math.Inf(-1)
	for i, v := range row {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return 0, fmt.Errorf("logit %d is %v", i, v)
		}
		top = math.Max(top, v)
	}
	if math.IsInf(top, -1) {
		return 0, errors.New("every logit is -Inf")
	}
	sum := 0.0
	for i, v := range row {
		power := math.Exp(v - top)
		if sum += power; powers != nil {
			powers[i] = power
		}
	}
	return top + math.Log(sum), nil
}

// slice computes the error of the k largest expected logits, for each k in sliceSizes.
func (r *rowPair) slice(p *position) {
	most := 0
	for _, k := range sliceSizes {
		if k < len(r.e) {
			most = max(most, k)
		}
	}
	order := largest.Indices(r.e, most)
	for s, k := range sliceSizes {
		p.slices[s] = r.relative(r.all)
		if k > 0 && k < len(r.e) {
			p.slices[s] = r.relative(order[:k])
		}
	}
}

// relative returns (max |actual − expected| − sliceAtol) / max |expected| over the given logits, or
// 0 if that is negative. Equal infinities have no difference, and max |expected| leaves out
// infinities.
func (r *rowPair) relative(among []int) float64 {
	difference, scale := 0.0, 0.0
	for _, i := range among {
		difference = math.Max(difference, gap(r.a[i], r.e[i]))
		if !math.IsInf(r.e[i], 0) {
			scale = math.Max(scale, math.Abs(r.e[i]))
		}
	}
	switch d := difference - sliceAtol; {
	case d <= 0:
		return 0
	case scale == 0:
		return inf
	default:
		return d / scale
	}
}
