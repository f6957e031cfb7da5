package runfile

import (
	"encoding/json"
	"math"

	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/internal/overview"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// describe describes an output in full, with a tree checksum if the output is large.
func describe(name string, t *tensor.Tensor) (out Output) {
	if hasTree(t) {
		out = describeTree(name, t)
	} else {
		out = describePlain(name, t)
	}
	out.Keys = t.IsKeys()
	return out
}

// shownOf describes an output by its name, type, shape and first values.
func shownOf(name string, t *tensor.Tensor) Output {
	out := briefly(name, t)
	for i := range min(t.Len(), firstValues) {
		out.Values = append(out.Values, jsonText(t, i))
	}
	return out
}

// describePlain describes an output on one core. The mean is the sum of the elements, added in
// order, divided by their number.
func describePlain(name string, t *tensor.Tensor) Output {
	if loaded, err := tensor.FromBytes(t.ElementType(), t.Shape(), t.Bytes()); err == nil {
		t = loaded // elements are accessed one by one
	}
	out := shownOf(name, t)
	out.SHA256 = checksum(t)
	if t.ElementType() == tensor.String {
		return out
	}
	least, greatest, sum, finite := 0, 0, 0.0, 0
	low, high := math.Inf(1), math.Inf(-1)
	for i := range t.Len() {
		v := t.Float64At(i)
		switch {
		case math.IsNaN(v):
			out.NaN++
			continue
		case math.IsInf(v, 0):
			out.Inf++
			continue
		}
		finite++
		sum += v
		if v < low {
			low, least = v, i
		}
		if v > high {
			high, greatest = v, i
		}
	}
	out.extent(t, least, greatest, sum, finite)
	return out
}

// extent records the minimum, the maximum and the mean of the finite values. The arguments lowest
// and highest are the indices of the smallest and the largest element.
func (o *Output) extent(t *tensor.Tensor, lowest, highest int, sum float64, finite int) {
	if finite > 0 {
		o.Min, o.Max = jsonText(t, lowest), jsonText(t, highest)
		o.Mean = json.RawMessage(jsonfloat.Append(nil, sum/float64(finite)))
	}
}

// describeTree describes an output on all cores, leaf by leaf; a leaf is a block of leafSize
// bytes. The mean is computed as in package overview, from 16 partial sums per leaf, so it does not
// depend on the number of cores.
func describeTree(name string, t *tensor.Tensor) Output {
	out, size := shownOf(name, t), t.Size()
	leaves := make([]leafSum, leafCount(size))
	parts := make([]overview.Part, len(leaves))
	overGroups(size, func(lo, hi int) {
		first := lo / leafSize
		sums := leaves[first:][:leafCount(hi-lo)]
		data := spill.Part(t, lo, hi)
		sumLeaves(sums, data)
		for i := range sums { // while the data is in this core's cache
			at := i * leafSize
			parts[first+i] = partOfTensor(t, lo+at, data[at:min(at+leafSize, len(data))])
		}
	})
	out.Tree = treeOf(leaves)
	least, greatest, all := 0, 0, parts[0]
	for i, p := range parts[1:] {
		if p.Least < all.Least {
			least = i + 1
		}
		if p.Greatest > all.Greatest {
			greatest = i + 1
		}
		all = all.And(p)
	}
	out.NaN, out.Inf = all.NaN, all.Inf
	out.extent(t, firstIn(t, least, all.Least), firstIn(t, greatest, all.Greatest), all.Sum,
		all.Finite)
	return out
}

// partOfTensor summarizes the data of a leaf, which begins at byte lo of the tensor.
func partOfTensor(t *tensor.Tensor, lo int, data []byte) overview.Part {
	switch t.ElementType() {
	case tensor.Float32:
		return overview.Numbers(overview.View[float32](data))
	case tensor.Float64:
		return overview.Numbers(overview.View[float64](data))
	case tensor.Float16:
		return overview.Halves(overview.View[uint16](data))
	case tensor.BFloat16:
		return overview.BFloat16s(overview.View[uint16](data))
	case tensor.Int8:
		return overview.Integers(overview.View[int8](data))
	case tensor.Int16:
		return overview.Integers(overview.View[int16](data))
	case tensor.Int32:
		return overview.Integers(overview.View[int32](data))
	case tensor.Int64:
		return overview.Numbers(overview.View[int64](data))
	case tensor.Uint8:
		return overview.Integers(data)
	case tensor.Uint16:
		return overview.Integers(overview.View[uint16](data))
	case tensor.Uint32:
		return overview.Integers(overview.View[uint32](data))
	case tensor.Uint64:
		return overview.Numbers(overview.View[uint64](data))
	}
	from, to := elementsIn(t, lo, lo+len(data))
	values := make([]float64, to-from)
	for i := range values {
		values[i] = t.Float64At(from + i)
	}
	return overview.Numbers(values)
}

// elementsIn returns the indices [from,to) of the elements in bytes [lo,hi) of a tensor. The
// tensor's last byte may contain fewer elements than the others.
func elementsIn(t *tensor.Tensor, lo, hi int) (from, to int) {
	bits := t.ElementType().Bits()
	return lo * 8 / bits, min(hi*8/bits, t.Len())
}

// firstIn returns the index of the first element in a leaf that has the given value, or 0.
func firstIn(t *tensor.Tensor, leaf int, value float64) int {
	from, to := elementsIn(t, leaf*leafSize, min((leaf+1)*leafSize, t.Size()))
	for i := from; i < to; i++ {
		if t.Float64At(i) == value {
			return i
		}
	}
	return 0
}
