package runfile

import (
	"encoding/json"
	"math"

	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/internal/overview"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// describe describes an output in full, with a tree checksum or a plain one. With a tree checksum,
// the mean is computed as in package overview, from 16 partial sums per block, so it does not
// depend on the number of cores. Otherwise the mean is the sum of the elements, added in order,
// divided by their number.
func describe(name string, t *tensor.Tensor, tree bool) Output {
	out := briefly(name, t)
	for i := range min(t.Len(), firstValues) {
		out.Values = append(out.Values, jsonText(t, i))
	}
	var leaves []leafSum
	if tree {
		leaves = make([]leafSum, leafCount(t.Size()))
	}
	all := out.scan(t, leaves)
	if tree {
		out.Tree = treeOf(leaves)
	} else {
		out.SHA256, all.Sum = checksum(t), sumInOrder(t)
	}
	if all.Finite > 0 {
		out.Mean = json.RawMessage(jsonfloat.Append(nil, all.Sum/float64(all.Finite)))
	}
	return out
}

// sumInOrder returns the sum of a tensor's finite elements.
func sumInOrder(t *tensor.Tensor) (sum float64) {
	if loaded, err := tensor.FromBytes(t.ElementType(), t.Shape(), t.Bytes()); err == nil {
		t = loaded // elements are accessed one by one
	}
	for i := range t.Len() {
		if v := t.Float64At(i); !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum += v
		}
	}
	return sum
}

// scan reads an output on all cores, in blocks of leafSize bytes. It records the minimum, the
// maximum and the numbers of NaN and infinities, and returns all statistics. If leaves is not nil,
// scan stores the checksum of each block in it.
func (o *Output) scan(t *tensor.Tensor, leaves []leafSum) (all overview.Part) {
	parts := make([]overview.Part, leafCount(t.Size()))
	overGroups(t.Size(), func(lo, hi int) {
		first, data := lo/leafSize, spill.Part(t, lo, hi)
		if leaves != nil {
			sumLeaves(leaves[first:][:leafCount(len(data))], data)
		}
		for i := range leafCount(len(data)) { // while the data is in this core's cache
			at := i * leafSize
			parts[first+i] = partOfTensor(t, lo+at, data[at:min(at+leafSize, len(data))])
		}
	})
	least, greatest := 0, 0
	for i, p := range parts {
		if i == 0 {
			all = p
			continue
		}
		if p.Least < all.Least {
			least = i
		}
		if p.Greatest > all.Greatest {
			greatest = i
		}
		all = all.And(p)
	}
	o.NaN, o.Inf = all.NaN, all.Inf
	if all.Finite > 0 {
		o.Min = jsonText(t, firstIn(t, least, all.Least))
		o.Max = jsonText(t, firstIn(t, greatest, all.Greatest))
	}
	return all
}

// partOfTensor summarizes data, a block of a tensor's bytes that begins at byte lo.
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

// firstIn returns the index in t of the block's first element with the given value. If the block
// has no such element, firstIn returns 0. Blocks have leafSize bytes and are counted from 0.
func firstIn(t *tensor.Tensor, block int, value float64) int {
	from, to := elementsIn(t, block*leafSize, min((block+1)*leafSize, t.Size()))
	for i := from; i < to; i++ {
		if t.Float64At(i) == value {
			return i
		}
	}
	return 0
}
