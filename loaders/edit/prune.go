package edit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// PrunedWeight describes what [Prune] did to a weight.
type PrunedWeight struct {
	Name   string
	Zeroed int    // values that were not zero before
	Kept   string // why the weight is unchanged, or ""
}

// Prune returns the model with zeros in the weights of Conv, Gemm and MatMul, including weights
// that pass through QuantizeLinear, DequantizeLinear, Cast or Transpose. Use it to test an engine's
// sparse kernels; the model is no longer accurate.
//
// The two values of smallest magnitude in each group of four become zero, as sparse tensor cores
// require. Groups lie along the reduction axis of the matrix multiplication or convolution.
//
// A weight is unchanged if the length of its reduction axis is not a multiple of four, or if its
// type is not float32, float16 or bfloat16. The result is kept in memory, as with
// [ReplaceConstants].
func Prune(m *loaders.Model) (*loaders.Model, []PrunedWeight, error) {
	axes, err := prunable(m)
	if err != nil {
		return nil, nil, err
	}
	var report []PrunedWeight
	pruned, err := ReplaceConstants(m, func(c loaders.Constant) (*tensor.Tensor, error) {
		axis, weighs := axes[c.Name]
		if !weighs {
			return nil, nil
		}
		other, done, err := prune(c, axis)
		report = append(report, done)
		return other, err
	})
	return pruned, report, err
}

// prune zeroes values of one weight along its reduction axis.
func prune(c loaders.Constant, axis int) (*tensor.Tensor, PrunedWeight, error) {
	done := PrunedWeight{Name: c.Name}
	elem, shape := c.Values.ElementType(), c.Values.Shape()
	switch {
	case elem != tensor.Float32 && elem != tensor.Float16 && elem != tensor.BFloat16:
		done.Kept = fmt.Sprintf("its type is %v", elem)
	case axis >= len(shape): // only the nonzeros of a sparse weight
		done.Kept = fmt.Sprintf("its shape is %v", shape)
	case shape[axis]%4 != 0:
		done.Kept = fmt.Sprintf("its length along axis %d is not a multiple of 4", axis)
	}
	if done.Kept != "" {
		return nil, done, nil
	}
	values := make([]float32, c.Values.Len())
	for i := range values {
		values[i] = float32(c.Values.Float64At(i))
	}
	zeroSmallest(values, shape, axis)
	for i, v := range values {
		if before := c.Values.Float64At(i); float64(v) != before && before == before {
			done.Zeroed++
		}
	}
	other, err := sets.Pack(elem, shape, values)
	return other, done, err
}

// zeroSmallest sets two values of each group of four neighbours along an axis to 0: the two of
// smallest magnitude, preferring earlier values among equal ones.
func zeroSmallest(values []float32, shape tensor.Shape, axis int) {
	if axis >= len(shape) || shape[axis]%4 != 0 {
		return
	}
	for first, step := range onnxfile.Lines(shape, axis) {
		for at := first; at < first+shape[axis]*step; at += 4 * step {
			group := []int{at, at + step, at + 2*step, at + 3*step}
			slices.SortStableFunc(group, func(a, b int) int { // NaN counts as the largest
				return cmp.Compare(-math.Abs(float64(values[b])), -math.Abs(float64(values[a])))
			})
			values[group[0]], values[group[1]] = 0, 0
		}
	}
}

// prunable returns, by name, the reduction axis of each weight of a Conv, Gemm or MatMul that has
// at least two axes.
func prunable(m *loaders.Model) (map[string]int, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	factors, err := m.File().Factors()
	axes := map[string]int{}
	for _, f := range factors {
		if f.Sum >= 0 {
			axes[f.Name] = f.Sum
		}
	}
	return axes, err
}
