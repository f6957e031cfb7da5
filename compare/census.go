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
	for ; lo < hi; lo += chunk {
		if end := min(lo+chunk, hi); t.ElementType().Bits() <= 32 {
			censusOfChunk(&c, float32s(t, lo, end, &s.a32), t.Shape(), lo)
		} else {
			censusOfChunk(&c, float64s(t, lo, end, &s.a64), t.Shape(), lo)
		}
	}
	return c
}

// censusOfChunk adds the values of a chunk that starts at element lo.
func censusOfChunk[F float32 | float64](c *Census, values []F, shape tensor.Shape, lo int) {
	if sum, _ := sumsOf(values, 0); sum-sum == 0 {
		return // with a NaN or an infinity, the sum would not be finite
	}
	before := *c
	count(c, values)
	if !(c.NaN > before.NaN && len(c.NaNAt) < shownElements ||
		c.Total()-c.NaN > before.Total()-before.NaN && len(c.InfAt) < shownElements) {
		return
	}
	for i, v := range values {
		switch {
		case v != v && len(c.NaNAt) < shownElements:
			c.NaNAt = append(c.NaNAt, shape.Index(lo+i))
		case math.IsInf(float64(v), 0) && len(c.InfAt) < shownElements:
			c.InfAt = append(c.InfAt, shape.Index(lo+i))
		}
	}
}

// count adds to the counts of NaN and infinite values. It uses bit arithmetic instead of branches,
// which the processor would mispredict if many values are NaN.
func count[F float32 | float64](c *Census, values []F) {
	for _, v := range values {
		bits := math.Float64bits(float64(v))
		magnitude, negative := bits&^(1<<63), bits>>63
		infinite := (magnitude ^ infinityKey - 1) >> 63
		c.NaN += int((infinityKey - magnitude) >> 63)
		c.NegInf += int(infinite & negative)
		c.PosInf += int(infinite &^ negative)
	}
}
