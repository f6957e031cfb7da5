package edit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Pruning selects the weights that [Prune] sets to zero.
type Pruning struct {
	// Of is the size of a group of neighbouring values, and Zeros the number of values in each group
	// that become zero: those with the least magnitude. Groups lie along the axis that products are
	// summed over. If Zeros and Of are both 0, two of every four values become zero, as sparse tensor
	// cores require.
	Zeros, Of int
	// Channels, if not 0, is the fraction, from 0 to 1, of each weight's output channels to set to
	// zero, instead of single values. The channels with the least sum of magnitudes are chosen.
	Channels float64
}

// PrunedWeight describes what [Prune] did to a weight.
type PrunedWeight struct {
	Name   string
	Zeroed int    // values that were not zero before
	Kept   string // why the weight is unchanged, or ""
}

// Prune returns the model with zeros in the weights of Conv, Gemm and MatMul, including weights
// that pass through QuantizeLinear, DequantizeLinear, Cast or Transpose. Use it to test an engine's
// sparse kernels; the model is no longer accurate. A weight is unchanged if the length of its axis
// is not a multiple of Of, or if its type is not float32, float16 or bfloat16. The result is held
// in memory, as with [ReplaceConstants].
func Prune(m *loaders.Model, p Pruning) (*loaders.Model, []PrunedWeight, error) {
	if p.Zeros == 0 && p.Of == 0 {
		p.Zeros, p.Of = 2, 4
	}
	if p.Zeros < 1 || p.Zeros >= p.Of || p.Channels < 0 || p.Channels > 1 {
		return nil, nil, fmt.Errorf("loaders: prune: %d zeros per %d values, fraction %g of channels; "+
			"expected fewer zeros than values, and a fraction up to 1", p.Zeros, p.Of, p.Channels)
	}
	axes, err := prunable(m)
	if err != nil {
		return nil, nil, err
	}
	var report []PrunedWeight
	pruned, err := ReplaceConstants(m, func(c loaders.Constant) (*tensor.Tensor, error) {
		at, weighs := axes[c.Name]
		if !weighs {
			return nil, nil
		}
		other, done, err := p.prune(c, at)
		report = append(report, done)
		return other, err
	})
	return pruned, report, err
}

func (p *Pruning) prune(c loaders.Constant, axes onnxfile.Factor) (*tensor.Tensor, PrunedWeight,
	error) {
	done := PrunedWeight{Name: c.Name}
	elem, shape := c.Values.ElementType(), c.Values.Shape()
	switch {
	case elem != tensor.Float32 && elem != tensor.Float16 && elem != tensor.BFloat16:
		done.Kept = fmt.Sprintf("its type is %v", elem)
	case axes.Sum >= len(shape) || axes.Channels >= len(shape): // only the nonzeros of a sparse weight
		done.Kept = fmt.Sprintf("its shape is %v", shape)
	case p.Channels > 0 && axes.Channels < 0:
		done.Kept = fmt.Sprintf("a weight of shape %v has no channels", shape)
	case p.Channels == 0 && shape[axes.Sum]%p.Of != 0:
		done.Kept = fmt.Sprintf("axis %d of %v is not a multiple of %d", axes.Sum, shape, p.Of)
	}
	if done.Kept != "" {
		return nil, done, nil
	}
	full, err := c.Values.Convert(tensor.Float32)
	if err != nil {
		return nil, done, err
	}
	before, err := tensor.Values[float32](full)
	if err != nil {
		return nil, done, err
	}
	values := slices.Clone(before)
	if p.Channels > 0 {
		zeroChannels(values, shape, axes.Channels, p.Channels)
	} else {
		zeroSmallest(values, shape, axes.Sum, p.Zeros, p.Of)
	}
	for i, v := range values {
		if v != before[i] && before[i] == before[i] {
			done.Zeroed++
		}
	}
	other, err := tensor.New(shape, values)
	if err == nil {
		other, err = other.Convert(elem)
	}
	return other, done, err
}

// zeroSmallest splits the values along an axis into groups of equal size (of). In each group it
// sets the values of least magnitude to 0, as many as zeros says. Among equal values, the first
// become 0.
func zeroSmallest(values []float32, shape tensor.Shape, axis, zeros, of int) {
	if axis >= len(shape) || shape[axis]%of != 0 {
		return
	}
	group := make([]int, of)
	for first, step := range onnxfile.Lines(shape, axis) {
		for at := 0; at < shape[axis]; at += of {
			for k := range group {
				group[k] = first + (at+k)*step
			}
			slices.SortStableFunc(group, func(a, b int) int { // NaN is the greatest
				return cmp.Compare(-math.Abs(float64(values[b])), -math.Abs(float64(values[a])))
			})
			for _, i := range group[:zeros] {
				values[i] = 0
			}
		}
	}
}

// zeroChannels sets some output channels to 0: part is the fraction of channels, from 0 to 1, and
// channels is the axis along which they lie.
func zeroChannels(values []float32, shape tensor.Shape, channels int, part float64) {
	inner := 1
	for _, d := range shape[channels+1:] {
		inner *= d
	}
	sums := make([]float64, shape[channels])
	order := make([]int, len(sums))
	for i := range order {
		order[i] = i
	}
	for i, v := range values {
		sums[i/inner%len(sums)] += math.Abs(float64(v))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(-sums[b], -sums[a]) })
	goes := make([]bool, len(sums))
	for _, c := range order[:int(part*float64(len(sums)))] {
		goes[c] = true
	}
	for i := range values {
		if goes[i/inner%len(sums)] {
			values[i] = 0
		}
	}
}

// sparseWeights lists the weights of Conv, Gemm and MatMul that are 2:4 sparse along the axis that
// products are summed over.
func sparseWeights(m *loaders.Model) (names []string, err error) {
	axes, err := prunable(m)
	if err != nil {
		return nil, err
	}
	err = Constants(m, func(c loaders.Constant) error {
		at, weighs := axes[c.Name]
		shape, elem := c.Values.Shape(), c.Values.ElementType()
		if !weighs || at.Sum >= len(shape) || shape[at.Sum]%4 != 0 || !elem.IsFloat() {
			return nil
		}
		if dense, groups := onnxfile.DenseGroups(c.Values, at.Sum); dense == 0 && groups > 0 {
			names = append(names, c.Name)
		}
		return nil
	})
	return names, err
}

// prunable returns the weights of Conv, Gemm and MatMul with at least two axes, by name.
func prunable(m *loaders.Model) (map[string]onnxfile.Factor, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	factors, err := m.File().Factors()
	axes := map[string]onnxfile.Factor{}
	for _, f := range factors {
		if f.Sum >= 0 {
			axes[f.Name] = f
		}
	}
	return axes, err
}
