package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// Census counts the NaN and infinite values of one tensor.
type Census struct {
	NaN    int `json:"nan"`
	PosInf int `json:"pos_inf"`
	NegInf int `json:"neg_inf"`
	// NaNAt and InfAt contain the indices of the first few NaN and infinities, in row-major order.
	NaNAt [][]int `json:"nan_at,omitempty"`
	InfAt [][]int `json:"inf_at,omitempty"`
}

// String returns one line such as "2 NaN at [0,1] [0,2], 1 +Inf at [3,0]", or "all finite".
func (c Census) String() string {
	var parts []string
	if c.NaN > 0 {
		parts = append(parts, fmt.Sprintf("%d NaN at %s", c.NaN, places(c.NaNAt, c.NaN)))
	}
	if infinite := c.PosInf + c.NegInf; infinite > 0 {
		var kinds []string
		if c.PosInf > 0 {
			kinds = append(kinds, fmt.Sprintf("%d +Inf", c.PosInf))
		}
		if c.NegInf > 0 {
			kinds = append(kinds, fmt.Sprintf("%d -Inf", c.NegInf))
		}
		parts = append(parts, strings.Join(kinds, " and ")+" at "+places(c.InfAt, infinite))
	}
	if len(parts) == 0 {
		return "all finite"
	}
	return strings.Join(parts, ", ")
}

// places formats indices, and appends "…" if total exceeds their number.
func places(at [][]int, total int) string {
	texts := make([]string, len(at))
	for i, index := range at {
		texts[i] = tensor.Shape(index).String()
	}
	if total > len(at) {
		texts = append(texts, "…")
	}
	return strings.Join(texts, " ")
}

// First returns the index of the first NaN or infinity, or nil if all values are finite.
func (c Census) First() []int {
	switch {
	case len(c.NaNAt) == 0 && len(c.InfAt) == 0:
		return nil
	case len(c.NaNAt) == 0 || len(c.InfAt) > 0 && slices.Compare(c.InfAt[0], c.NaNAt[0]) < 0:
		return c.InfAt[0]
	}
	return c.NaNAt[0]
}

// Total returns the number of values that are NaN or infinite.
func (c Census) Total() int { return c.NaN + c.PosInf + c.NegInf }

// CensusOf counts the NaN and infinite values of a tensor, using all cores. Integers, bools and
// strings are always finite.
func CensusOf(t *tensor.Tensor) Census {
	var c Census
	if !t.ElementType().IsFloat() {
		return c
	}
	for _, part := range overBlocks(t.Len(), func(lo, hi int, s *scratch) Census {
		return censusOfBlock(t, lo, hi, s)
	}) {
		c.NaN += part.NaN
		c.PosInf += part.PosInf
		c.NegInf += part.NegInf
		c.NaNAt = append(c.NaNAt, part.NaNAt...)
		c.InfAt = append(c.InfAt, part.InfAt...)
		c.NaNAt = c.NaNAt[:min(len(c.NaNAt), shownElements)]
		c.InfAt = c.InfAt[:min(len(c.InfAt), shownElements)]
	}
	return c
}

func censusOfBlock(t *tensor.Tensor, lo, hi int, s *scratch) (c Census) {
	for ; lo < hi; lo += strip {
		if allFinite(t, lo, min(lo+strip, hi), s) {
			continue
		}
		values := float64s(t, lo, min(lo+strip, hi), &s.a64)
		before := c
		c.count(values)
		if !(c.NaN > before.NaN && len(c.NaNAt) < shownElements ||
			c.Total()-c.NaN > before.Total()-before.NaN && len(c.InfAt) < shownElements) {
			continue
		}
		for i, v := range values {
			switch {
			case v != v && len(c.NaNAt) < shownElements:
				c.NaNAt = append(c.NaNAt, t.Shape().Index(lo+i))
			case math.IsInf(v, 0) && len(c.InfAt) < shownElements:
				c.InfAt = append(c.InfAt, t.Shape().Index(lo+i))
			}
		}
	}
	return c
}

// count adds to the counts of NaN and infinite values. It uses bit arithmetic instead of branches,
// which the processor would mispredict if many values are NaN.
func (c *Census) count(values []float64) {
	const sign, infinity = 1 << 63, 0x7ff << 52
	for _, v := range values {
		bits := math.Float64bits(v)
		magnitude, negative := bits&^sign, bits>>63
		infinite := (magnitude ^ infinity - 1) >> 63
		c.NaN += int((infinity - magnitude) >> 63)
		c.NegInf += int(infinite & negative)
		c.PosInf += int(infinite &^ negative)
	}
}

// allFinite returns true only if the elements [lo,hi) are all finite; there may be at most [strip]
// of them. The function adds the elements up: a finite sum cannot contain an infinity or a NaN. It
// may return false for finite elements, because their sum can overflow.
func allFinite(t *tensor.Tensor, lo, hi int, s *scratch) bool {
	var sum float64
	if t.ElementType().Bits() <= 32 {
		sum, _ = sumsOf(float32s(t, lo, hi, &s.a32), 0)
	} else {
		sum, _ = sumsOf(float64s(t, lo, hi, &s.a64), 0)
	}
	return sum-sum == 0
}
