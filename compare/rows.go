package compare

import (
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// rows is how many rows the last axis makes, and how long each is. A 0-d tensor is one row of one.
func rows(t *tensor.Tensor) (count, length int) {
	length = 1
	if shape := t.Shape(); len(shape) > 0 {
		length = shape[len(shape)-1]
	}
	if length == 0 {
		return 0, 0
	}
	return t.Len() / length, length
}

// key numbers the values of any numeric type so that keys sort as the values do. ok is false for
// NaN, which has no place.
func key(t *tensor.Tensor, i int) (k int64, ok bool) {
	switch elem := t.ElementType(); {
	case elem.IsFloat():
		v := t.Float64At(i)
		return orderOf(t, i), v == v
	case elem == tensor.Int64:
		return view[int64](t, i, i+1)[0], true
	case elem == tensor.Uint64:
		return int64(view[uint64](t, i, i+1)[0] ^ 1<<63), true
	}
	return int64(t.Float64At(i)), true
}

// candidate is an element of a row on its way to the top.
type candidate struct {
	index  int
	key    int64
	number bool
}

// before orders candidates: greater values first, NaN last, ties by index.
func before(a, b candidate) int {
	switch {
	case a.number != b.number:
		if a.number {
			return -1
		}
		return 1
	case a.number && a.key != b.key:
		if a.key > b.key {
			return -1
		}
		return 1
	}
	return a.index - b.index
}

// topOf is the k first candidates among length elements of t, from start, stride apart, in order.
// hasNaN is whether any element is NaN. It reuses best.
func topOf(t *tensor.Tensor, start, stride, length, k int, best []candidate) (
	top []candidate, hasNaN bool) {
	best = best[:0]
	k = min(k, length)
	for i := range length {
		c := candidate{index: i}
		c.key, c.number = key(t, start+i*stride)
		hasNaN = hasNaN || !c.number
		if len(best) == k && before(best[k-1], c) < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, c, before)
		if len(best) == k {
			best = best[:k-1]
		}
		best = slices.Insert(best, at, c)
	}
	return best, hasNaN
}

// overRows is overBlocks for rows: it folds value over all rows and counts those that are bad.
func overRows(count, length, workers int, row func(r int) (value float64, bad bool),
	fold func(a, b float64) float64) (value float64, bad int) {
	type part struct {
		value float64
		bad   int
	}
	each := max(1, block/max(1, length))
	pieces := (count + each - 1) / each
	parts := make([]part, pieces)
	overWorkers(pieces*block, workers, func(_ *scratch, next func() (lo, hi int, ok bool)) {
		for lo, _, ok := next(); ok; lo, _, ok = next() {
			own := &parts[lo/block]
			for r := lo / block * each; r < min((lo/block+1)*each, count); r++ {
				v, failed := row(r)
				own.value = fold(own.value, v)
				if failed {
					own.bad++
				}
			}
		}
	})
	for _, p := range parts {
		value = fold(value, p.value)
		bad += p.bad
	}
	return value, bad
}

// topKAgreement is the fraction of rows with the same k greatest elements on both sides, and how
// many rows have not. It is NaN without a row.
func (p *pair) topKAgreement(k, workers int) (fraction float64, disagreeing int) {
	count, length := rows(p.expected)
	agree := func(r int) (float64, bool) {
		a, aNaN := topOf(p.actual, r*length, 1, length, k, nil)
		b, bNaN := topOf(p.expected, r*length, 1, length, k, nil)
		if aNaN || bNaN {
			return 0, true
		}
		byIndex := func(x, y candidate) int { return x.index - y.index }
		slices.SortFunc(a, byIndex)
		slices.SortFunc(b, byIndex)
		same := slices.EqualFunc(a, b, func(x, y candidate) bool { return x.index == y.index })
		return 0, !same
	}
	_, disagreeing = overRows(count, length, workers, agree, math.Max)
	return float64(count-disagreeing) / float64(count), disagreeing
}

// divergence is the greatest Kullback-Leibler divergence of a row, and how many rows exceed limit.
func (p *pair) divergence(limit float64, workers int) (most float64, exceeding int) {
	count, length := rows(p.expected)
	return overRows(count, length, workers, func(r int) (float64, bool) {
		d := p.divergenceOf(r*length, length)
		return d, !(d <= limit)
	}, math.Max)
}

// divergenceOf is Σ p·ln(p/q) of one row in nats, both scaled to sum 1. It is NaN where one of them
// is no distribution. math.Max keeps NaN, so one such row fails the tensor.
func (p *pair) divergenceOf(start, length int) float64 {
	var q, e float64 // the sums: q of the actual row, e of the expected one
	for i := start; i < start+length; i++ {
		x, y := p.actual.Float64At(i), p.expected.Float64At(i)
		if !(x >= 0 && y >= 0) {
			return nan
		}
		q += x
		e += y
	}
	if !(q > 0 && e > 0 && q <= math.MaxFloat64 && e <= math.MaxFloat64) {
		return nan
	}
	var d float64
	for i := start; i < start+length; i++ {
		if y := p.expected.Float64At(i) / e; y > 0 {
			d += float64(y * math.Log(y/(p.actual.Float64At(i)/q)))
		}
	}
	return max(0, d) // rounding can take equal distributions below 0
}
